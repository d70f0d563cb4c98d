"""tool_format: how calls are written; a format that the provider refuses is left for the rest of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event, ModelFailed
from agentspec.core.facts import Facts
from agentspec.core.orders import Note, ToolFormat
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import End, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.replies import refuses_format
from agentspec.core.rulings import PASS, Refuse, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings


class Written(Record, frozen=True):
    """The format of the run now. `is_constrained`: its answers are held to a schema where it has one.

    `is_refused` is set while the last call failed for the format that was left.
    """

    format: ToolFormat = "native"
    is_constrained: bool = True
    is_refused: bool = False


# What follows on a refusal, where the spec leaves the format open and where it asks for `json`.
AUTO: dict[Written, Written] = {
    Written("native"): Written("json"),
    Written("json"): Written("text"),
}
JSON: dict[Written, Written] = {Written("json"): Written("json", is_constrained=False)}


class ToolFormatPolicy(Policy[Written], frozen=True):
    """The format of the calls: native, one JSON step a turn, or tagged text."""

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 25
    claims: ClassVar = ("model.tool_format",)
    hears: ClassVar = (ModelFailed, Ruled)
    reviews: ClassVar = (Think, End)
    publishes: ClassVar = "tool_format"
    announces: ClassVar = True

    first: ToolFormat
    next: dict[Written, Written]

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:  # noqa: ARG003 - the shape
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

    def observe(self, memory: Written, event: Event | Notice, facts: Facts) -> Written:  # noqa: ARG002 - the shape
        match event:
            case ModelFailed() if refuses_format(event.failure):
                following = self.next.get(replace(memory, is_refused=False))
                return memory if following is None else replace(following, is_refused=True)
            case Ruled(policy="tool_format"):
                return replace(memory, is_refused=False)
            case _:
                return memory

    def review(self, memory: Written, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        match proposal:
            case Think() if memory.format != "native":
                return Rewrite(replace(proposal, format=memory.format, is_constrained=memory.is_constrained))
            case End(outcome=outcome) if memory.is_refused and outcome.failure is not None:
                return Refuse("the model is asked again in another format")
            case _:
                return PASS

    def publish(self, memory: Written) -> ToolFormat:
        return memory.format

    def notes(self, before: Written, after: Written) -> tuple[Note, ...]:
        if not after.is_refused or before.is_refused:
            return ()
        fields = {"from": before.format, "to": after.format, "constrained": after.is_constrained}
        return (Note(event="format_changed", fields=fields),)
