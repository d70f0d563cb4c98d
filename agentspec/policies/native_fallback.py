"""native_fallback: what becomes of calls that came as text although the provider's own calls were asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from agentspec.core.events import Event, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.proposals import Proposal, Take
from agentspec.core.rulings import PASS, Feedback, Refuse, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import wording
from agentspec.spec.settings import Settings


class NativeFallback(Policy[int], frozen=True):
    """`allow` runs such calls, `allow_once` the first reply's, `reject` none. Memory: the replies that had some."""

    stage: ClassVar = Stage.VALID
    number: ClassVar = 5
    claims: ClassVar = ("model.native_tool_fallback",)
    hears: ClassVar = (ModelReplied,)
    reviews: ClassVar = (Take,)

    mode: Literal["allow_once", "reject"]
    words: str

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        words = wording(settings, "reply.call_as_text")
        match settings.text("model.native_tool_fallback"):
            case "allow_once":
                return cls(mode="allow_once", words=words)
            case "reject":
                return cls(mode="reject", words=words)
            case _:
                return None

    def start(self) -> int:
        return 0

    def observe(self, memory: int, event: Event | Notice, facts: Facts) -> int:  # noqa: ARG002 - the shape
        return memory + 1 if isinstance(event, ModelReplied) and event.reply.is_from_text else memory

    def review(self, memory: int, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Take) or not proposal.reply.is_from_text:
            return PASS
        if self.mode == "allow_once" and memory <= 1:
            return PASS
        told = Feedback("native_fallback", self.words, source="native_fallback")
        return Refuse("a call that is written as text is not taken", reply="keep", tell=told)
