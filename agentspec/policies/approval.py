"""approval: which calls run, which a person is asked about, which are refused. Deny beats ask beats allow.

Secret files and what lies outside the workspace are refused whatever the rules say. A refusal comes before any call of
the reply runs; a question comes when its call would run, and what is said is for the arguments that were shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, Self

from msgspec.structs import replace

from agentspec.core.calls import consent
from agentspec.core.calls.canonical import call_key
from agentspec.core.calls.consent import Consents
from agentspec.core.calls.denials import denied, names
from agentspec.core.calls.matching import is_named, is_path, listed
from agentspec.core.calls.rules import (
    CallRule,
    Looked,
    chosen_in,
    compile_rule,
    holds,
    is_match,
    looked_at,
    names_of,
    strictest,
)
from agentspec.core.calls.touched import NOTHING, is_in, place, shown, words_of
from agentspec.core.events import Answered, Event
from agentspec.core.facts import Facts
from agentspec.core.orders import Note
from agentspec.core.policy import Admitted, Notice, Policy, Ruled, Stage, TurnSettled
from agentspec.core.proposals import Act, Admit, Proposal
from agentspec.core.record import Record
from agentspec.core.rules.functions import WHO, read_command
from agentspec.core.rulings import PASS, Hold, Refuse, Ruling
from agentspec.core.tools import ToolPlan, touched_by
from agentspec.spec.settings import Settings
from agentspec.text.secret_names import secret_rule

PLACE = "capability.approval"
GATE = "approval rules"
VERBS = {"match": ("true",)}


class Asked(Record, frozen=True):
    """What people and functions said, and how many calls of each tool there were; `batch` are those of this reply."""

    consents: Consents = Consents()
    functions: dict[str, Any] = {}
    made: dict[str, int] = {}
    batch: tuple[str, ...] = ()


class Decision(NamedTuple):
    """What becomes of a call, by which rule, and why. `ask_first` is the question to a function that decides it."""

    word: str
    rule: str = ""
    reason: str = ""
    ask_first: Hold | None = None


class Approval(Policy[Asked], frozen=True):
    """Rules and a default, beside what is always refused."""

    stage: ClassVar = Stage.CONSENT
    number: ClassVar = 20
    claims: ClassVar = tuple(f"{PLACE}.{name}" for name in ("default", "rules", "secrets", "external_roots", "expires"))
    hears: ClassVar = (Ruled, Answered, Admitted, TurnSettled)
    reviews: ClassVar = (Admit, Act)
    announces: ClassVar = True

    plans: Mapping[str, ToolPlan]
    project: str
    default: str
    rules: tuple[CallRule, ...]
    secrets: tuple[str, ...]
    roots: tuple[str, ...]
    identity: Mapping[str, Any]
    expires: float | None

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        if not tools:
            return None
        given: Mapping[str, Any] = settings.get(PLACE) or {}
        agent = settings.text("name") or ""
        rules = [
            compile_rule(rule, f"{PLACE}.rules[{index}]", "approval.when")
            for index, rule in enumerate(given.get("rules") or ())
            if rule.get("agent") is None or is_named(agent, [rule["agent"]])
        ]
        return cls(
            plans=tools,
            project=settings.project,
            default=given.get("default") or "allow",
            rules=tuple(rules),
            secrets=tuple(given.get("secrets") or ()),
            roots=tuple(place(root, settings.project) for root in (".", *(given.get("external_roots") or ()))),
            identity=settings.get("capability.identity") or {},
            expires=settings.seconds(consent.EXPIRES),
        )

    @property
    def idle(self) -> tuple[type[Event | Notice | Proposal], ...]:
        """Where nobody is ever asked, nothing is remembered from turn to turn."""
        return (Admitted, TurnSettled, Act) if all(map(self._asks_nobody, self.plans)) else ()

    def start(self) -> Asked:
        return Asked()

    def observe(self, memory: Asked, event: Event | Notice, facts: Facts) -> Asked:  # noqa: ARG002 - the shape
        match event:
            case TurnSettled():
                memory = self._settled(memory)
            case Admitted() if not self.rules:  # nobody asks which call of its tool it is
                return memory
            case Admitted(calls=calls):
                return replace(memory, batch=tuple(self._name_at(calls, at) for at in range(calls[-1].index + 1)))
            case Answered(who="python", asker="approval", question=asked, answer=answer):
                return replace(memory, functions=memory.functions | {asked["key"]: answer})
            case _:
                pass
        consents = consent.observe(memory.consents, event, "approval")
        return memory if consents is memory.consents else replace(memory, consents=consents)

    def _name_at(self, calls: tuple[Act, ...], index: int) -> str:
        return next((act.call.name for act in calls if act.index == index), "")

    def _settled(self, memory: Asked) -> Asked:
        if not memory.batch and not memory.functions:
            return memory
        made = memory.made.copy()
        for name in filter(None, memory.batch):
            made[name] = made.get(name, 0) + 1
        return replace(memory, functions={}, made=made, batch=())

    def review(self, memory: Asked, proposal: Proposal, facts: Facts) -> Ruling:
        match proposal:
            case Admit(arguments=dict() as arguments):
                if self._has_nothing_to_say(proposal.call.name, arguments):
                    return PASS
                call = self._look(proposal.call.name, arguments)
                refused = next(self._always(call), None)
                if refused is not None:
                    return refused
                decision = self._decide(memory, call, facts)
                return decision.ask_first or (self._refuse(decision) if decision.word == "deny" else PASS)
            case Act() if self._asks_nobody(proposal.call.name):
                return PASS
            case Act():
                nth = memory.made.get(proposal.call.name, 0) + memory.batch[: proposal.index].count(proposal.call.name)
                call = self._look(proposal.call.name, proposal.arguments)._replace(nth=nth)
                return self._of_act(memory, proposal, self._decide(memory, call, facts), facts.now)
            case _:
                return PASS

    def _has_nothing_to_say(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Whether nobody but a rule could mind a call that names nothing that it touches, and there is no rule."""
        return not self.rules and self.default != "deny" and touched_by(self.plans[name], arguments) is NOTHING

    def _asks_nobody(self, name: str) -> bool:
        """Whether what was refused before is all that there is to say of a call of this tool."""
        return not self.rules and self.default == "allow" and self.plans[name].touches is None

    def _look(self, name: str, arguments: Mapping[str, Any]) -> Looked:
        plan = self.plans[name]
        return looked_at(plan, arguments, touched_by(plan, arguments), self.project)

    def _of_act(self, memory: Asked, act: Act, decision: Decision, now: float) -> Ruling:
        if decision.ask_first is not None:
            return decision.ask_first
        match decision.word:
            case "deny":
                return self._refuse(decision)
            case "ask":
                effect, until = self.plans[act.call.name].effect, consent.until(self.expires, now)
                hold = consent.question(act, rule=decision.rule, reason=decision.reason, effect=effect, until=until)
                return consent.rule_on(memory.consents, act, hold)
            case _:
                return PASS

    def _refuse(self, decision: Decision) -> Refuse:
        why = f"`{decision.rule}` denies it" + (f": {decision.reason}" if decision.reason else "")
        return denied(GATE, why, self._allowed() if self.default == "deny" else "")

    def _allowed(self) -> str:
        tools = (rule.says.get("tool") for rule in self.rules if rule.says["decision"] == "allow")
        return f"Allowed tools: {names(dict.fromkeys(name for each in tools for name in listed(each)))}."

    def _always(self, call: Looked) -> Iterator[Refuse]:
        """What no rule can allow: files that hold secrets, places outside the workspace, what a tool itself refuses."""
        for path in (*call.places, *(place(word, self.project) for word in words_of(call.touched.command))):
            rule = secret_rule(path) or next((glob for glob in self.secrets if self._is_secret(glob, path)), "")
            if rule:
                yield denied("list of secret files", f"`{shown(path, self.project)}` may hold secrets (`{rule}`)")
        for path in chosen_in(call.touched):
            if not any(is_in(place(path, self.project), root) for root in self.roots):
                why = f"`{path}` lies outside, and `{PLACE}.external_roots` does not name it"
                allowed = f"Allowed folders: {names(shown(root, self.project) for root in self.roots)}."
                yield denied("workspace", why, allowed)
        if call.touched.deny:
            yield denied("options of its toolkit", call.touched.deny)

    def _is_secret(self, glob: str, path: str) -> bool:
        return is_path(path.casefold(), [glob.casefold()], self.project.casefold())

    def _decide(self, memory: Asked, call: Looked, facts: Facts) -> Decision:
        """The strictest of all rules that match; without any, what the toolkit says, or the default."""
        found: list[Decision] = []
        names: dict[str, Any] | None = None
        for rule in self.rules:
            word = str(rule.says["decision"])
            if not is_match(rule, call, self.project, allows=word == "allow"):
                continue
            names = names_of(call, facts, self.identity) if names is None else names
            has_held, problem = holds(rule, names)
            if problem:
                found.append(Decision("deny", rule.place, f"its condition could not be evaluated: {problem}"))
            elif has_held:
                found += self._of_function(memory, rule, call, names)
        if not found:
            if self.default == "allow" and call.touched.ask:
                return Decision("ask", "toolkit", call.touched.ask)
            return Decision(self.default, f"{PLACE}.default")
        word = strictest([decision.word for decision in found])
        of_word = [decision for decision in found if decision.word == word]
        return next((decision for decision in of_word if decision.ask_first is None), of_word[0])

    def _of_function(self, memory: Asked, rule: CallRule, call: Looked, names: Mapping[str, Any]) -> Iterator[Decision]:
        """The decision of a rule, once its function, where it has one, has said whether it matches."""
        decision = Decision(str(rule.says["decision"]), rule.place, rule.says.get("reason") or "")
        if rule.function is None:
            yield decision
            return
        key = f"{rule.place} {call_key(call.plan.name, call.arguments)}"
        if key not in memory.functions:
            question = {"function": rule.function, "state": dict(names), "key": key}
            yield Decision("deny", rule.place, "nobody has looked at it", ask_first=Hold(WHO, question))
            return
        command = read_command(memory.functions[key], VERBS)
        if command.problem:
            yield Decision("deny", rule.place, f"its function gave no answer: {command.problem}")
        elif (command.values or {}).get("match"):
            yield decision

    def notes(self, before: Asked, after: Asked) -> tuple[Note, ...]:
        return consent.notes(before.consents, after.consents)
