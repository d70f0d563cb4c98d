"""spent: what a run has used so far, and what each fact adds to it. A fold; no bound is known here."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from agentspec.core.events import Consulted, ModelFailed, ModelReplied
from agentspec.core.limits.price import Price, cost_of_call, cost_of_mirror
from agentspec.core.limits.reserve import Measured, estimate
from agentspec.core.messages import Failure, Mirrored, Reply, ToolResult, Used
from agentspec.core.record import Record

ROUTES_KEPT = 16


class Spent(Record, frozen=True):
    """What the run has used so far.

    `first` are the tokens of its first request, `keeps` whether something is kept for last words from then on,
    `measured` is the newest request that a provider has counted. `reached` is the bound on time that ran out while
    something was in flight, `is_late` whether even its last words are over. `routes` reported no usage, so that it is
    estimated. `told` is the turn that was told what is left.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    context_tokens: int = 0
    cost_usd: float = 0.0
    provider_calls: int = 0
    tool_calls: int = 0
    failures_in_a_row: int = 0
    first: int = 0
    keeps: bool | None = None
    measured: Measured = Measured()
    has_skipped: bool = False
    reached: str | None = None
    is_late: bool = False
    is_closing: bool = False  # the last words are granted: nothing is kept for them any more
    started: float = 0.0
    paused: float = 0.0
    routes: tuple[str, ...] = ()
    told: int = 0
    elsewhere: int = 0  # of the tool calls: those of children, and of earlier runs of the session
    before: Used = Used()  # what earlier runs of the session have used; it is part of the figures above

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


def after_worker(spent: Spent, event: ModelReplied | ModelFailed, size: int, price: Price | None) -> Spent:
    """What is used when the worker's model has come back from a request of `size` bytes."""
    answer = event.reply if isinstance(event, ModelReplied) else event.failure
    usage, measured, context = answer.usage, spent.measured.on(event.route), spent.context_tokens
    first = spent.first or usage.input_tokens or estimate(measured, size)
    if usage.input_tokens:
        context = usage.input_tokens + usage.output_tokens
        measured = measured if usage.estimated else Measured(usage.input_tokens, size, event.route)
    return _after_call(spent, answer, event.ms, price, first=first, measured=measured, context_tokens=context)


def after_mirror(spent: Spent, seen: Mirrored, price: Price | None) -> Spent:
    """What is used when a second model has been asked the same."""
    return replace(
        spent,
        input_tokens=spent.input_tokens + seen.usage.input_tokens,
        output_tokens=spent.output_tokens + seen.usage.output_tokens,
        cost_usd=spent.cost_usd + cost_of_mirror(seen, price),
        provider_calls=spent.provider_calls + 1,
    )


def after_consultation(spent: Spent, event: Consulted, price: Price | None) -> Spent:
    """What is used when a model beside the worker has come back."""
    answer = event.failure if event.failure is not None else event.reply or Reply()
    return _after_call(spent, answer, event.ms, price)


def after_tool(spent: Spent, result: ToolResult) -> Spent:
    """What is used when a call of a tool has come back; that of an agent has used what its run did."""
    failed = result.status in ("error", "timeout")
    in_a_row = spent.failures_in_a_row + 1 if failed else 0
    spent = replace(spent, failures_in_a_row=in_a_row, tool_calls=spent.tool_calls + 1)
    used = result.used
    if used is None:
        return spent
    return replace(
        spent,
        input_tokens=spent.input_tokens + used.input_tokens,
        output_tokens=spent.output_tokens + used.output_tokens,
        cost_usd=spent.cost_usd + (used.cost_usd or 0.0),
        provider_calls=spent.provider_calls + used.provider_calls,
        tool_calls=spent.tool_calls + used.tool_calls,
        elsewhere=spent.elsewhere + used.tool_calls,
    )


def after_start(spent: Spent, before: Used) -> Spent:
    """What is used when a run begins whose session has used this much."""
    return replace(
        spent,
        input_tokens=before.input_tokens,
        output_tokens=before.output_tokens,
        cost_usd=before.cost_usd or 0.0,
        provider_calls=before.provider_calls,
        tool_calls=before.tool_calls,
        elsewhere=before.tool_calls,
        before=before,
    )


def _after_call(spent: Spent, answer: Reply | Failure, ms: int, price: Price | None, **more: Any) -> Spent:
    """What is used when a model has come back, with these other fields changed as well."""
    usage = answer.usage
    cost = cost_of_call(answer, price, ms)
    return replace(
        spent,
        input_tokens=spent.input_tokens + usage.input_tokens,
        output_tokens=spent.output_tokens + usage.output_tokens,
        cost_usd=spent.cost_usd + cost,
        provider_calls=spent.provider_calls + (not answer.is_unsent),
        routes=_with_route(spent.routes, f"{answer.provider}:{answer.model}") if usage.estimated else spent.routes,
        **more,
    )


def _with_route(routes: tuple[str, ...], route: str) -> tuple[str, ...]:
    return routes if route in routes else (*routes, route)[-ROUTES_KEPT:]
