"""tool_format: how calls and answers are written; what the provider refuses is left for the rest of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple, Self

from msgspec.structs import replace

from agentspec.core.events import Event, ModelFailed, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.formats.contract import held_schema
from agentspec.core.formats.sentinel import sentinel_of
from agentspec.core.messages import Failure
from agentspec.core.models.replies import refuses_format
from agentspec.core.orders import Note, ToolFormat
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import End, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Refuse, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.routes import routes_of
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


PLAIN = Written()
BREAKS = 2  # of a server, after which it is asked without a schema
# What follows on a refusal, where the spec leaves the format open and where it asks for `json`.
AUTO: dict[Written, Written] = {
    Written("native"): Written("json"),
    Written("json"): Written("text"),
}
JSON: dict[Written, Written] = {Written("json"): Written("json", is_constrained=False)}
HELD: dict[Written, Written] = {Written("native"): Written("native", is_constrained=False)}


class Way(NamedTuple):
    """The format that a route begins with, and what follows on each that it refuses."""

    first: ToolFormat
    next: dict[Written, Written]


WAYS: dict[str, Way] = {
    "auto": Way("native", AUTO),
    "native": Way("native", {}),
    "json": Way("json", JSON),
    "text": Way("text", {}),
}


class Formats(Record, frozen=True):
    """What every route is asked in, by its number, and the route that answered last."""

    written: tuple[Written, ...]
    route: int = 0

    @property
    def now(self) -> Written:
        """That of the route that answered last."""
        return self.written[self.route]

    def having(self, route: int, written: Written) -> Formats:
        """The same with another format on this route, which has answered."""
        if route == self.route and written is self.written[route]:
            return self
        return Formats((*self.written[:route], written, *self.written[route + 1 :]), route)


class ToolFormatPolicy(Policy[Formats], frozen=True):
    """The format of the calls: native, one JSON step a turn, or tagged text. Where there are none to make, whether the
    answer is held to the schema that it owes.
    """

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 25
    claims: ClassVar = ("model.tool_format", "model.routes.*.tool_format")
    hears: ClassVar = (ModelFailed, ModelReplied, Ruled)
    reviews: ClassVar = (Think, End)
    publishes: ClassVar = ("tool_format", "is_constrained")
    announces: ClassVar = True

    ways: tuple[Way, ...]  # of the routes, by their numbers
    is_held: bool = False

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:
        routes = routes_of(settings.get("model"))
        sentinel = sentinel_of(settings, has_tools=bool(tools))
        if held_schema(settings, has_tools=bool(tools), sentinel=sentinel) is not None:
            return cls(ways=(Way("native", HELD),) * len(routes), is_held=True)
        return cls(ways=tuple(WAYS[route.model.get("tool_format") or "auto"] for route in routes))

    @property
    def idle(self) -> tuple[type[Event | Notice | Proposal], ...]:
        """With one route there is no other that may have answered."""
        return (ModelReplied,) if len(self.ways) == 1 else ()

    def start(self) -> Formats:
        return Formats(tuple(Written(way.first) for way in self.ways))

    def observe(self, memory: Formats, event: Event | Notice, facts: Facts) -> Formats:
        match event:
            case ModelReplied(route=route):
                return memory.having(route, memory.written[route])
            case ModelFailed(route=route):
                written = self._failed(memory.written[route], self.ways[route], event.failure, facts.iteration)
                return memory.having(route, written)
            case Ruled(policy="tool_format"):
                return memory.having(memory.route, replace(memory.now, is_refused=False))
            case _:
                return memory

    def _failed(self, memory: Written, way: Way, failure: Failure, turn: int) -> Written:
        has_schema = memory.is_constrained and (memory.format == "json" or self.is_held)
        before = memory.breaks if memory.broken_in == turn else 0
        breaks = before + 1 if has_schema and failure.category == "server_error" else 0
        following = way.next.get(Written(memory.format, memory.is_constrained))
        is_broken = breaks >= BREAKS and following is not None and following.format == memory.format
        if following is not None and (is_broken or refuses_format(failure)):
            return replace(following, is_refused=True)
        return memory if breaks == memory.breaks == 0 else replace(memory, breaks=breaks, broken_in=turn)

    def review(self, memory: Formats, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        match proposal:
            case Think(route=route) if (written := memory.written[route]) != PLAIN:
                return Rewrite(replace(proposal, format=written.format, is_constrained=written.is_constrained))
            case End(outcome=outcome) if memory.now.is_refused and outcome.failure is not None:
                return Refuse("the model is asked again in another format")
            case _:
                return PASS

    def publish(self, memory: Formats) -> tuple[ToolFormat, bool]:
        return memory.now.format, memory.now.is_constrained

    def notes(self, before: Formats, after: Formats) -> tuple[Note, ...]:
        left, taken = before.written[after.route], after.now
        if not taken.is_refused or left.is_refused:
            return ()
        fields = {"from": left.format, "to": taken.format, "constrained": taken.is_constrained}
        return (Note(event="format_changed", fields=fields),)
