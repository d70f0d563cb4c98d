"""permissions: what this agent may call, beside approval: what `deny` names is refused, and all that `allow` does not.

With `on_escalation: ask` a person may grant what is refused, once or for the whole run; else it is refused for good.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.calls import consent
from agentspec.core.calls.consent import ALLOW, DENY, SESSION, Consents
from agentspec.core.calls.denials import denied, names
from agentspec.core.calls.matching import listed
from agentspec.core.calls.rules import CallRule, Looked, compile_rule, holds, is_match, looked_at, names_of
from agentspec.core.events import Answered, Event
from agentspec.core.facts import Facts
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnSettled
from agentspec.core.proposals import Act, Admit, Proposal
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Ruling
from agentspec.core.tools import ToolPlan, touched_by
from agentspec.spec.settings import Settings

PLACE = "capability.permissions"
GATE = "permissions"


class Granted(Record, frozen=True):
    """What people said, and what they granted for the whole run: tools, each with the rule that refuses it."""

    consents: Consents = Consents()
    granted: frozenset[tuple[str, str]] = frozenset()


class Permissions(Policy[Granted], frozen=True):
    """Rules that allow (None: everything) and rules that deny."""

    stage: ClassVar = Stage.AUTHORITY
    number: ClassVar = 20
    claims: ClassVar = tuple(f"{PLACE}.{name}" for name in ("allow", "deny", "on_escalation"))
    hears: ClassVar = (Ruled, Answered, TurnSettled)
    reviews: ClassVar = (Admit, Act)
    announces: ClassVar = True

    plans: Mapping[str, ToolPlan]
    project: str
    allow: tuple[CallRule, ...] | None
    deny: tuple[CallRule, ...]
    asks: bool
    identity: Mapping[str, Any]
    expires: float | None

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        given: Mapping[str, Any] | None = settings.get(PLACE)
        if not given or not tools:
            return None
        allow = given.get("allow")
        return cls(
            plans=tools,
            project=settings.project,
            allow=None if allow is None else _compiled(listed(allow), "allow"),
            deny=_compiled(listed(given.get("deny")), "deny"),
            asks=given.get("on_escalation", "ask") == "ask",
            identity=settings.get("capability.identity") or {},
            expires=settings.seconds(consent.EXPIRES),
        )

    def start(self) -> Granted:
        return Granted()

    def observe(self, memory: Granted, event: Event | Notice, facts: Facts) -> Granted:  # noqa: ARG002 - the shape
        consents = consent.observe(memory.consents, event, "permissions")
        if consents is memory.consents:
            return memory
        memory = replace(memory, consents=consents)
        if isinstance(event, Answered) and consents.note.fields.get("decision") == SESSION:
            grant = (event.question["name"], event.question["rule"])
            return replace(memory, granted=memory.granted | {grant})
        return memory

    def review(self, memory: Granted, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Admit | Act) or proposal.arguments is None:
            return PASS
        refusal = self._refusal(proposal.call.name, proposal.arguments, facts)
        if refusal is None or (proposal.call.name, refusal[0]) in memory.granted:
            return PASS
        rule, why = refusal
        if not self.asks:
            return denied(GATE, f"`{rule}` {why}", self._allowed())
        if isinstance(proposal, Admit):
            return PASS  # a person is asked when the call would run
        effect = self.plans[proposal.call.name].effect
        until = consent.until(self.expires, facts.now)
        grants = (ALLOW, SESSION, DENY)
        hold = consent.question(proposal, rule=rule, reason=why, effect=effect, grants=grants, until=until)
        return consent.rule_on(memory.consents, proposal, hold)

    def _refusal(self, name: str, arguments: Mapping[str, Any], facts: Facts) -> tuple[str, str] | None:
        """The rule that refuses the call, and why; None where it is permitted."""
        plan = self.plans[name]
        call = looked_at(plan, arguments, touched_by(plan, arguments), self.project)
        seen = names_of(call, facts, self.identity)
        for rule in self.deny:
            if is_match(rule, call, self.project, allows=False) and holds(rule, seen)[0]:
                return rule.place, "denies it"
        if self.allow is None or any(self._allows(rule, call, seen) for rule in self.allow):
            return None
        return f"{PLACE}.allow", "does not name it"

    def _allows(self, rule: CallRule, call: Looked, seen: Mapping[str, Any]) -> bool:
        if not is_match(rule, call, self.project, allows=True):
            return False
        has_held, problem = holds(rule, seen)
        return has_held and not problem

    def _allowed(self) -> str:
        return "" if self.allow is None else f"Permitted tools: {names(rule.says['tool'] for rule in self.allow)}."

    def notes(self, before: Granted, after: Granted) -> tuple[Note, ...]:
        return consent.notes(before.consents, after.consents)


def _compiled(rules: Iterable[Any], key: str) -> tuple[CallRule, ...]:
    said = ({"tool": rule} if isinstance(rule, str) else rule for rule in rules)
    return tuple(compile_rule(rule, f"{PLACE}.{key}[{at}]", "permissions.when") for at, rule in enumerate(said))
