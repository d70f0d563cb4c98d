"""held: how long code of somebody else keeps everything from running, since it waits without `await`.

It is measured, and never interrupted: nothing can be.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Generator
from typing import Any, TypeVar

T = TypeVar("T")


class Held:
    """`longest` is the longest step so far, in seconds, that nothing else could be done beside."""

    def __init__(self) -> None:
        self.longest = 0.0

    def over(self, awaitable: Awaitable[T]) -> Awaitable[T]:
        """The same awaitable, measured."""
        return _Steps(awaitable, self)


class _Steps(Generator[Any, Any, T]):
    """The steps of an awaitable between its waits, each of them timed."""

    def __init__(self, awaitable: Awaitable[T], held: Held) -> None:
        self._steps = awaitable.__await__()
        self._held = held

    def __await__(self) -> Generator[Any, Any, T]:
        return self

    def send(self, value: Any) -> Any:
        began = time.perf_counter()
        try:
            return self._steps.send(value)
        finally:
            self._held.longest = max(self._held.longest, time.perf_counter() - began)

    def throw(self, *problem: Any) -> Any:
        return self._steps.throw(*problem)
