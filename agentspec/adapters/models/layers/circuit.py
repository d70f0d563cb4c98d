"""circuit: leave a model alone for a while that has failed too often in a row. No call is made while it is open.

Which failures count is decided by whether they may pass: a request that is refused says that its server works.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from agentspec.core.messages import Failure, Reply
from agentspec.ports import Clock, Delta, Model, ModelRequest


class Circuit:
    """What all runs of a process have seen of one model: failures in a row, when the last of them was, and of what
    kind the first: its words may be another run's.
    """

    def __init__(self) -> None:
        self.failures = 0
        self.first = ""
        self.failed_at = -math.inf
        self.is_tried = False  # by the one call that finds out whether it works again

    def heard(self, answer: Reply | Failure, now: float) -> None:
        """Count what came of a call."""
        if isinstance(answer, Failure) and answer.retryable:
            self.first = self.first if self.failures else _kind(answer)
            self.failures += 1
            self.failed_at = now
        else:
            self.failures = 0


class CircuitModel:
    """A model that is not asked for `reset` seconds once it has failed `threshold` times in a row.

    Then one call finds out whether it works: another failure leaves it alone for as long again.
    """

    def __init__(self, model: Model, circuit: Circuit, clock: Clock, *, threshold: int, reset: float) -> None:
        self.provider = model.provider
        self.name = model.name
        self._model = model
        self._circuit = circuit
        self._clock = clock
        self._threshold = threshold
        self._reset = reset

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        circuit = self._circuit
        if circuit.failures < self._threshold:
            return await self._ask(request, listen)
        left = circuit.failed_at + self._reset - self._clock.elapsed()
        if left > 0 or circuit.is_tried:
            return self._open(left)
        circuit.is_tried = True
        try:
            return await self._ask(request, listen)
        finally:
            circuit.is_tried = False

    async def _ask(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        answer = await self._model.answer(request, listen)
        self._circuit.heard(answer, self._clock.elapsed())
        return answer

    def _open(self, left: float) -> Failure:
        when = f"is asked again in {left:.0f} s" if left > 0 else "is being tried by another call"
        return Failure(
            category="circuit_open",
            message=(
                f"{self.provider} `{self.name}` was not asked: it failed {self._circuit.failures} times in a row, "
                f"first with {self._circuit.first}, and {when} (`model.circuit_breaker`)"
            ),
            provider=self.provider,
            model=self.name,
            is_unsent=True,
        )

    async def close(self) -> None:
        await self._model.close()


def _kind(failure: Failure) -> str:
    status = "" if failure.http_status is None else f" (HTTP {failure.http_status})"
    return f"`{failure.category}`{status}"
