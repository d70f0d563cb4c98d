"""clock: the machine's own time, and one that leaves out what nobody has to wait for."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class SystemClock:
    """Implements `ports.Clock`. A clock that somebody sets while a run goes on moves none of its bounds."""

    def __init__(self) -> None:
        self._began = time.time() - time.monotonic()

    def now(self) -> float:
        return self._began + time.monotonic()

    def elapsed(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Timetable(Protocol):
    """What of a run is bound to come at its time."""

    def waits_alone(self) -> bool:
        """Whether nothing goes on beside the one who sleeps."""

    def left(self) -> float:
        """Seconds until the next thing comes; endless where nothing does."""

    async def skip(self) -> None:
        """The clock has moved by itself: what was to come later comes sooner, and has come when this returns."""


class QuickClock(SystemClock):
    """The time of a run that is played: what it sleeps is left out, and counts as if it had passed.

    What comes at a time comes at its time: the clock is put forward from one such moment to the next.
    """

    def __init__(self) -> None:
        super().__init__()
        self.timetable: Timetable | None = None
        self._skipped = 0.0

    def now(self) -> float:
        return super().now() + self._skipped

    def elapsed(self) -> float:
        return super().elapsed() + self._skipped

    async def sleep(self, seconds: float) -> None:
        left, timetable = seconds, self.timetable
        while left > 0 and timetable is not None and timetable.waits_alone():
            step = min(left, max(0.0, timetable.left()))
            self._skipped += step
            left -= step
            await timetable.skip()
        await super().sleep(max(0.0, left))
