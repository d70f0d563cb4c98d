"""lost_calls: a reply whose tool calls came unusable is no answer; the model is told, twice at most in a row."""

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
WORDS = "Your last reply asked for a tool in a form that could not be read ({lost}), so nothing was run. Send it again."


class LostCalls(Policy[int], frozen=True):
    """Memory: replies in a row whose calls were all lost. Where one call is usable, it runs and its result tells."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 5
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
        return memory + 1 if event.reply.lost and not event.reply.calls else 0

    def review(self, memory: int, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Take) or memory == 0:
            return PASS
        lost = "; ".join(proposal.reply.lost)
        if memory > MOST_IN_A_ROW:
            return Stop(Outcome("error", "parse_dropped", detail=f"{memory} replies in a row lost their calls: {lost}"))
        words = WORDS.format(lost=lost)
        return Refuse("its calls could not be read", keep=True, tell=Feedback("lost_call", words, source="lost_calls"))
