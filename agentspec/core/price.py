"""price: what the tokens of a model call cost. Pure; where prices come from is not decided here."""

from __future__ import annotations

from agentspec.core.messages import Usage
from agentspec.core.record import Record

MILLION = 1_000_000


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
