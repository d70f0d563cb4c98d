"""progress_tool: what the model says about its progress is an event of the run, for whoever watches it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event, ToolReturned
from agentspec.core.facts import Facts
from agentspec.core.offer.narrowing import PROGRESS
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.record import Record
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings


class Reported(Record, frozen=True):
    """How many reports there were, and the last of them."""

    told: int = 0
    fields: dict[str, Any] = {}


class ProgressTool(Policy[Reported], frozen=True):
    """Tells the event stream, and nobody else: a report is no progress by itself."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 96
    claims: ClassVar = ("capability.progress_tool",)
    hears: ClassVar = (ToolReturned,)
    announces: ClassVar = True

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        return cls() if settings.flag("capability.progress_tool") and PROGRESS in tools else None

    def start(self) -> Reported:
        return Reported()

    def observe(self, memory: Reported, event: Event | Notice, facts: Facts) -> Reported:
        if not isinstance(event, ToolReturned) or event.call.name != PROGRESS or not event.result.ok:
            return memory
        said = event.result.arguments if isinstance(event.result.arguments, Mapping) else {}
        fields = {"turn": facts.iteration, "message": said.get("message"), "percent": said.get("percent")}
        return replace(memory, told=memory.told + 1, fields=fields)

    def notes(self, before: Reported, after: Reported) -> tuple[Note, ...]:  # noqa: ARG002 - the shape
        return (Note(event="progress_reported", fields=after.fields),)
