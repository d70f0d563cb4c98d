"""prefix: how much of what each request sent the next one began with, and why where it was not all.

Only counts. What a request shared with the one before it on the same route is what its adapter says.
"""

from __future__ import annotations

from collections import Counter

from agentspec.core.messages import Failure, Reply
from agentspec.core.orders import CallModel
from agentspec.core.record import Record

OF_A_REQUEST = {"format": "tool_format", "tools": "tools", "options": "options"}  # what changes its beginning
UNTOLD = "dialect"  # nobody here asked for another request: the server wanted to be asked in another way


class Asked(Record, frozen=True):
    """The newest request of a route: the order that led to it."""

    order: int
    format: str
    tools: tuple[str, ...] | None
    options: tuple[str, ...] = ()  # by name: a field that one call changes leaves the beginning of its request


class Prefixes:
    """Follows the model calls of a run.

    >>> prefixes = Prefixes()
    >>> prefixes.asked(CallModel(id=1, turn=1, attempt=1, length=1, reshaped=("filter",)))
    >>> prefixes.answered(1, Reply(prefix_share=0.25, prefix_bytes=400)), prefixes.share
    (('filter',), 0.25)
    """

    def __init__(self) -> None:
        self.breaks: Counter[str] = Counter()
        self._kept = self._sent = 0.0
        self._orders: dict[int, CallModel] = {}
        self._routes: dict[int, Asked] = {}  # by their numbers
        self._reshaped: list[tuple[int, tuple[str, ...]]] = []

    @property
    def share(self) -> float | None:
        """The share of all that was sent before which requests began with; None where only one was made."""
        return round(self._kept / self._sent, 4) if self._sent else None

    def asked(self, order: CallModel) -> None:
        self._orders[order.id] = order
        if order.reshaped:
            self._reshaped.append((order.id, order.reshaped))

    def answered(self, order: int, answer: Reply | Failure) -> tuple[str, ...]:
        """Why the request was no continuation of the one before on its route; nothing where it was one."""
        asked = self._orders.pop(order, None)
        if asked is None:
            return ()
        before = self._routes.get(asked.route)
        now = self._routes[asked.route] = Asked(order, asked.format, asked.tools, tuple(sorted(asked.options)))
        self._kept += answer.prefix_share * answer.prefix_bytes
        self._sent += answer.prefix_bytes
        if before is None or not answer.prefix_bytes or answer.prefix_share == 1.0:
            return ()
        reasons = self._reasons(before, now)
        self.breaks.update(reasons)
        return reasons

    def _reasons(self, before: Asked, now: Asked) -> tuple[str, ...]:
        """Who reshaped what is shown since the request before, and what of its beginning is other than in it."""
        reshaped = [by for order, names in self._reshaped if order > before.order for by in names]
        changed = [word for field, word in OF_A_REQUEST.items() if getattr(before, field) != getattr(now, field)]
        return tuple(dict.fromkeys((*reshaped, *changed))) or (UNTOLD,)
