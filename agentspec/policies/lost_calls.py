"""lost_calls: a reply whose tool calls came unusable is no answer; the model is told, twice at most in a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.orders import Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Proposal, Take
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Feedback, Refuse, Ruling, Stop, Tell
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import fill, wording
from agentspec.spec.settings import Settings

MOST_IN_A_ROW = 2


class Lost(Record, frozen=True):
    """Replies in a row whose calls were all lost, and whether the model has been told of the open reply's."""

    in_a_row: int = 0
    is_told: bool = False


class LostCalls(Policy[Lost], frozen=True):
    """Beside calls that can be used the loss is only told; a reply with nothing usable costs a turn."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 5
    claims: ClassVar = ("execution.recover.malformed_call",)
    hears: ClassVar = (ModelReplied, Ruled)
    reviews: ClassVar = (Take,)

    words: str
    beside: str
    tells: bool = True

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:  # noqa: ARG003 - the shape
        return cls(
            words=wording(settings, "reply.lost_call"),
            beside=wording(settings, "reply.lost_beside"),
            tells=settings.get("execution.recover.malformed_call") is not False,
        )

    def start(self) -> Lost:
        return Lost()

    def observe(self, memory: Lost, event: Event | Notice, facts: Facts) -> Lost:  # noqa: ARG002 - the shape
        match event:
            case ModelReplied(reply=reply):
                return Lost(memory.in_a_row + 1 if reply.lost and not reply.calls else 0)
            case Ruled(policy="lost_calls", ruling=Tell()):
                return replace(memory, is_told=True)
            case _:
                return memory

    def review(self, memory: Lost, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Take) or not proposal.reply.lost or memory.is_told:
            return PASS
        lost = "; ".join(proposal.reply.lost)
        if proposal.reply.calls:
            if not self.tells:
                return PASS
            return Tell(Feedback("lost_call", fill(self.beside, lost=lost), source="lost_calls"))
        if memory.in_a_row > MOST_IN_A_ROW:
            detail = f"{memory.in_a_row} replies in a row lost their calls: {lost}"
            return Stop(Outcome("error", "parse_dropped", detail=detail))
        told = Feedback("lost_call", fill(self.words, lost=lost), source="lost_calls") if self.tells else None
        return Refuse("its calls could not be read", reply="keep", tell=told)
