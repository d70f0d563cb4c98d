"""repeated_denial: end a run that asks for nothing but what it may never have, after it has been told so once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.calls.canonical import key_of
from agentspec.core.events import Event
from agentspec.core.facts import Facts
from agentspec.core.orders import Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnEnded
from agentspec.core.proposals import Act, Admit, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Feedback, Refuse, Ruling, Stop, Tell
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import fill, wording
from agentspec.spec.settings import Settings


class Denied(Record, frozen=True):
    """The denials of the open turn, those of the turn before where there was nothing else, and what is to be done."""

    calls: tuple[tuple[str, str], ...] = ()  # name and key
    before: tuple[tuple[str, str], ...] = ()
    is_untold: bool = False
    is_over: bool = False


NONE_DENIED = Denied()


class RepeatedDenial(Policy[Denied], frozen=True):
    """Looks at denials that no answer of a person can change: ceiling, permissions, `deny` rules."""

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 14
    hears: ClassVar = (Ruled, TurnEnded)
    reviews: ClassVar = (Think,)

    words: str

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:  # noqa: ARG003 - the shape
        return cls(words=wording(settings, "gate.denied"))

    def start(self) -> Denied:
        return NONE_DENIED

    def observe(self, memory: Denied, event: Event | Notice, facts: Facts) -> Denied:
        match event:
            case Ruled(proposal=Act(call=call) | Admit(call=call), ruling=Refuse(status="denied", retryable=False)):
                return replace(memory, calls=(*memory.calls, (call.name, key_of(call))))
            case Ruled(policy="repeated_denial", ruling=Tell()):
                return replace(memory, is_untold=False)
            case Ruled(policy="repeated_denial", ruling=Stop()):
                return NONE_DENIED
            case TurnEnded():
                return self._ended(memory, facts)
            case _:
                return memory

    def _ended(self, memory: Denied, facts: Facts) -> Denied:
        if not memory.calls or len(memory.calls) < len(facts.results):
            return memory if memory == NONE_DENIED else NONE_DENIED
        denied = tuple(sorted(set(memory.calls)))
        is_again = denied == memory.before
        return Denied(before=denied, is_untold=not is_again, is_over=is_again)

    def review(self, memory: Denied, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Think) or proposal.is_last:
            return PASS
        if memory.is_over:
            detail = f"two turns in a row asked for nothing but {_names(memory)}, which is denied for good"
            return Stop(Outcome("error", "repeated_denial", detail=detail))
        if memory.is_untold:
            return Tell(Feedback("repeated_denial", fill(self.words, names=_names(memory)), source="repeated_denial"))
        return PASS


def _names(denied: Denied) -> str:
    return ", ".join(dict.fromkeys(f"`{name}`" for name, _ in denied.before))
