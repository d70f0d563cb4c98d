"""price: what the tokens of a model call cost. Pure; where prices come from is not decided here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentspec.core.messages import Usage
from agentspec.core.record import Record
from agentspec.spec.settings import Settings

MILLION = 1_000_000
WORKER = "worker"
# Who asks a model of its own, and where the spec speaks of it: there its prices stand as well.
PLACES = {
    WORKER: "model",
    "completion_judge": "execution.verify_completion_judge",
    "turn_end_judge": "execution.turn_end_condition",
    "step_judge": "execution.step_judge",
    "input_guardrail": "execution.input_guardrail.judge",
}


class Price(Record, frozen=True):
    """Dollars per million tokens, and per call and second where a provider charges for those.

    `cached_input` and `cache_write` cost as much as `input` where they are None.
    """

    input: float = 0.0
    output: float = 0.0
    cached_input: float | None = None
    cache_write: float | None = None
    per_call: float = 0.0
    per_second: float = 0.0


def cost_of(usage: Usage, price: Price, *, seconds: float = 0.0) -> float:
    """What a call cost, in dollars.

    >>> cost_of(Usage(input_tokens=1_000_000, output_tokens=100_000), Price(input=2.0, output=8.0))
    2.8
    """
    cached = min(usage.cached_input_tokens, usage.input_tokens)
    cached_price = price.input if price.cached_input is None else price.cached_input
    tokens = (usage.input_tokens - cached) * price.input + cached * cached_price + usage.output_tokens * price.output
    return tokens / MILLION + price.per_call + price.per_second * seconds


def prices_of(settings: Settings) -> dict[str, Price]:
    """What is known of prices in a spec, by who asks; `on_unknown_price` stands for what is not.

    >>> prices_of(Settings({"model": {"prices": {"input": 2.0, "output": 8.0}}}))
    {'worker': Price(input=2.0, output=8.0)}
    """
    unknown: Any = settings.get("execution.limits.on_unknown_price")
    found: dict[str, Price] = {}
    for asker, place in PLACES.items():
        written: Any = settings.get(f"{place}.prices")
        if written is None and isinstance(unknown, Mapping) and (asker == WORKER or settings.get(f"{place}.model")):
            written = unknown
        if written is not None:
            found[asker] = Price(**{name: float(price) for name, price in written.items() if price is not None})
    return found


def price_for(prices: Mapping[str, Price], asker: str) -> Price | None:
    """The price of a call of `asker`: its own model's, else the worker's. None where nobody knows."""
    return prices.get(asker, prices.get(WORKER))
