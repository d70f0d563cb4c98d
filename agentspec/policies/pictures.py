"""pictures: show the newest images of a long conversation, and tell of older ones in words.

They are sent with every request, and each costs as much as a page of text. What is recorded keeps them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.context.pictures import NAME, fitting, without_old_ones
from agentspec.core.context.room import rooms_of
from agentspec.core.events import Event, RunStarted, ToolReturned
from agentspec.core.facts import Facts
from agentspec.core.messages import PICTURED
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.proposals import Proposal, Think
from agentspec.core.rulings import PASS, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import wording
from agentspec.spec.settings import Settings


class Pictures(Policy[int], frozen=True):
    """How many images a request shows, by the room of its route. Memory: how many there are, the opening's included."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 94  # of what the other lenses show, and before a compaction, which needs the room
    hears: ClassVar = (RunStarted, ToolReturned)
    reviews: ClassVar = (Think,)

    fits: tuple[int, ...]  # by route
    words: str

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        if not any(tool.server for tool in tools.values()):  # no other tool brings images
            return None
        return cls(fits=tuple(map(fitting, rooms_of(settings))), words=wording(settings, "context.picture"))

    def start(self) -> int:
        return 0

    def observe(self, memory: int, event: Event | Notice, facts: Facts) -> int:  # noqa: ARG002 - the shape
        match event:
            case ToolReturned(result=result):
                return memory + len(result.pictures)
            case RunStarted(opening=opening):
                return sum(len(message.pictures) for message in opening if isinstance(message, PICTURED))
            case _:
                return memory

    def review(self, memory: int, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Think):
            return PASS
        fits = self.fits[proposal.route]
        if memory <= fits:
            return PASS
        edits = without_old_ones(proposal.transcript, proposal.view, fits, self.words)
        shaped = proposal.view.with_lens(NAME, self.number, edits)
        return PASS if shaped is proposal.view else Rewrite(replace(proposal, view=shaped))
