"""sentinel: tell the model the word with which it says that it is done, and propose the end when it does.

Beside calls, the calls are run first. Only what the model itself wrote in this run counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.formats.sentinel import sentinel_of
from agentspec.core.orders import Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Close, End, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Feedback, Rewrite, Ruling, Stop, Tell
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import fill, wording
from agentspec.spec.settings import Settings

UNCLAIMED = ("natural", "completed")


class Said(Record, frozen=True):
    """Whether the newest reply holds the word, the newest visible text, and what was done about it in which turn."""

    has_word: bool = False
    text: str = ""
    told_in: int = 0
    proposed_in: int = 0


class Sentinel(Policy[Said], frozen=True):
    """The word stands at the end of every request, since nothing that the harness said stays in the conversation."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 2
    claims: ClassVar = ("execution.done_sentinel", "execution.turn_policy.allow_done_sentinel")
    hears: ClassVar = (ModelReplied, Ruled)
    reviews: ClassVar = (Think, Close, End)
    publishes: ClassVar = "sentinel"

    word: str
    words: str

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        word = sentinel_of(settings, has_tools=bool(tools))
        return None if word is None else cls(word=word, words=wording(settings, "sentinel.reminder"))

    def start(self) -> Said:
        return Said()

    def observe(self, memory: Said, event: Event | Notice, facts: Facts) -> Said:
        match event:
            case ModelReplied(reply=reply):
                return replace(memory, has_word=reply.has_sentinel, text=reply.text or memory.text)
            case Ruled(policy="sentinel", proposal=Think(turn=turn)):
                return replace(memory, told_in=turn)
            case Ruled(policy="sentinel"):
                return replace(memory, proposed_in=facts.iteration)
            case _:
                return memory

    def review(self, memory: Said, proposal: Proposal, facts: Facts) -> Ruling:
        match proposal:
            case Think(turn=turn, attempt=1, is_last=False) if turn > memory.told_in:
                words = fill(self.words, word=self.word)
                return Tell(Feedback("done_sentinel", words, action="inform", source="sentinel"))
            case Close(turn=turn) if memory.has_word and facts.results and turn > memory.proposed_in:
                return Stop(Outcome("done", "sentinel"), is_gated=True)
            case End(outcome=outcome, is_gated=True) if memory.has_word and outcome.reason in UNCLAIMED:
                said = replace(proposal, outcome=replace(outcome, reason="sentinel"))
                return Rewrite(said if said.answer else replace(said, answer=memory.text))
            case _:
                return PASS

    def publish(self, memory: Said) -> str:  # noqa: ARG002 - the shape
        return self.word
