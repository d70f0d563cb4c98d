"""fallback: ask another model where a route has failed for good. It chooses no route for a turn that goes well.

The retries of a route come first. Whoever stands in does so for the open turn only; where all have failed, the first
failure is the one that the run ends with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Event, ModelFailed
from agentspec.core.facts import Facts
from agentspec.core.messages import Failure
from agentspec.core.models.patience import LASTING
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnEnded
from agentspec.core.proposals import End, Proposal
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Refuse, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.routes import fallbacks_of, labels_of
from agentspec.spec.settings import Settings


class Fallen(Record, frozen=True):
    """The routes that have failed for good in the open turn, the first of their failures, and who stands in.

    `failing` is the route of the newest failure.
    """

    failing: int = 0
    failed: tuple[int, ...] = ()
    first: Failure | None = None
    stand_in: int | None = None


FRESH = Fallen()


class Fallback(Policy[Fallen], frozen=True):
    """Which models are asked, in which order, when one has failed and its retries are over."""

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 35  # after retry
    claims: ClassVar = ("model.fallback",)
    hears: ClassVar = (ModelFailed, Ruled, TurnEnded)
    reviews: ClassVar = (End,)
    publishes: ClassVar = "stand_in"

    order: tuple[int, ...]
    labels: tuple[str, ...]

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        order = fallbacks_of(settings.get("model"))
        return cls(order=order, labels=labels_of(settings.get("model"))) if order else None

    def start(self) -> Fallen:
        return FRESH

    def observe(self, memory: Fallen, event: Event | Notice, facts: Facts) -> Fallen:  # noqa: ARG002 - the shape
        match event:
            case ModelFailed():
                return replace(memory, failing=event.route)
            case Ruled(policy="fallback", ruling=Refuse(), proposal=End(outcome=outcome)):
                failed = (*memory.failed, memory.failing)
                first = memory.first or outcome.failure
                return replace(memory, failed=failed, first=first, stand_in=self._next(failed))
            case TurnEnded():
                return memory if memory == FRESH else FRESH
            case _:
                return memory

    def review(self, memory: Fallen, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        failure = proposal.outcome.failure if isinstance(proposal, End) else None
        if failure is None or not isinstance(proposal, End) or failure.limit:
            return PASS
        if failure.category not in LASTING and self._next((*memory.failed, memory.failing)) is not None:
            return Refuse("another model is asked")
        return PASS if memory.first is None else Rewrite(_with_first(proposal, memory.first, self._tried(memory)))

    def _next(self, failed: tuple[int, ...]) -> int | None:
        return next((route for route in self.order if route not in failed), None)

    def _tried(self, memory: Fallen) -> str:
        others = (*memory.failed[1:], memory.failing)
        return ", ".join(f"`{self.labels[route]}`" for route in others)

    def publish(self, memory: Fallen) -> int | None:
        return memory.stand_in


def _with_first(end: End, first: Failure, tried: str) -> End:
    """The end with the failure of the model that was asked first; the others are named."""
    failure = replace(first, message=f"{first.message}; what stood in failed as well: {tried}")
    return replace(end, outcome=replace(end.outcome, status="provider_error", reason=failure.category, failure=failure))
