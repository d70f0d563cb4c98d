"""provider_tools: what the provider has run itself while it answered is an event of the run, for whoever watches it.

It decides nothing: a provider asks nobody. What must not be run is not offered to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from agentspec.compose.provider_tools import EFFECTS, MOST
from agentspec.core.events import Event, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.offer.native import SEARCH
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.record import Record
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

MOST_TOLD = 64  # calls of one reply that are told of


class Served(Record, frozen=True):
    """How many calls there were, and those of the last reply that had any."""

    count: int = 0
    told: tuple[dict[str, Any], ...] = ()


class ProviderTools(Policy[Served], frozen=True):
    """Tells the event stream of each call."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 97
    claims: ClassVar = ("capability.provider_tools",)
    hears: ClassVar = (ModelReplied,)
    announces: ClassVar = True

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        return cls() if settings.get("capability.provider_tools") else None

    def start(self) -> Served:
        return Served()

    def observe(self, memory: Served, event: Event | Notice, facts: Facts) -> Served:
        if not isinstance(event, ModelReplied):
            return memory
        calls = [call for call in event.reply.provider_calls if call.name != SEARCH]
        if not calls:
            return memory
        told = tuple(
            {
                "turn": facts.iteration,
                "provider": event.reply.provider,
                "name": call.name,
                "call_id": call.id,
                "arguments": call.arguments,
                "status": call.status,
                "effect": EFFECTS.get(call.name, MOST),
            }
            for call in calls[:MOST_TOLD]
        )
        return Served(memory.count + len(calls), told)

    def notes(self, before: Served, after: Served) -> tuple[Note, ...]:  # noqa: ARG002 - the shape
        return tuple(Note(event="provider_tool_call", fields=fields) for fields in after.told)
