"""limits: stop a run at the hard bounds that its spec sets, each with its own reason.

Bounds are asked before the next call; nothing here looks at a clock: the time is that of the newest event.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import DeadlineReached, Event, ModelFailed, ModelReplied, ToolReturned
from agentspec.core.facts import Facts, UsageFacts
from agentspec.core.orders import Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Act, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Refuse, Ruling, Stop
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

PLACE = "execution.limits"


class Spent(Record, frozen=True):
    """What the run has used so far. `reached` is the bound on time that ran out while something was in flight."""

    input_tokens: int = 0
    output_tokens: int = 0
    context_tokens: int = 0
    provider_calls: int = 0
    failures_in_a_row: int = 0
    has_skipped: bool = False
    reached: str | None = None


class Limits(Policy[Spent], frozen=True):
    """Hard bounds on what one run may use: time, tokens, calls, failures in a row.

    `tool_calls` counts the calls that ran; those of a batch beyond the bound are answered `skipped`.
    """

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 10
    claims: ClassVar = tuple(
        f"{PLACE}.{name}" for name in ("wall_clock", "tokens", "tool_calls", "provider_calls", "consecutive_failures")
    )
    hears: ClassVar = (ModelReplied, ModelFailed, ToolReturned, DeadlineReached, Ruled)
    reviews: ClassVar = (Think, Act)
    publishes: ClassVar = "usage"

    wall_clock: float | None = None
    tokens: int | None = None
    tool_calls: int | None = None
    provider_calls: int | None = None
    consecutive_failures: int | None = None

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:  # noqa: ARG003 - the shape
        return cls(
            wall_clock=settings.seconds(f"{PLACE}.wall_clock"),
            tokens=settings.whole(f"{PLACE}.tokens"),
            tool_calls=settings.whole(f"{PLACE}.tool_calls"),
            provider_calls=settings.whole(f"{PLACE}.provider_calls"),
            consecutive_failures=settings.whole(f"{PLACE}.consecutive_failures"),
        )

    def start(self) -> Spent:
        return Spent()

    def observe(self, memory: Spent, event: Event | Notice, facts: Facts) -> Spent:  # noqa: ARG002 - the shape
        match event:
            case ModelReplied():
                usage = event.reply.usage
                return replace(
                    memory,
                    input_tokens=memory.input_tokens + usage.input_tokens,
                    output_tokens=memory.output_tokens + usage.output_tokens,
                    context_tokens=usage.input_tokens + usage.output_tokens,
                    provider_calls=memory.provider_calls + 1,
                )
            case ModelFailed():
                return replace(memory, provider_calls=memory.provider_calls + 1)
            case ToolReturned():
                failed = event.result.status in ("error", "timeout")
                return replace(memory, failures_in_a_row=memory.failures_in_a_row + 1 if failed else 0)
            case Ruled(policy="limits", ruling=Refuse()):
                return replace(memory, has_skipped=True)
            case DeadlineReached():
                return replace(memory, reached=event.limit)
            case _:
                return memory

    def review(self, memory: Spent, proposal: Proposal, facts: Facts) -> Ruling:
        if isinstance(proposal, Act):
            if self.tool_calls is None or facts.session.calls < self.tool_calls:
                return PASS
            reason = f"not run: the run may make {self.tool_calls} tool calls (`{PLACE}.tool_calls`)"
            return Refuse(reason, status="skipped", category="limit")
        if memory.reached is not None:
            return _stop(memory.reached, "reached while something was in flight")
        for name, used, bound in self._bounds(memory, facts):
            if bound is not None and used >= bound:
                return _stop(name, f"{used:g} of {bound:g}")
        if memory.has_skipped:
            return _stop("tool_calls", f"{self.tool_calls} calls made, more were asked for")
        return PASS

    def publish(self, memory: Spent) -> UsageFacts:
        return UsageFacts(
            input_tokens=memory.input_tokens, output_tokens=memory.output_tokens, context_tokens=memory.context_tokens
        )

    def _bounds(self, spent: Spent, facts: Facts) -> tuple[tuple[str, float, float | None], ...]:
        return (
            ("wall_clock", facts.now - facts.started, self.wall_clock),
            ("tokens", spent.input_tokens + spent.output_tokens, self.tokens),
            ("provider_calls", spent.provider_calls, self.provider_calls),
            ("consecutive_failures", spent.failures_in_a_row, self.consecutive_failures),
        )


def _stop(name: str, detail: str) -> Stop:
    return Stop(Outcome("budget_exhausted", name, place=f"{PLACE}.{name}", detail=detail))
