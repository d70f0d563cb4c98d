"""spending: what the calls of models took, a run's own and those of the agents that it called. Only counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from agentspec.core.limits.price import SHADOW, Price, cost_of_call, cost_of_mirror, price_of_question, unpriced_in
from agentspec.core.messages import Failure, Mirrored, Reply, Used
from agentspec.runtime.result import LlmUse
from agentspec.runtime.route_use import RouteUse

# What of `llm` a run and its children use together.
OF_CHILDREN = (
    *("provider_calls", "judge_calls", "input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens"),
    "cost_usd",
)


class Spending:
    """Adds up what goes into `llm`; `prices` are by who asks, `labels` those of several routes by their numbers."""

    def __init__(self, prices: Mapping[str, Price], labels: Iterable[str]) -> None:
        self.prices = prices
        self.llm = LlmUse(routes=[RouteUse(label=label) for label in labels])
        self._by_children: Counter[str] = Counter()  # of what `llm` tells, by its names

    def count(self, answer: Reply | Failure, asker: str, ms: int, route: int | None = None) -> None:
        """Count what a call took, also for the route that it went."""
        llm, usage = self.llm, answer.usage
        price = price_of_question(self.prices, asker, route) if self.prices else None
        llm.provider_calls -= answer.is_unsent  # counted with its order, and never made
        if isinstance(answer, Reply) and answer.mirrored is not None:
            self._count_mirrored(answer.mirrored)
        if route is not None and llm.routes:
            llm.routes[route].count(answer, price, ms)
        if price is not None:
            llm.cost_usd = round((llm.cost_usd or 0.0) + cost_of_call(answer, price, ms), 12)
            llm.unpriced_tools = list(dict.fromkeys((*llm.unpriced_tools, *unpriced_in(answer, price))))
        llm.input_tokens += usage.input_tokens
        llm.output_tokens += usage.output_tokens
        llm.cached_input_tokens += usage.cached_input_tokens
        llm.reasoning_tokens += usage.reasoning_tokens
        llm.usage_estimated |= usage.estimated

    def _count_mirrored(self, seen: Mirrored) -> None:
        """Count what a second model took that was asked the same."""
        llm, price = self.llm, self.prices.get(SHADOW)
        llm.provider_calls += 1
        llm.input_tokens += seen.usage.input_tokens
        llm.output_tokens += seen.usage.output_tokens
        if price is not None:
            llm.cost_usd = round((llm.cost_usd or 0.0) + cost_of_mirror(seen, price), 12)

    def take_used(self, used: Used) -> None:
        """Count what the run of an agent has used."""
        for name in OF_CHILDREN:
            more = getattr(used, name)
            if more is not None:
                setattr(self.llm, name, (getattr(self.llm, name) or 0) + more)
                self._by_children[name] += more
        self.llm.usage_estimated |= used.estimated

    @property
    def own(self) -> dict[str, Any] | None:
        """What the run has used itself; None where it called no agent."""
        if not self._by_children:
            return None
        own = {name: getattr(self.llm, name) for name in OF_CHILDREN}
        return {
            name: None if value is None else round(value - self._by_children[name], 12) for name, value in own.items()
        }
