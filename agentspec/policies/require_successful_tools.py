"""require_successful_tools: an end does not count while a tool that must have succeeded has not.

Which tools are missing stands in the facts; nothing is counted here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event
from agentspec.core.facts import Facts
from agentspec.core.judging.vetoes import decision_of, veto
from agentspec.core.orders import Note, Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import End, Proposal
from agentspec.core.rulings import PASS, Refuse, Rewrite, Ruling, Stop
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import fill, wording
from agentspec.spec.settings import Settings

PLACE = "execution.require_successful_tools"


class RequireSuccessfulTools(Policy[dict[str, Any]], frozen=True):
    """The first gate of a completion: it costs nothing, and a loop that works until it is done goes on for it.

    Memory: its newest decision, for the event stream.
    """

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 60
    claims: ClassVar = (PLACE,)
    hears: ClassVar = (Ruled,)
    reviews: ClassVar = (End,)
    announces: ClassVar = True

    goes_on: bool
    words: str

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        if not settings.get(PLACE):
            return None
        return cls(goes_on=settings.flag("execution.loop_until_done"), words=wording(settings, "gate.tools"))

    def start(self) -> dict[str, Any]:
        return {}

    def observe(self, memory: dict[str, Any], event: Event | Notice, facts: Facts) -> dict[str, Any]:
        match event:
            case Ruled(policy="require_successful_tools", ruling=Refuse() as refusal):
                return decision_of("require_successful_tools", refusal, facts)
            case _:
                return memory

    def notes(self, before: dict[str, Any], after: dict[str, Any]) -> tuple[Note, ...]:
        return (Note(event="judge_decision", fields=after),) if after is not before else ()

    def review(self, memory: dict[str, Any], proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, End) or not proposal.is_gated:
            return PASS
        if facts.session.required_tools_satisfied:
            return _named(proposal)
        missing = " and ".join(f"`{name}`" for name in facts.session.required_tools_missing).replace(" | ", "` or `")
        if self.goes_on:
            return veto(facts, fill(self.words, missing=missing), source="require_successful_tools")
        detail = f"{missing} did not succeed in this run"
        return Stop(Outcome("failed", "required_tools_missing", place=PLACE, detail=detail))


def _named(end: End) -> Ruling:
    """A text that ends a loop whose tools have succeeded ends it for that reason."""
    if end.outcome.reason != "natural":
        return PASS
    return Rewrite(replace(end, outcome=replace(end.outcome, reason="required_tools_satisfied")))
