"""limits: stop a run at the hard bounds that its spec sets, each with its own reason.

Nothing here looks at a clock: the time is that of the newest event. No call is made that could pass a bound: its
request is estimated, its answer capped at what is then left, and what last words need is kept for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.context.room import rooms_of
from agentspec.core.events import (
    Answered,
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
from agentspec.core.limits.bounds import Bounds, Terms, bounds_of, terms_of
from agentspec.core.limits.price import SHADOW, Price, price_of_question, prices_of, together
from agentspec.core.limits.reserve import Measured, estimate, least_output, output_cap
from agentspec.core.limits.spent import Spent, after_consultation, after_mirror, after_start, after_tool, after_worker
from agentspec.core.orders import Note, Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Act, End, Proposal, Take, Think
from agentspec.core.rulings import PASS, Feedback, Grant, Refuse, Rewrite, Ruling, Stop, Tell
from agentspec.core.tools import ToolPlan, bytes_of_tool
from agentspec.spec.routes import DEFAULT
from agentspec.spec.settings import Settings

PLACE = "execution.limits"
POTS = ("tokens", "cost_usd")
SCRIPTED = "script:"


class Limits(Policy[Spent], frozen=True):
    """Hard bounds on what one run may use: time, tokens, dollars, calls, failures in a row.

    `tool_calls` counts the calls that ran; those of a batch beyond the bound are answered `skipped`.
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
                "scope",
            )
        ),
        "execution.wrap_up",
        "model.prices",
    )
    hears: ClassVar = (
        RunStarted,
        Resumed,
        Answered,
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

    bounds: Bounds
    prices: dict[str, Price] = {}
    requires_usage: bool = False
    shows: bool = False
    terms: tuple[Terms, ...] = (Terms(),)  # of the routes, by their numbers
    tool_bytes: int = 0
    window: int | None = None  # of the default route

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:
        prices = prices_of(settings)
        terms = terms_of(settings, prices)
        return cls(
            bounds=bounds_of(settings, terms),
            prices=prices,
            requires_usage=settings.text(f"{PLACE}.on_missing_usage") == "fail",
            shows=settings.flag(f"{PLACE}.show"),
            terms=terms,
            tool_bytes=sum(bytes_of_tool(tool) for tool in tools.values() if not tool.is_late),
            window=rooms_of(settings)[DEFAULT].window,
        )

    @property
    def idle(self) -> tuple[type[Event | Notice | Proposal], ...]:
        return () if self.requires_usage else (Take,)

    def start(self) -> Spent:
        return Spent()

    def observe(self, memory: Spent, event: Event | Notice, facts: Facts) -> Spent:
        match event:
            case ModelReplied():
                return self._after_worker(memory, event, facts)
            case ToolReturned(result=result):
                return after_tool(memory, result) if result.used or self.bounds.counts_tools else memory
            case RunStarted(before=before) if before is not None:
                return replace(after_start(memory, before), started=facts.started)
            case RunStarted() | Resumed() | Answered():
                return replace(memory, started=facts.started, paused=facts.paused)
            case ModelFailed(failure=failure) | Consulted(failure=failure) if failure is not None and failure.limit:
                return replace(memory, reached=failure.limit, is_late=True)  # no call was made, and none will be
            case ModelFailed():
                return self._after_worker(memory, event, facts)
            case Consulted():
                return after_consultation(memory, event, price_of_question(self.prices, event.asker, event.route))
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

    def _after_worker(self, spent: Spent, event: ModelReplied | ModelFailed, facts: Facts) -> Spent:
        if isinstance(event, ModelReplied) and event.reply.mirrored is not None:
            spent = after_mirror(spent, event.reply.mirrored, self.prices.get(SHADOW))
        size = facts.request_bytes + self._shown(facts)
        return self.bounds.after_first(after_worker(spent, event, size, self.terms[event.route].price))

    def review(self, memory: Spent, proposal: Proposal, facts: Facts) -> Ruling:
        match proposal:
            case Think():
                return self._before_request(memory, proposal, facts)
            case Act():
                return PASS if self.is_open and memory.reached is None else self._before_tool(memory, facts)
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
            input_tokens=memory.input_tokens - memory.before.input_tokens,
            output_tokens=memory.output_tokens - memory.before.output_tokens,
            cost_usd=memory.cost_usd - (memory.before.cost_usd or 0.0),
            context_tokens=memory.context_tokens,
            context_fill=min(1.0, memory.context_tokens / self.window) if self.window else 0.0,
        )
        return used, self.bounds.left(memory)

    def notes(self, before: Spent, after: Spent) -> tuple[Note, ...]:
        if before.routes == after.routes:
            return ()
        route = after.routes[-1]
        if route.startswith(SCRIPTED) and self.bounds.tokens is None and self.bounds.cost_usd is None:
            return ()  # a script that counts nothing is no news where nobody wants to know
        return (Note(event="usage_estimated", fields={"route": route}),)

    # --- what may be done

    def _before_tool(self, spent: Spent, facts: Facts) -> Ruling:
        """No tool runs once nothing is left to read its result with."""
        used_up = self._used_up(spent, facts, is_last=False, calls=0)
        if used_up is not None and used_up.outcome.reason not in ("provider_calls", "consecutive_failures"):
            return used_up
        most = self.bounds.tool_calls
        if most is None or facts.session.calls + spent.elsewhere < most:
            return PASS
        reason = f"not run: the run may make {most} tool calls (`{PLACE}.tool_calls`)"
        return Refuse(reason, status="skipped", category="limit")

    @property
    def is_open(self) -> bool:
        """Whether nothing is bounded, and nobody is told so."""
        return not self.bounds.edges and self.bounds.tool_calls is None and not self.shows

    def _shown(self, facts: Facts) -> int:
        """The bytes of the tools that a request has; those that wait to be found are in none."""
        return self.tool_bytes - facts.hidden_tool_bytes + facts.late_tool_bytes

    def _before_request(self, spent: Spent, think: Think, facts: Facts) -> Ruling:
        if self.is_open and spent.reached is None:
            return PASS
        terms = self.terms[think.route]
        request = estimate(spent.measured.on(think.route), think.size + self._shown(facts))
        kept = self.bounds.kept(spent, request)
        used_up = self._used_up(spent, facts, is_last=think.is_last, calls=kept.calls)
        if used_up is not None:
            return used_up
        if spent.has_skipped and not think.is_last:
            return _stop("tool_calls", f"{self.bounds.tool_calls} calls made, more were asked for")
        rooms = self.bounds.rooms(spent, request, kept, terms)
        least = least_output(terms.longest, thinks=terms.thinks)
        for pot, room in rooms.items():
            if room < least:
                used = self.bounds.used_of(pot, spent)
                return _stop(pot, f"{used}, and the next call needs more than is left")
        if self.shows and not think.is_last and spent.told != think.turn and think.attempt == 1:
            return Tell(
                Feedback("limits", _words_of(self.bounds.left(spent), facts.now), action="inform", source="limits")
            )
        for_two = self._rooms_for_two(spent, think, facts, request) if think.is_mirrored else rooms
        is_mirrored = think.is_mirrored and min(for_two.values(), default=least) >= least
        if is_mirrored:
            rooms = for_two
        cap = output_cap(min(rooms.values()), terms.longest) if rooms else None
        if cap is None and is_mirrored is think.is_mirrored:
            return PASS
        return Rewrite(replace(think, is_mirrored=is_mirrored, max_output_tokens=cap or think.max_output_tokens))

    def _rooms_for_two(self, spent: Spent, think: Think, facts: Facts, request: int) -> dict[str, int]:
        """The rooms of a call that a second model is asked as well; how that one counts is not known."""
        terms, other = self.terms[think.route], self.prices.get(SHADOW)
        price = terms.price if terms.price is None or other is None else together(terms.price, other)
        mirrored = max(request, estimate(Measured(), think.size + self._shown(facts)))
        kept = self.bounds.kept(spent, request)
        return self.bounds.rooms_for_two(spent, (request, mirrored), kept, replace(terms, price=price))

    def _used_up(self, spent: Spent, facts: Facts, *, is_last: bool, calls: int) -> Stop | None:
        """The first bound that is reached; `calls` are kept for last words, to which some bounds do not apply."""
        if spent.reached is not None and (spent.is_late or not is_last):
            return _in_flight(spent.reached)
        reached = self.bounds.reached(spent, facts, is_last=is_last, calls=calls)
        return None if reached is None else _stop(*reached)


def _stop(name: str, detail: str) -> Stop:
    return Stop(Outcome("budget_exhausted", name, place=f"{PLACE}.{name}", detail=detail))


def _in_flight(limit: str) -> Stop:
    if limit in POTS:
        return _stop(limit, "the pot that it shares with other runs has too little left for a call")
    return _stop(limit, "reached while something was in flight")


def _unreported(route: str) -> Stop:
    detail = f"`{route}` did not say how many tokens it used, and `{PLACE}.on_missing_usage` is `fail`"
    return Stop(Outcome("provider_error", "bad_response", place=f"{PLACE}.on_missing_usage", detail=detail))


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
