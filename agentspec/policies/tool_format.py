"""tool_format: how calls and answers are written; what the provider refuses is left for the rest of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event, ModelFailed
from agentspec.core.facts import Facts
from agentspec.core.formats.contract import held_schema
from agentspec.core.messages import Failure
from agentspec.core.orders import Note, ToolFormat
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import End, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.replies import refuses_format
from agentspec.core.rulings import PASS, Refuse, Rewrite, Ruling
from agentspec.core.sentinel import sentinel_of
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings


class Written(Record, frozen=True):
    """The format of the run now. `is_constrained`: its answers are held to a schema where it has one.

    `is_refused` is set while the last call failed for the format that was left. `breaks` are the calls of turn
    `broken_in` that broke the server, which some do over a schema that they cannot take.
    """

    format: ToolFormat = "native"
    is_constrained: bool = True
    is_refused: bool = False
    breaks: int = 0
    broken_in: int = 0


BREAKS = 2  # of a server, after which it is asked without a schema
# What follows on a refusal, where the spec leaves the format open and where it asks for `json`.
AUTO: dict[Written, Written] = {
    Written("native"): Written("json"),
    Written("json"): Written("text"),
}
JSON: dict[Written, Written] = {Written("json"): Written("json", is_constrained=False)}
HELD: dict[Written, Written] = {Written("native"): Written("native", is_constrained=False)}


class ToolFormatPolicy(Policy[Written], frozen=True):
    """The format of the calls: native, one JSON step a turn, or tagged text. Where there are none to make, whether the
    answer is held to the schema that it owes.
    """

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 25
    claims: ClassVar = ("model.tool_format",)
    hears: ClassVar = (ModelFailed, Ruled)
    reviews: ClassVar = (Think, End)
    publishes: ClassVar = ("tool_format", "is_constrained")
    announces: ClassVar = True

    first: ToolFormat
    next: dict[Written, Written]
    is_held: bool = False

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:
        sentinel = sentinel_of(settings, has_tools=bool(tools))
        if held_schema(settings, has_tools=bool(tools), sentinel=sentinel) is not None:
            return cls(first="native", next=HELD, is_held=True)
        match settings.text("model.tool_format"):
            case "native":
                return cls(first="native", next={})
            case "json":
                return cls(first="json", next=JSON)
            case "text":
                return cls(first="text", next={})
            case _:
                return cls(first="native", next=AUTO)

    def start(self) -> Written:
        return Written(self.first)

    def observe(self, memory: Written, event: Event | Notice, facts: Facts) -> Written:
        match event:
            case ModelFailed():
                return self._failed(memory, event.failure, facts.iteration)
            case Ruled(policy="tool_format"):
                return replace(memory, is_refused=False)
            case _:
                return memory

    def _failed(self, memory: Written, failure: Failure, turn: int) -> Written:
        has_schema = memory.is_constrained and (memory.format == "json" or self.is_held)
        before = memory.breaks if memory.broken_in == turn else 0
        breaks = before + 1 if has_schema and failure.category == "server_error" else 0
        following = self.next.get(Written(memory.format, memory.is_constrained))
        is_broken = breaks >= BREAKS and following is not None and following.format == memory.format
        if following is not None and (is_broken or refuses_format(failure)):
            return replace(following, is_refused=True)
        return memory if breaks == memory.breaks == 0 else replace(memory, breaks=breaks, broken_in=turn)

    def review(self, memory: Written, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        match proposal:
            case Think() if memory.format != "native" or not memory.is_constrained:
                return Rewrite(replace(proposal, format=memory.format, is_constrained=memory.is_constrained))
            case End(outcome=outcome) if memory.is_refused and outcome.failure is not None:
                return Refuse("the model is asked again in another format")
            case _:
                return PASS

    def publish(self, memory: Written) -> tuple[ToolFormat, bool]:
        return memory.format, memory.is_constrained

    def notes(self, before: Written, after: Written) -> tuple[Note, ...]:
        if not after.is_refused or before.is_refused:
            return ()
        fields = {"from": before.format, "to": after.format, "constrained": after.is_constrained}
        return (Note(event="format_changed", fields=fields),)
