"""bounds: the hard bounds of a run, and what is left of them. Pure arithmetic; `policies/limits.py` decides.

What last words need is kept back of every pot, from the first request on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from agentspec.core.facts import Facts, LeftFacts
from agentspec.core.limits.price import MILLION, Price, dearest, price_for, worker_on
from agentspec.core.limits.reserve import least_output, request_cost, room_of_cost
from agentspec.core.limits.spent import Spent
from agentspec.core.plan import spare_of
from agentspec.core.record import Record
from agentspec.spec.routes import DEFAULT, Route, routes_of
from agentspec.spec.settings import Settings

PLACE = "execution.limits"
BOUNDING = ("wall_clock", "working_time", "tokens", "cost_usd", "tool_calls", "provider_calls")
TIMES = ("wall_clock", "working_time")
THINKING = frozenset(("minimal", "low", "medium", "high", "max"))
LAST_WORDS = 1_024  # tokens of an answer that are kept for last words where nobody says how many


class Kept(Record, frozen=True):
    """What is kept of the pots for last words."""

    tokens: int = 0
    cost: float = 0.0
    calls: int = 0


NOTHING_KEPT = Kept()
UNBOUNDED = LeftFacts()


class Edge(NamedTuple):
    """A bound that is set: its name, how much there is, and how much of it is for last words."""

    name: str
    bound: float
    spare: float


USED: dict[str, Callable[[Spent, Facts], float]] = {
    "wall_clock": lambda _, facts: facts.now - facts.started,
    "working_time": lambda _, facts: facts.now - facts.started - facts.paused,
    "tokens": lambda spent, _: spent.tokens,
    "cost_usd": lambda spent, _: spent.cost_usd,
    "provider_calls": lambda spent, _: spent.provider_calls,
    "consecutive_failures": lambda spent, _: spent.failures_in_a_row,
}


class Terms(Record, frozen=True):
    """On what terms a call is made on one route.

    `longest` is the longest answer that the author allows, `thinks` whether the model thinks first, and `timeout` how
    many seconds the call may take.
    """

    price: Price | None = None
    longest: int | None = None
    thinks: bool = False
    timeout: float = 120.0


class Bounds(Record, frozen=True):
    """What one run may use; None where nobody set a bound. Times in seconds, `price` is the worker's.

    `reserve` is how long an answer last words may have, None where there are none, `last_calls` how many calls are kept
    for them and for the repair of the output that they owe; `timeout` is that of a call. What is kept for last words is
    counted at the dearest price of all routes, and at the longest of their timeouts.
    """

    wall_clock: float | None = None
    working_time: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    tool_calls: int | None = None
    provider_calls: int | None = None
    consecutive_failures: int | None = None
    price: Price | None = None
    reserve: int | None = None
    last_calls: int = 1
    timeout: float = 120.0
    is_bounded: bool = True  # by anything that `left` tells of
    edges: tuple[Edge, ...] = ()  # of the bounds that are set

    @property
    def counts_tools(self) -> bool:
        """Whether a bound asks how calls of tools came back, beside those of agents, which use what models do."""
        return self.tool_calls is not None or self.consecutive_failures is not None

    def after_first(self, spent: Spent) -> Spent:
        """What is known once the first request has been counted: whether last words are more than half of a pot."""
        if spent.keeps is not None or not spent.first:
            return spent
        return replace(spent, keeps=self._affords(spent.first))

    def kept(self, spent: Spent, request: int) -> Kept:
        """What last words need, after a request of so many tokens; nothing where that is most of a pot."""
        if self.reserve is None or spent.is_closing or spent.keeps is False:
            return NOTHING_KEPT
        if spent.keeps is None and not self._affords(request):
            return NOTHING_KEPT
        return self._words(request)

    def left(self, spent: Spent) -> LeftFacts:
        """What is left of each bound, less what is kept."""
        if not self.is_bounded:
            return UNBOUNDED
        kept = self.kept(spent, spent.measured.tokens or spent.first)
        calls = self.provider_calls
        deadline, deadline_by = self._deadline(spent)
        return LeftFacts(
            tokens=None if self.tokens is None else max(0, self.tokens - spent.tokens - kept.tokens),
            cost_usd=None if self.cost_usd is None else max(0.0, self.cost_usd - spent.cost_usd - kept.cost),
            provider_calls=None if calls is None else max(0, calls - spent.provider_calls - kept.calls),
            tool_calls=None if self.tool_calls is None else max(0, self.tool_calls - spent.tool_calls),
            deadline=deadline,
            deadline_by=deadline_by,
            keeps_last_words=kept.calls > 0,
        )

    def rooms(self, spent: Spent, request: int, kept: Kept, terms: Terms) -> dict[str, int]:
        """For each pot the longest answer that it has room for on these terms."""
        rooms: dict[str, int] = {}
        if self.tokens is not None:
            rooms["tokens"] = self.tokens - spent.tokens - kept.tokens - request
        if self.cost_usd is not None and terms.price is not None:
            cost = self.cost_usd - spent.cost_usd - kept.cost
            rooms["cost_usd"] = room_of_cost(cost, request, terms.price, seconds=terms.timeout)
        return rooms

    def rooms_for_two(self, spent: Spent, requests: tuple[int, int], kept: Kept, terms: Terms) -> dict[str, int]:
        """For each pot the longest answer that each of two models may give which are asked the same.

        `requests` are the tokens of the request as either counts them, `terms` those of both together.
        """
        rooms = self.rooms(spent, max(requests), kept, terms)
        if "tokens" in rooms:
            rooms["tokens"] = (rooms["tokens"] + max(requests) - sum(requests)) // 2
        if self.provider_calls is not None and self.provider_calls - spent.provider_calls - kept.calls < 2:
            rooms["provider_calls"] = 0
        return rooms

    def used_of(self, pot: str, spent: Spent) -> str:
        """What is used of a pot, in words."""
        if pot == "tokens":
            return f"{spent.tokens} of {self.tokens}"
        return f"{spent.cost_usd:.6g} of {self.cost_usd:g}"

    def reached(self, spent: Spent, facts: Facts, *, is_last: bool, calls: int) -> tuple[str, str] | None:
        """The first bound that is reached, and how; `calls` and some time are kept for last words."""
        for name, bound, time in self.edges:
            used = USED[name](spent, facts)
            spare = 0 if is_last else calls if name == "provider_calls" else time
            if used < bound - spare:
                continue
            rest = ", the rest is kept for last words" if used < bound else ""
            return name, f"{_shown(used)} of {_shown(bound)}{rest}"
        return None

    def _affords(self, request: int) -> bool:
        words = self._words(request)
        pots = ((words.tokens, self.tokens), (words.cost, self.cost_usd), (words.calls, self.provider_calls))
        return all(pot is None or need <= pot / 2 for need, pot in pots)

    def _words(self, request: int) -> Kept:
        reserve, price, cost = self.reserve or 0, self.price, 0.0
        if price is not None and self.cost_usd is not None:
            cost = request_cost(request, price, seconds=self.timeout) + reserve * price.output / MILLION
        return Kept(tokens=request + reserve, cost=cost, calls=self.last_calls)

    def _deadline(self, spent: Spent) -> tuple[float | None, str]:
        """The moment by which all is over, and the bound that sets it."""
        if self.wall_clock is None and self.working_time is None:
            return None, ""
        bounds = (("wall_clock", self.wall_clock, 0.0), ("working_time", self.working_time, spent.paused))
        reserve = None if spent.is_closing else self.reserve  # last words have what was kept for them
        ends = [
            (spent.started + bound - _spare(name, bound, reserve) + pause, name)
            for name, bound, pause in bounds
            if bound is not None
        ]
        return min(ends, default=(None, ""))


def terms_of(settings: Settings, prices: Mapping[str, Price]) -> tuple[Terms, ...]:
    """The terms of every route of a spec, by its number."""
    return tuple(_terms(route, prices) for route in routes_of(settings.get("model")))


def _terms(route: Route, prices: Mapping[str, Price]) -> Terms:
    own = Settings(route.model)
    return Terms(
        price=price_for(prices, worker_on(route.number)),
        longest=own.whole("max_output_tokens"),
        thinks=_thinks(own.get("reasoning")),
        timeout=own.seconds("timeout") or 120.0,
    )


def _thinks(reasoning: Any) -> bool:
    policy = reasoning.get("policy") if isinstance(reasoning, Mapping) else reasoning
    return policy in THINKING


def bounds_of(settings: Settings, terms: Sequence[Terms]) -> Bounds:
    """The bounds that a spec sets; `terms` are those of its routes."""
    price = dearest(each.price for each in terms if each.price is not None)
    longest, thinks = terms[DEFAULT].longest, any(each.thinks for each in terms)
    calls = settings.whole(f"{PLACE}.provider_calls")
    found = Bounds(
        wall_clock=settings.seconds(f"{PLACE}.wall_clock"),
        working_time=settings.seconds(f"{PLACE}.working_time"),
        tokens=settings.whole(f"{PLACE}.tokens"),
        cost_usd=settings.number(f"{PLACE}.cost_usd"),
        tool_calls=settings.whole(f"{PLACE}.tool_calls"),
        provider_calls=calls,
        consecutive_failures=settings.whole(f"{PLACE}.consecutive_failures"),
        price=price,
        reserve=_reserve(settings.get("execution.wrap_up"), longest, thinks=thinks),
        last_calls=2 if _owes_repair(settings) and (calls is None or calls >= 4) else 1,
        timeout=max(each.timeout for each in terms),
        is_bounded=any(settings.get(f"{PLACE}.{name}") is not None for name in BOUNDING),
    )
    return replace(found, edges=tuple(_edges(found)))


def _edges(bounds: Bounds) -> Iterator[Edge]:
    for name in USED:
        bound = getattr(bounds, name)
        if bound is not None:
            yield Edge(name, bound, _spare(name, bound, bounds.reserve))


def _spare(name: str, bound: float, reserve: int | None) -> float:
    """What is kept of a bound on time for last words, in seconds; of the others it depends on the call."""
    return spare_of(bound) if name in TIMES and reserve is not None else 0.0


def _owes_repair(settings: Settings) -> bool:
    """Whether the answer has a form that a repair call may have to bring about."""
    output: Any = settings.get("execution.output")
    repairs = output.get("repairs") if isinstance(output, Mapping) else None
    return output not in (None, "text") and repairs != 0


def _reserve(wrap_up: Any, longest: int | None, *, thinks: bool) -> int | None:
    if wrap_up is False:
        return None
    given = wrap_up.get("reserve_tokens") if isinstance(wrap_up, Mapping) else None
    least = least_output(longest, thinks=thinks)
    return max(least, int(given) if given is not None else min(LAST_WORDS, longest or LAST_WORDS))


def _shown(amount: float) -> str:
    """An amount in words: whole ones to the last digit, as counts of tokens are."""
    return f"{amount:.15g}" if float(amount).is_integer() else f"{amount:.6g}"
