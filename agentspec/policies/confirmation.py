"""confirmation: a first answer that was given without a single call is asked about once, since tools were at hand.

Once a run, and no nudge: a model that says it again is believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Proposal, Take
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Feedback, Refuse, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import wording
from agentspec.spec.settings import Settings


class Asked(Record, frozen=True):
    """Whether a call was asked for in this run, and whether the model was asked to confirm."""

    has_called: bool = False
    is_confirmed: bool = False


class Confirmation(Policy[Asked], frozen=True):
    """In loops with the provider's own calls, where a text without a call would end the run."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 30
    hears: ClassVar = (ModelReplied, Ruled)
    reviews: ClassVar = (Take,)

    words: str

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        if not tools or not settings.flag("execution.loop_until_done") or not settings.whole("execution.max_nudges"):
            return None
        return cls(words=wording(settings, "nudge.confirmation"))

    def start(self) -> Asked:
        return Asked()

    def observe(self, memory: Asked, event: Event | Notice, facts: Facts) -> Asked:  # noqa: ARG002 - the shape
        match event:
            case ModelReplied(reply=reply) if not memory.has_called and (reply.calls or reply.lost):
                return replace(memory, has_called=True)
            case Ruled(policy="confirmation"):
                return replace(memory, is_confirmed=True)
            case _:
                return memory

    def review(self, memory: Asked, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Take) or memory.has_called or memory.is_confirmed or facts.tool_format != "native":
            return PASS
        if proposal.reply.has_sentinel or not proposal.reply.text.strip():
            return PASS
        told = Feedback("completion_confirmation", self.words, source="confirmation")
        return Refuse("an answer without a call is asked about once", reply="keep", tell=told)
