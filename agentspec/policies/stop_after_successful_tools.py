"""stop_after_successful_tools: the success of one of these tools ends the run, if the gates of completion let it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event, ToolReturned
from agentspec.core.facts import Facts
from agentspec.core.orders import Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Act, Close, Proposal
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Refuse, Ruling, Stop
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

PLACE = "execution.stop_after_successful_tools"


ENDED = "not run: `{name}` has ended the run already, and it ends it once"


class Ending(Record, frozen=True):
    """The turn for which the end was proposed last, and the last one in which such a tool has succeeded."""

    proposed: int = 0
    succeeded: int = 0
    name: str = ""


class StopAfterSuccessfulTools(Policy[Ending], frozen=True):
    """The end is proposed once a turn, since a gate may veto it.

    The other calls of the turn are run as they came, but a second one that would end the run is not: its effect is
    that of a final word, which is given once.
    """

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 50
    claims: ClassVar = (PLACE,)
    hears: ClassVar = (Ruled, ToolReturned)
    reviews: ClassVar = (Close, Act)

    names: tuple[str, ...]

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        names = settings.get(PLACE)
        return cls(names=tuple(names)) if names else None

    def start(self) -> Ending:
        return Ending()

    def observe(self, memory: Ending, event: Event | Notice, facts: Facts) -> Ending:
        match event:
            case ToolReturned(result=result) if result.ok and result.name in self.names:
                return replace(memory, succeeded=facts.iteration, name=result.name)
            case Ruled(policy="stop_after_successful_tools", ruling=Stop()):
                return replace(memory, proposed=facts.iteration)
            case _:
                return memory

    def review(self, memory: Ending, proposal: Proposal, facts: Facts) -> Ruling:
        match proposal:
            case Act(call=call) if call.name in self.names and memory.succeeded == facts.iteration:
                return Refuse(ENDED.format(name=memory.name), status="skipped", category="ended")
            case Close(turn=turn) if memory.succeeded == turn and memory.proposed != turn:
                place = f"{PLACE}[{self.names.index(memory.name)}]"
                return Stop(Outcome("done", "stop_after_tool", place=place), is_gated=True)
            case _:
                return PASS
