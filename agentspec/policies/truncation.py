"""truncation: an answer that the output limit cut off is not an answer; the model is told, twice at most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from agentspec.core.events import Event, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.orders import Outcome
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.proposals import Proposal, Take
from agentspec.core.rulings import PASS, Feedback, Refuse, Ruling, Stop
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

MOST_IN_A_ROW = 2
WORDS = "Your last reply was cut off by the output limit. Go on from where it ended, or answer more briefly."


class Truncation(Policy[int], frozen=True):
    """Memory: replies in a row that were cut off without a call."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 10
    hears: ClassVar = (ModelReplied,)
    reviews: ClassVar = (Take,)

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:  # noqa: ARG003 - the shape
        return cls()

    def start(self) -> int:
        return 0

    def observe(self, memory: int, event: Event | Notice, facts: Facts) -> int:  # noqa: ARG002 - the shape
        if not isinstance(event, ModelReplied):
            return memory
        return memory + 1 if event.reply.finish == "length" and not event.reply.calls else 0

    def review(self, memory: int, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Take) or memory == 0:
            return PASS
        if memory > MOST_IN_A_ROW:
            detail = f"{memory} replies in a row were cut off by the output limit"
            return Stop(Outcome("failed", "output_truncated", detail=detail))
        return Refuse("cut off by the output limit", keep=True, tell=Feedback("truncated", WORDS, source="truncation"))
