"""threads: do blocking work beside the event loop, each piece in a thread of its own.

A shared pool would make the ninth slow call wait for the first.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def begin(work: Callable[[], T], name: str) -> asyncio.Future[T]:
    """Start `work` and return the future of what it gives or raises; cancelling the future doesn't stop it."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()

    def unless_done(settle: Callable[[], None]) -> None:
        if not outcome.done():
            settle()

    def deliver(settle: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits any more
            loop.call_soon_threadsafe(unless_done, settle)

    def run() -> None:
        try:
            value = work()
        except Exception as error:  # noqa: BLE001 - handed over to the task that waits
            deliver(functools.partial(outcome.set_exception, error))
        else:
            deliver(functools.partial(outcome.set_result, value))

    threading.Thread(target=run, name=name, daemon=True).start()
    return outcome


async def in_thread(work: Callable[[threading.Event], T], name: str) -> T:
    """What `work` gives or raises. Cancelled, this ends at once, and `work` is told by its event to end soon."""
    stop = threading.Event()
    try:
        return await begin(functools.partial(work, stop), name)
    finally:
        stop.set()
