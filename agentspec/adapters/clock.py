"""clock: the machine's own time."""

from __future__ import annotations

import asyncio
import time


class SystemClock:
    """Implements `ports.Clock`."""

    def now(self) -> float:
        return time.time()

    def elapsed(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
