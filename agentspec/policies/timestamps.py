"""timestamps: show when a message came in: those of people and of tools carry the time at which the model gets them.

What the model itself has said carries none: it would write times of its own. The time is that of the newest event.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.context.view import retold
from agentspec.core.facts import Facts
from agentspec.core.messages import ToolMessage, UserMessage
from agentspec.core.policy import Policy, Stage
from agentspec.core.proposals import Proposal, Think
from agentspec.core.rulings import PASS, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings
from agentspec.text.moment import utc

PLACE = "context.timestamp_messages"
NAME = "timestamps"


class Timestamps(Policy[None], frozen=True):
    """A message gets its time once, so that it is the same in every request."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 80
    claims: ClassVar = (PLACE,)
    reviews: ClassVar = (Think,)

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        return cls() if settings.flag(PLACE) else None

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Think):
            return PASS
        time = utc(facts.now)
        new = {
            place: retold(message, f"{time}\n{message.text}")
            for place, message in enumerate(proposal.transcript.since(proposal.shown.position), proposal.shown.position)
            if isinstance(message, UserMessage | ToolMessage)
        }
        if not new:
            return PASS
        view = proposal.view
        return Rewrite(replace(proposal, view=view.with_lens(NAME, self.number, {**view.edits_of(NAME), **new})))
