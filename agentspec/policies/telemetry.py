"""telemetry: each call of a tool is a span of the event stream, with the names that OpenTelemetry has for it.

Names are those of the semantic conventions for generative AI ("Execute tool span"). Nothing is sent anywhere here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.calls.layers import NUMBER, PLACE, Layer, index_of, layers_of
from agentspec.core.events import Event, ToolReturned
from agentspec.core.facts import Facts
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Act
from agentspec.core.record import Record
from agentspec.core.rulings import Supply
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings


class Spans(Record, frozen=True):
    """How many spans were told, and the last of them."""

    told: int = 0
    note: Note = Note(event="")


class Telemetry(Policy[Spans], frozen=True):
    """Calls that a layer within it answered are spans as well; those that never came so far are none."""

    stage: ClassVar = Stage.CONSENT
    number: ClassVar = NUMBER
    claims: ClassVar = (f"{PLACE}.telemetry",)
    hears: ClassVar = (ToolReturned, Ruled)
    announces: ClassVar = True

    plans: Mapping[str, ToolPlan]
    layer: Layer

    @classmethod
    def configure_all(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> tuple[Self, ...]:
        return tuple(cls(plans=tools, layer=layer) for layer in layers_of(settings, "telemetry")) if tools else ()

    @property
    def nth(self) -> int:
        return self.layer.nth

    def start(self) -> Spans:
        return Spans()

    def observe(self, memory: Spans, event: Event | Notice, facts: Facts) -> Spans:
        match event:
            case ToolReturned(call=call, result=result):
                error = "" if result.error is None else result.error.category
                seconds = result.duration_ms / 1000
                return self._told(memory, call.name, call.id, result.arguments, facts, seconds=seconds, error=error)
            case Ruled(proposal=Act(call=call, arguments=arguments), ruling=Supply(by=by)) if index_of(by) > self.nth:
                return self._told(memory, call.name, call.id, arguments, facts, by=by)
            case _:
                return memory

    def _told(
        self,
        memory: Spans,
        name: str,
        call_id: str,
        arguments: Any,
        facts: Facts,
        *,
        seconds: float = 0.0,
        error: str = "",
        by: str = "",
    ) -> Spans:
        plan = self.plans.get(name)
        known = arguments if isinstance(arguments, Mapping) else {}
        if plan is None or not self.layer.acts_on(plan, known, facts)[0]:
            return memory
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.type": "function",
            **({"error.type": error} if error else {}),
            **({"agentspec.answered_by": by} if by else {}),
        }
        fields = {
            "trace_id": _digest(facts.run_id)[:32],
            "span_id": _digest(f"{facts.run_id} {memory.told} {call_id}")[:16],
            "name": f"execute_tool {name}",
            "start": facts.now - seconds,
            "end": facts.now,
            "attributes": attributes,
        }
        return replace(memory, told=memory.told + 1, note=Note(event="span", fields=fields))

    def notes(self, before: Spans, after: Spans) -> tuple[Note, ...]:
        return (after.note,) if after.told != before.told else ()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
