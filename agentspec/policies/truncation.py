"""truncation: a reply that was cut off, or stopped for a reason that nobody knows, is no answer; told twice at most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from agentspec.core.events import Event, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.messages import Reply
from agentspec.core.orders import Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Proposal, Take
from agentspec.core.rulings import PASS, Feedback, Refuse, Ruling, Stop
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import fill, wording
from agentspec.spec.settings import Settings

MOST_IN_A_ROW = 2
CUT = ("length", "pause", "other")
PREVIEW = 40


class Truncation(Policy[int], frozen=True):
    """Memory: replies in a row that stopped early without a call. A word that nobody knows is not read as done."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 10
    hears: ClassVar = (ModelReplied, Ruled)
    reviews: ClassVar = (Take,)

    cut_off: str
    unfinished: str

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:  # noqa: ARG003 - the shape
        return cls(cut_off=wording(settings, "reply.cut_off"), unfinished=wording(settings, "reply.unfinished"))

    def start(self) -> int:
        return 0

    def observe(self, memory: int, event: Event | Notice, facts: Facts) -> int:  # noqa: ARG002 - the shape
        match event:
            case ModelReplied(reply=reply):
                return memory + 1 if reply.finish in CUT and not reply.calls else 0
            case Ruled(policy="prefill", proposal=Take()):  # the reply is gone on with
                return memory - 1
            case _:
                return memory

    def review(self, memory: int, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Take) or memory == 0:
            return PASS
        if memory > MOST_IN_A_ROW:
            return Stop(
                Outcome("failed", "output_truncated", detail=f"{memory} replies in a row {_how(proposal.reply)}")
            )
        words = self.cut_off if proposal.reply.finish == "length" else self.unfinished
        words = fill(words, word=_word(proposal.reply))
        told = Feedback("truncated", words, source="truncation")
        return Refuse("the reply is not finished", reply="keep", tell=told)


def _how(reply: Reply) -> str:
    return "were cut off by the output limit" if reply.finish == "length" else f"stopped with `{_word(reply)}`"


def _word(reply: Reply) -> str:
    return reply.finish_text[:PREVIEW]
