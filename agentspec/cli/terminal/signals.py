"""signals: SIGINT, SIGTERM and SIGHUP while a command makes a run, drives it and prints its result.

A handler only takes note. An exception raised out of it would end up wherever the program happens to be: inside a
compiler that takes it for an author's mistake, or half way through a write.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from agentspec.api.running import Running
from agentspec.cli.terminal.stopping import EXIT_SIGNALS, end_at_once, stopping_signals

T = TypeVar("T")


class Signals:
    """What was received, and the run that a signal stops once there is one."""

    def __init__(self) -> None:
        self.received: list[signal.Signals] = []
        self._running: Running | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_waiting = False
        self._after = 0  # how many came after the run had ended

    @contextmanager
    def heard(self) -> Iterator[Signals]:
        """Hear signals from here to the end of the block."""
        before = {number: signal.signal(number, self._hear) for number in stopping_signals()}
        try:
            yield self
        finally:
            for number, handler in before.items():
                # All is done and told: a signal that comes now must not make it look undone.
                signal.signal(number, signal.SIG_IGN if handler is end_at_once else handler)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """While a person is waited for, a signal ends the program at once: nothing was started."""
        self._is_waiting = True
        try:
            yield
        finally:
            self._is_waiting = False

    def stop(self, running: Running) -> None:
        """From now on signals stop this run, also one that came while it was made."""
        self._loop = asyncio.get_running_loop()
        self._running = running
        if self.received:
            running.abort("signal")

    @property
    def exit_code(self) -> int:
        """The code for the signal that came first."""
        return EXIT_SIGNALS[self.received[0] if self.received else signal.SIGINT]

    def _hear(self, number: int, _frame: object) -> None:
        is_first = not self.received
        self.received.append(signal.Signals(number))
        if self._running is not None and self._loop is not None:
            try:
                self._loop.call_soon_threadsafe(self._running.abort, "signal")
            except RuntimeError:  # the loop is closed: the run has ended, and its result is being printed
                self._after += 1
                if self._after > 1:  # nobody reads it, and the program would wait for ever
                    raise SystemExit(self.exit_code) from None
        elif self._is_waiting or not is_first:
            raise SystemExit(self.exit_code)


def run_until_signal(work: Coroutine[Any, Any, T]) -> T:
    """What the work brings. A signal cancels it, so that it cleans up; a second one ends the program at once.

    Raises `SystemExit` with the code of the signal.
    """
    received: list[signal.Signals] = []

    async def go() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)

        def hear(number: signal.Signals) -> None:
            received.append(number)
            task.cancel()
            for each in stopping_signals():
                loop.remove_signal_handler(each)
                signal.signal(each, end_at_once)

        for number in stopping_signals():
            loop.add_signal_handler(number, hear, number)
        return await task

    try:
        return asyncio.run(go())
    except asyncio.CancelledError:
        os.write(2, b"agentspec: stopped by a signal\n")
        raise SystemExit(EXIT_SIGNALS[received[0] if received else signal.SIGINT]) from None
