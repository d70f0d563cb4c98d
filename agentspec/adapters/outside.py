"""outside: what a script may do to the run that it plays in, beside its answers. By itself it does nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple


def _nobody() -> None: ...


def _nobody_hears(text: str) -> None:
    del text


class Outside(NamedTuple):
    """`sleep` waits as the run's clock does, `interrupt` stops the run, `say` lets a person say something."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    interrupt: Callable[[], None] = _nobody
    say: Callable[[str], None] = _nobody_hears

    async def cut(self) -> None:
        """Interrupt the run, and wait for what never comes."""
        self.interrupt()
        await asyncio.Future()


ALONE = Outside()
