"""nudge: a reply that neither acts nor answers is asked for once more, then nudged, a counted number of times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.orders import Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Proposal, Take
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Feedback, Refuse, Ruling, Stop
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

WORDS = "Your last reply was empty. Call a tool, or answer the task in text."


class Barren(Record, frozen=True):
    """Replies in a row that held nothing, and the nudges given since the last tool call."""

    empties: int = 0
    nudges: int = 0


class Nudge(Policy[Barren], frozen=True):
    """The first empty reply is asked for again in the same turn; the next is a nudge, and a turn of its own."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 20
    claims: ClassVar = ("execution.max_nudges", "execution.nudge")
    hears: ClassVar = (ModelReplied, Ruled)
    reviews: ClassVar = (Take,)

    most: int
    words: str = WORDS

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:  # noqa: ARG003 - the shape
        return cls(most=settings.whole("execution.max_nudges") or 0, words=settings.text("execution.nudge") or WORDS)

    def start(self) -> Barren:
        return Barren()

    def observe(self, memory: Barren, event: Event | Notice, facts: Facts) -> Barren:  # noqa: ARG002 - the shape
        match event:
            case ModelReplied(reply=reply) if reply.calls:
                return Barren()
            case ModelReplied(reply=reply):
                return replace(memory, empties=0 if reply.text.strip() else memory.empties + 1)
            case Ruled(policy="nudge", ruling=Refuse(reply="keep")):
                return replace(memory, nudges=memory.nudges + 1)
            case _:
                return memory

    def review(self, memory: Barren, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Take) or memory.empties == 0:
            return PASS
        if memory.empties == 1:
            return Refuse("an empty reply is asked for again")
        if memory.nudges >= self.most:
            detail = f"{memory.empties} empty replies in a row, {memory.nudges} nudges"
            return Stop(Outcome("stuck", "max_nudges", place="execution.max_nudges", detail=detail))
        return Refuse("an empty reply", reply="keep", tell=Feedback("nudge", self.words, source="nudge"))
