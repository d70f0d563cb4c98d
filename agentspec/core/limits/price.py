"""price: what the tokens of a model call cost. Pure; where prices come from is not decided here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from agentspec.core.limits.served import charge_of, unpriced
from agentspec.core.messages import Failure, Mirrored, Reply, Usage
from agentspec.core.record import Record
from agentspec.spec.judges_at import JUDGES
from agentspec.spec.routes import routes_of
from agentspec.spec.settings import Settings

MILLION = 1_000_000
WORKER = "worker"
SHADOW = "shadow"  # the model that is asked the same as the worker's
ROUTED = f"{WORKER}:"  # where the worker asks on another route than the default
PLACES = {WORKER: "model", **JUDGES}  # where the spec speaks of a model, by who asks it


class Price(Record, frozen=True):
    """Dollars per million tokens, and per call, second and search where a provider charges for those.

    `search` is one search that the provider makes itself, `searched` an answer with any. `cached_input` and
    `cache_write` cost as much as `input` where they are None. The `long_` prices hold for requests of more than
    `long_from` tokens.
    """

    input: float = 0.0
    output: float = 0.0
    cached_input: float | None = None
    cache_write: float | None = None
    per_call: float = 0.0
    per_second: float = 0.0
    search: float | None = None
    searched: float | None = None
    long_from: int | None = None
    long_input: float | None = None
    long_output: float | None = None
    long_cached_input: float | None = None
    long_cache_write: float | None = None

    def at(self, tokens: int) -> Price:
        """The price of a request of so many tokens."""
        if self.long_from is None or tokens <= self.long_from:
            return self
        return Price(
            input=self.input if self.long_input is None else self.long_input,
            output=self.output if self.long_output is None else self.long_output,
            cached_input=self.cached_input if self.long_cached_input is None else self.long_cached_input,
            cache_write=self.cache_write if self.long_cache_write is None else self.long_cache_write,
            per_call=self.per_call,
            per_second=self.per_second,
            search=self.search,
            searched=self.searched,
        )

    def most(self, kind: Literal["input", "output"]) -> float:
        """The highest price of a token that is sent, or that comes back."""
        kinds = ("input", "cached_input", "cache_write") if kind == "input" else ("output",)
        return max(getattr(self, name) or 0.0 for each in kinds for name in (each, f"long_{each}"))


def cost_of(usage: Usage, price: Price, *, seconds: float = 0.0) -> float:
    """What a call cost, in dollars.

    >>> cost_of(Usage(input_tokens=1_000_000, output_tokens=100_000), Price(input=2.0, output=8.0))
    2.8
    """
    price = price.at(usage.input_tokens)
    cached = min(usage.cached_input_tokens, usage.input_tokens)
    cached_price = price.input if price.cached_input is None else price.cached_input
    written = min(usage.cache_write_tokens, usage.input_tokens - cached)
    write_price = price.input if price.cache_write is None else price.cache_write
    plain = usage.input_tokens - cached - written
    tokens = plain * price.input + cached * cached_price + written * write_price + usage.output_tokens * price.output
    return tokens / MILLION + price.per_call + price.per_second * seconds


def cost_of_call(answer: Reply | Failure, price: Price | None, ms: int) -> float:
    """What a call that took so long cost, in dollars; nothing where none was made, or nobody knows a price."""
    if price is None or answer.is_unsent:
        return 0.0
    cost = cost_of(answer.usage, price, seconds=ms / 1000)
    if isinstance(answer, Reply) and answer.provider_calls:
        cost += charge_of(answer, price.search, price.searched)
    return cost


def unpriced_in(answer: Reply | Failure, price: Price) -> list[str]:
    """The tools that the provider ran for this answer, and of which nobody knows what it charges."""
    return unpriced(answer, price.search, price.searched) if isinstance(answer, Reply) else []


def cost_of_mirror(seen: Mirrored | None, price: Price | None) -> float:
    """What the call of the second model cost, in dollars."""
    return 0.0 if seen is None or price is None else cost_of(seen.usage, price, seconds=seen.ms / 1000)


def together(one: Price, other: Price) -> Price:
    """The price of a request that goes to two models.

    >>> both = together(Price(input=2.0, output=8.0), Price(input=1.0, output=4.0))
    >>> both.input, both.output
    (3.0, 12.0)
    """
    return Price(
        input=one.most("input") + other.most("input"),
        output=one.most("output") + other.most("output"),
        per_call=one.per_call + other.per_call,
        per_second=one.per_second + other.per_second,
    )


def prices_of(settings: Settings) -> dict[str, Price]:
    """What is known of prices in a spec, by who asks; `on_unknown_price` stands for what is not.

    >>> prices_of(Settings({"model": {"prices": {"input": 2.0, "output": 8.0}}}))
    {'worker': Price(input=2.0, output=8.0)}
    """
    unknown: Any = settings.get("execution.limits.on_unknown_price")
    written = {worker_on(route.number): route.model.get("prices") for route in routes_of(settings.get("model"))}
    written |= {asker: settings.get(f"{place}.prices") for asker, place in JUDGES.items()}
    if settings.get("model.shadow") is not None:
        written[SHADOW] = settings.get("model.shadow.prices")
    if isinstance(unknown, Mapping):
        own = {asker for asker, place in JUDGES.items() if settings.get(f"{place}.model") is None}
        written = {asker: given or (None if asker in own else unknown) for asker, given in written.items()}
    return {
        asker: Price(**{name: price for name, price in given.items() if price is not None})
        for asker, given in written.items()
        if given is not None
    }


def worker_on(route: int) -> str:
    """Who asks, where the worker does on this route.

    >>> worker_on(0), worker_on(2)
    ('worker', 'worker:2')
    """
    return f"{ROUTED}{route}" if route else WORKER


def price_of_question(prices: Mapping[str, Price], asker: str, route: int | None) -> Price | None:
    """The price of a question beside the worker: of `asker`'s model, or of the worker's route that stands in for it."""
    return price_for(prices, asker if route is None else worker_on(route))


def dearest(prices: Iterable[Price]) -> Price | None:
    """A price that no call at one of these prices passes; None where there is none.

    >>> most = dearest([Price(input=2.0, output=8.0), Price(input=1.0, output=9.0)])
    >>> most.input, most.output
    (2.0, 9.0)
    """
    known = list(prices)
    if len(known) <= 1:
        return known[0] if known else None
    return Price(
        input=max(price.most("input") for price in known),
        output=max(price.most("output") for price in known),
        per_call=max(price.per_call for price in known),
        per_second=max(price.per_second for price in known),
    )


def price_for(prices: Mapping[str, Price], asker: str) -> Price | None:
    """The price of a call of `asker`: its own model's, else the worker's. None where nobody knows.

    Every route of the worker has a model of its own.
    """
    return prices.get(asker) if asker.startswith(ROUTED) else prices.get(asker, prices.get(WORKER))
