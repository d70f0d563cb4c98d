"""stop_after_successful_tools: the success of one of these tools ends the run, if the gates of completion let it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from agentspec.core.events import Event
from agentspec.core.facts import Facts
from agentspec.core.orders import Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Close, Proposal
from agentspec.core.rulings import PASS, Ruling, Stop
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

PLACE = "execution.stop_after_successful_tools"


class StopAfterSuccessfulTools(Policy[int], frozen=True):
    """Memory: the turn for which the end was proposed last; it is proposed once a turn, since a gate may veto it."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 50
    claims: ClassVar = (PLACE,)
    hears: ClassVar = (Ruled,)
    reviews: ClassVar = (Close,)

    names: frozenset[str]

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        names = settings.get(PLACE)
        return cls(names=frozenset(names)) if names else None

    def start(self) -> int:
        return 0

    def observe(self, memory: int, event: Event | Notice, facts: Facts) -> int:
        match event:
            case Ruled(policy="stop_after_successful_tools"):
                return facts.iteration
            case _:
                return memory

    def review(self, memory: int, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Close) or memory == proposal.turn:
            return PASS
        if self.names.isdisjoint(facts.turn.successful_tool_names):
            return PASS
        return Stop(Outcome("done", "stop_after_tool"), is_gated=True)
