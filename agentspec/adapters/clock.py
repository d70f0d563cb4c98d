"""clock: the machine's own time."""

from __future__ import annotations

import asyncio
import time


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
