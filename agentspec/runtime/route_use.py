"""route_use: what the calls of a run took on each of its routes. Only counts."""

from __future__ import annotations

import msgspec

from agentspec.core.limits.price import Price, cost_of_call
from agentspec.core.messages import Failure, Reply


class RouteUse(msgspec.Struct, kw_only=True):
    """What the worker's calls on one route took; `failures` are those of them that brought no reply."""

    label: str
    calls: int = 0
    failures: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None

    def count(self, answer: Reply | Failure, price: Price | None, ms: int) -> None:
        """Count one call, or an answer for which none was made."""
        self.calls += not answer.is_unsent
        self.failures += isinstance(answer, Failure)
        self.input_tokens += answer.usage.input_tokens
        self.output_tokens += answer.usage.output_tokens
        if price is not None:
            self.cost_usd = round((self.cost_usd or 0.0) + cost_of_call(answer, price, ms), 12)
