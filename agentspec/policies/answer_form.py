"""answer_form: tell the model once what form its final answer has, where no provider holds it to one.

The words enter the transcript behind the task and stay there, so that requests keep their beginning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event, ModelFailed, ModelReplied, RunStarted
from agentspec.core.facts import Facts
from agentspec.core.formats.contract import PLACE, form_of, held_schema
from agentspec.core.formats.sentinel import sentinel_of
from agentspec.core.messages import UserMessage
from agentspec.core.policy import Notice, Policy, Stage, TurnStarted
from agentspec.core.proposals import Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings


class Saying(Record, frozen=True):
    """Whether the next request has to tell it, and whether an earlier one did."""

    is_due: bool
    is_said: bool = False


class AnswerForm(Policy[Saying], frozen=True):
    """Told before the first call of a model, or where a provider has refused to hold answers to a schema."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 60
    claims: ClassVar = (PLACE, f"{PLACE}.schema")
    hears: ClassVar = (RunStarted, TurnStarted, ModelReplied, ModelFailed)
    reviews: ClassVar = (Think,)

    words: str
    is_held: bool

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        has_tools = bool(tools)
        sentinel = sentinel_of(settings, has_tools=has_tools)
        words = form_of(settings, sentinel)
        is_held = held_schema(settings, has_tools=has_tools, sentinel=sentinel) is not None
        return cls(words=words, is_held=is_held) if words else None

    def start(self) -> Saying:
        return Saying(is_due=not self.is_held)

    def observe(self, memory: Saying, event: Event | Notice, facts: Facts) -> Saying:
        if isinstance(event, RunStarted):  # a conversation that goes on may have been told
            is_said = any(isinstance(each, UserMessage) and each.text == self.words for each in event.opening)
            return Saying(is_due=memory.is_due and not is_said, is_said=is_said)
        if memory.is_due:  # the request that has begun, or has been answered, has told it
            return Saying(is_due=False, is_said=True)
        is_due = not memory.is_said and not facts.is_constrained
        return replace(memory, is_due=True) if is_due else memory

    def review(self, memory: Saying, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not memory.is_due or not isinstance(proposal, Think) or proposal.is_last:
            return PASS
        return Rewrite(proposal.adding(self.words))
