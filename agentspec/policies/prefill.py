"""prefill: have an answer that was cut off gone on with, by giving its beginning back to the model that wrote it.

Only where that model takes it, and only plain text: no call and no thought is ever given back in halves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.formats.contract import schema_of
from agentspec.core.messages import Reply
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnEnded
from agentspec.core.proposals import Proposal, Take, Think
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Refuse, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.routes import routes_of
from agentspec.spec.settings import Settings

MOST = 8  # times in a row: an answer of so many parts is no answer any more


class Begun(Record, frozen=True):
    """The `text` that the open turn has so far, and from which route; none where `route` is None.

    `parts` counts beginnings since the last answer that was whole, `answering` is the route of the newest reply.
    """

    text: str = ""
    route: int | None = None
    parts: int = 0
    answering: int = 0

    def over(self) -> Begun:
        """Nothing is begun any more."""
        return self if self.route is None else replace(self, text="", route=None)


class Prefill(Policy[Begun], frozen=True):
    """Which routes are given the beginning of their own answer, where it was cut off at its limit."""

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 7  # after the route is known, and before limits, which count what is sent
    claims: ClassVar = ("model.prefill",)
    hears: ClassVar = (ModelReplied, Ruled, TurnEnded)
    reviews: ClassVar = (Think, Take)

    takers: frozenset[int]

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        if schema_of(settings) is not None:  # an answer that is held to a schema begins where that does
            return None
        routes = routes_of(settings.get("model"))
        takers = frozenset(route.number for route in routes if route.model.get("prefill") == "on")
        return cls(takers=takers) if takers else None

    def start(self) -> Begun:
        return Begun()

    def observe(self, memory: Begun, event: Event | Notice, facts: Facts) -> Begun:  # noqa: ARG002 - the shape
        match event:
            case ModelReplied(reply=reply):
                parts = memory.parts if reply.finish == "length" else 0
                return replace(memory, answering=event.route, parts=parts)
            case Ruled(policy="prefill", proposal=Take(reply=reply), ruling=Refuse()):
                text, route = reply.text.rstrip(), memory.answering  # no model takes white space at the end
                return replace(memory, text=text, route=route, parts=memory.parts + 1)
            case TurnEnded() | Ruled(proposal=Take()):
                return memory.over()
            case _:
                return memory

    def review(self, memory: Begun, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        match proposal:
            case Think() if memory.route is not None and proposal.route == memory.route and not proposal.is_last:
                return Rewrite(replace(proposal.going_on(memory.text), is_mirrored=False))
            case Take(is_last=False) if self._goes_on(memory, proposal.reply):
                return Refuse("the answer is gone on with")
            case _:
                return PASS

    def _goes_on(self, memory: Begun, reply: Reply) -> bool:
        """Whether a reply is a beginning: text that its limit has cut, and more of it than before."""
        is_plain = not (reply.calls or reply.lost or reply.raw or reply.reasoning or reply.extra)
        is_more = len(reply.text.rstrip()) > len(memory.text)
        is_begun = reply.finish == "length" and is_plain and is_more
        return is_begun and memory.answering in self.takers and memory.parts < MOST
