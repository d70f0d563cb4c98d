"""limits: stop a run at the hard bounds that its spec sets, each with its own reason.

Nothing here looks at a clock: the time is that of the newest event. No call is made that could pass a bound: its
request is estimated, its answer capped at what is then left, and what last words need is kept for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import msgspec
from msgspec.structs import replace

from agentspec.core.events import (
    Consulted,
    DeadlineReached,
    Event,
    ModelFailed,
    ModelReplied,
    Resumed,
    RunStarted,
    ToolReturned,
)
from agentspec.core.facts import Facts, LeftFacts, UsageFacts
from agentspec.core.messages import CALL_BYTES
from agentspec.core.orders import Note, Outcome
from agentspec.core.plan import spare_of
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.price import WORKER, Price, price_for, prices_of
from agentspec.core.proposals import Act, End, Proposal, Take, Think
from agentspec.core.record import Record
from agentspec.core.reserve import estimate, least_output, output_cap, request_cost, room_of_cost
from agentspec.core.rulings import PASS, Feedback, Grant, Refuse, Rewrite, Ruling, Stop, Tell
from agentspec.core.spent import Spent, after_consultation, after_worker
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

PLACE = "execution.limits"
BOUNDING = ("wall_clock", "working_time", "tokens", "cost_usd", "tool_calls", "provider_calls")
LAST_WORDS = 1_024  # tokens of an answer that are kept for last words where nobody says how many
POTS = ("tokens", "cost_usd")
SCRIPTED = "script:"
THINKING = frozenset(("minimal", "low", "medium", "high", "max"))


class Kept(Record, frozen=True):
    """What is kept of the pots for last words."""

    tokens: int = 0
    cost: float = 0.0
    calls: int = 0


NOTHING_KEPT = Kept()
UNBOUNDED = LeftFacts()


class Limits(Policy[Spent], frozen=True):
    """Hard bounds on what one run may use: time, tokens, dollars, calls, failures in a row.

    `tool_calls` counts the calls that ran; those of a batch beyond the bound are answered `skipped`. `reserve` is how
    long an answer last words may have, None where there are none.
    """

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 10
    claims: ClassVar = (
        *(
            f"{PLACE}.{name}"
            for name in (
                "wall_clock",
                "working_time",
                "tokens",
                "cost_usd",
                "tool_calls",
                "provider_calls",
                "consecutive_failures",
                "on_missing_usage",
                "on_unknown_price",
                "show",
            )
        ),
        "execution.wrap_up",
        "model.prices",
    )
    hears: ClassVar = (
        RunStarted,
        Resumed,
        ModelReplied,
        ModelFailed,
        Consulted,
        ToolReturned,
        DeadlineReached,
        Ruled,
    )
    reviews: ClassVar = (Think, Take, Act, End)
    publishes: ClassVar = ("usage", "left")
    announces: ClassVar = True

    wall_clock: float | None = None
    working_time: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    tool_calls: int | None = None
    provider_calls: int | None = None
    consecutive_failures: int | None = None
    requires_usage: bool = False
    shows: bool = False
    prices: dict[str, Price] = {}
    longest: int | None = None  # of an answer, as the author allows it
    thinks: bool = False
    timeout: float = 120.0  # of a call
    reserve: int | None = None
    tool_bytes: int = 0
    is_bounded: bool = True  # by anything that `left` tells of

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:
        longest = settings.whole("model.max_output_tokens")
        thinks = _thinks(settings.get("model.reasoning"))
        return cls(
            wall_clock=settings.seconds(f"{PLACE}.wall_clock"),
            working_time=settings.seconds(f"{PLACE}.working_time"),
            tokens=settings.whole(f"{PLACE}.tokens"),
            cost_usd=settings.number(f"{PLACE}.cost_usd"),
            tool_calls=settings.whole(f"{PLACE}.tool_calls"),
            provider_calls=settings.whole(f"{PLACE}.provider_calls"),
            consecutive_failures=settings.whole(f"{PLACE}.consecutive_failures"),
            requires_usage=settings.text(f"{PLACE}.on_missing_usage") == "fail",
            shows=settings.flag(f"{PLACE}.show"),
            prices=prices_of(settings),
            longest=longest,
            thinks=thinks,
            timeout=settings.seconds("model.timeout") or 120.0,
            reserve=_reserve(settings.get("execution.wrap_up"), longest, thinks=thinks),
            tool_bytes=sum(map(_size_of_tool, tools.values())),
            is_bounded=any(settings.get(f"{PLACE}.{name}") is not None for name in BOUNDING),
        )

    def start(self) -> Spent:
        return Spent()

    def observe(self, memory: Spent, event: Event | Notice, facts: Facts) -> Spent:
        match event:
            case RunStarted() | Resumed():
                return replace(memory, started=facts.started, paused=facts.paused)
            case ModelFailed(failure=failure) | Consulted(failure=failure) if failure is not None and failure.limit:
                return replace(memory, reached=failure.limit, is_late=True)  # no call was made, and none will be
            case ModelReplied() | ModelFailed():
                return after_worker(memory, event, facts.request_bytes + self.tool_bytes, self._price(WORKER))
            case Consulted():
                return after_consultation(memory, event, self._price(event.asker))
            case ToolReturned():
                failed = event.result.status in ("error", "timeout")
                in_a_row = memory.failures_in_a_row + 1 if failed else 0
                return replace(memory, failures_in_a_row=in_a_row, tool_calls=memory.tool_calls + 1)
            case Ruled(policy="limits", ruling=Refuse()):
                return replace(memory, has_skipped=True)
            case Ruled(ruling=Grant()):
                return replace(memory, is_closing=True)
            case Ruled(policy="limits", ruling=Tell(), proposal=Think(turn=turn)):
                return replace(memory, told=turn)
            case DeadlineReached():
                return replace(memory, reached=event.limit, is_late=event.spare == 0)
            case _:
                return memory

    def review(self, memory: Spent, proposal: Proposal, facts: Facts) -> Ruling:
        match proposal:
            case Think():
                return self._before_request(memory, proposal, facts)
            case Act():
                return self._before_tool(memory, facts)
            case Take() if self.requires_usage and memory.routes:
                return _unreported(memory.routes[0])
            case End(outcome=outcome, is_gated=is_gated):
                if is_gated and self.requires_usage and memory.routes:
                    return _unreported(memory.routes[0])
                if outcome.failure is not None and memory.reached is not None:  # the limit, never the call it cut
                    return _in_flight(memory.reached)
                return PASS
            case _:
                return PASS

    def publish(self, memory: Spent) -> tuple[UsageFacts, LeftFacts]:
        used = UsageFacts(
            input_tokens=memory.input_tokens,
            output_tokens=memory.output_tokens,
            cost_usd=memory.cost_usd,
            context_tokens=memory.context_tokens,
        )
        return used, self._left(memory)

    def notes(self, before: Spent, after: Spent) -> tuple[Note, ...]:
        if before.routes == after.routes:
            return ()
        route = after.routes[-1]
        if route.startswith(SCRIPTED) and self.tokens is None and self.cost_usd is None:
            return ()  # a script that counts nothing is no news where nobody wants to know
        return (Note(event="usage_estimated", fields={"route": route}),)

    # --- what is left

    def _price(self, asker: str) -> Price | None:
        return price_for(self.prices, asker)

    def _kept(self, spent: Spent, request: int) -> Kept:
        """What last words need, after a request of so many tokens; nothing where that is most of a pot."""
        if self.reserve is None or spent.is_closing:
            return NOTHING_KEPT
        first = self._words(spent.first or request)
        pots = ((first.tokens, self.tokens), (first.cost, self.cost_usd), (first.calls, self.provider_calls))
        if any(pot is not None and need > pot / 2 for need, pot in pots):
            return NOTHING_KEPT
        return self._words(request)

    def _words(self, request: int) -> Kept:
        reserve, price = self.reserve or 0, self._price(WORKER)
        cost = 0.0
        if price is not None:
            cost = request_cost(request, price, seconds=self.timeout) + reserve * price.output / 1e6
        return Kept(tokens=request + reserve, cost=cost, calls=1)

    def _left(self, spent: Spent) -> LeftFacts:
        if not self.is_bounded:
            return UNBOUNDED
        kept = self._kept(spent, estimate(spent.measured, spent.measured.size) or spent.first)
        ends = [
            spent.started + bound - self._spare(bound) + pause
            for bound, pause in ((self.wall_clock, 0.0), (self.working_time, spent.paused))
            if bound is not None
        ]
        return LeftFacts(
            tokens=None if self.tokens is None else max(0, self.tokens - spent.tokens - kept.tokens),
            cost_usd=None if self.cost_usd is None else max(0.0, self.cost_usd - spent.cost_usd - kept.cost),
            provider_calls=(
                None if self.provider_calls is None else max(0, self.provider_calls - spent.provider_calls - kept.calls)
            ),
            tool_calls=None if self.tool_calls is None else max(0, self.tool_calls - spent.tool_calls),
            deadline=min(ends, default=None),
            keeps_last_words=kept.calls > 0,
        )

    def _spare(self, bound: float) -> float:
        return 0.0 if self.reserve is None else spare_of(bound)

    # --- what may be done

    def _before_tool(self, spent: Spent, facts: Facts) -> Ruling:
        """No tool runs once nothing is left to read its result with."""
        used_up = self._used_up(spent, facts, is_last=False, calls=0)
        if used_up is not None and used_up.outcome.reason not in ("provider_calls", "consecutive_failures"):
            return used_up
        if self.tool_calls is None or facts.session.calls < self.tool_calls:
            return PASS
        reason = f"not run: the run may make {self.tool_calls} tool calls (`{PLACE}.tool_calls`)"
        return Refuse(reason, status="skipped", category="limit")

    def _before_request(self, spent: Spent, think: Think, facts: Facts) -> Ruling:
        request = estimate(spent.measured, think.size + self.tool_bytes)
        kept = self._kept(spent, request)
        used_up = self._used_up(spent, facts, is_last=think.is_last, calls=kept.calls)
        if used_up is not None:
            return used_up
        if spent.has_skipped and not think.is_last:
            return _stop("tool_calls", f"{self.tool_calls} calls made, more were asked for")
        rooms = self._rooms(spent, request, kept)
        least = least_output(self.longest, thinks=self.thinks)
        for name, used, room in rooms:
            if room < least:
                return _stop(name, f"{used}, and the next call needs more than is left")
        if self.shows and not think.is_last and spent.told != think.turn and think.attempt == 1:
            return Tell(Feedback("limits", _words_of(self._left(spent), facts.now), action="inform", source="limits"))
        cap = output_cap(min(room for _, _, room in rooms), self.longest) if rooms else None
        return PASS if cap is None else Rewrite(replace(think, max_output_tokens=cap))

    def _rooms(self, spent: Spent, request: int, kept: Kept) -> list[tuple[str, str, int]]:
        """For each pot its name, what is used of it, and the longest answer that it has room for."""
        rooms: list[tuple[str, str, int]] = []
        if self.tokens is not None:
            used = f"{spent.tokens} of {self.tokens}"
            rooms.append(("tokens", used, self.tokens - spent.tokens - kept.tokens - request))
        price = self._price(WORKER)
        if self.cost_usd is not None and price is not None:
            cost = self.cost_usd - spent.cost_usd - kept.cost
            used = f"{spent.cost_usd:.6g} of {self.cost_usd:g}"
            rooms.append(("cost_usd", used, room_of_cost(cost, request, price, seconds=self.timeout)))
        return rooms

    def _used_up(self, spent: Spent, facts: Facts, *, is_last: bool, calls: int) -> Stop | None:
        """The first bound that is reached; `calls` are kept for last words, to which some bounds do not apply."""
        if spent.reached is not None and (spent.is_late or not is_last):
            return _in_flight(spent.reached)
        for name, used, bound, spare in self._bounds(spent, facts, calls):
            if bound is None or used < bound - (0 if is_last else spare):
                continue
            rest = ", the rest is kept for last words" if used < bound else ""
            return _stop(name, f"{used:.6g} of {bound:g}{rest}")
        return None

    def _bounds(self, spent: Spent, facts: Facts, calls: int) -> tuple[tuple[str, float, float | None, float], ...]:
        """Each bound: its name, what is used, what there is, and what of it is for last words."""
        elapsed = facts.now - facts.started
        return (
            ("wall_clock", elapsed, self.wall_clock, self._spare(self.wall_clock or 0.0)),
            ("working_time", elapsed - facts.paused, self.working_time, self._spare(self.working_time or 0.0)),
            ("tokens", spent.tokens, self.tokens, 0),
            ("cost_usd", spent.cost_usd, self.cost_usd, 0),
            ("provider_calls", spent.provider_calls, self.provider_calls, calls),
            ("consecutive_failures", spent.failures_in_a_row, self.consecutive_failures, 0),
        )


def _stop(name: str, detail: str) -> Stop:
    return Stop(Outcome("budget_exhausted", name, place=f"{PLACE}.{name}", detail=detail))


def _in_flight(limit: str) -> Stop:
    if limit in POTS:
        return _stop(limit, "the pot that it shares with other runs has too little left for a call")
    return _stop(limit, "reached while something was in flight")


def _unreported(route: str) -> Stop:
    detail = f"`{route}` did not say how many tokens it used, and `{PLACE}.on_missing_usage` is `fail`"
    return Stop(Outcome("provider_error", "bad_response", detail=detail))


def _thinks(reasoning: Any) -> bool:
    policy = reasoning.get("policy") if isinstance(reasoning, Mapping) else reasoning
    return policy in THINKING


def _reserve(wrap_up: Any, longest: int | None, *, thinks: bool) -> int | None:
    if wrap_up is False:
        return None
    given = wrap_up.get("reserve_tokens") if isinstance(wrap_up, Mapping) else None
    least = least_output(longest, thinks=thinks)
    return max(least, int(given) if given is not None else min(LAST_WORDS, longest or LAST_WORDS))


def _size_of_tool(tool: ToolPlan) -> int:
    return CALL_BYTES + len(tool.name) + len(tool.description) + len(msgspec.json.encode(tool.parameters))


def _words_of(left: LeftFacts, now: float) -> str:
    """What is left, for the model to read."""
    parts = [
        None if left.tokens is None else f"{left.tokens} tokens",
        None if left.cost_usd is None else f"${left.cost_usd:.4g}",
        None if left.provider_calls is None else f"{left.provider_calls} model calls",
        None if left.tool_calls is None else f"{left.tool_calls} tool calls",
        None if left.deadline is None else f"{max(0.0, left.deadline - now):.0f} seconds",
    ]
    named = [part for part in parts if part is not None]
    return f"Left for this run: {', '.join(named)}." if named else ""
