"""waits: how long the parts of a response may take, and a word when one took too long. Of bytes it knows nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple


class Limits(NamedTuple):
    """How long each part may take, in seconds (None: only `total` counts), and how large a body may be, in bytes.

    `idle` is the silence between two moments of progress; what counts as progress is the reader's to say
    (`Response.progress`), since comments and pings keep a dead stream warm.
    """

    connect: float = 10.0
    first_byte: float | None = None
    idle: float | None = None
    total: float | None = None
    body: int = 64 << 20


class Alarm:
    """Rings for the response that a connection waits for.

    The timer of an earlier response is left to run: it rings once for nothing, and costs less than one a response.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._look: Callable[[], None] | None = None

    def set(self, due: float, look: Callable[[], None]) -> None:
        """Have `look` called by this time, or sooner."""
        self._look = look
        if self._timer is not None:
            if self._timer.when() <= due:
                return
            self._timer.cancel()
        self._timer = self.loop.call_at(due, self._ring)

    def leave(self) -> None:
        """Nobody waits for now."""
        self._look = None

    def stop(self) -> None:
        """Nobody will wait here any more."""
        self._look = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        if self._look is not None:
            self._look()


class Waits:
    """The waits of one response, from its request on; `tell_late` is called once, with the words for it.

    Its alarm is moved lazily, so that progress costs one assignment.
    """

    def __init__(self, limits: Limits, started: float, alarm: Alarm, tell_late: Callable[[str], None]) -> None:
        self._loop = alarm.loop
        self._limits = limits
        self._tell_late = tell_late
        self._has_begun = False
        self._total_at = None if limits.total is None else started + limits.total
        self._patience = limits.idle
        self._silent_at = None if limits.first_byte is None else self._loop.time() + limits.first_byte
        self._alarm = alarm
        self._arm()

    def begin(self) -> None:
        """The server answers: from now on silence counts."""
        self._has_begun = True
        self._silent_at = None
        self.progress()
        self._arm()

    def progress(self) -> None:
        """Something real came: silence counts from now."""
        if self._patience is not None:
            self._silent_at = self._loop.time() + self._patience

    def hurry(self, seconds: float) -> None:
        """Wait no longer than this for what is left."""
        if self._patience is None or seconds < self._patience:
            self._patience = seconds
        self._silent_at = self._loop.time() + self._patience
        self._arm()

    def end(self) -> None:
        """Nothing is waited for any more."""
        self._alarm.leave()

    def _due(self) -> float | None:
        total, silent = self._total_at, self._silent_at
        if total is None or silent is None:
            return silent if total is None else total
        return min(total, silent)

    def _arm(self) -> None:
        due = self._due()
        if due is not None:
            self._alarm.set(due, self._look)

    def _look(self) -> None:
        due = self._due()
        if due is None or due > self._loop.time() + 0.001:
            self._arm()
            return
        self._tell_late(self._late(due))

    def _late(self, due: float) -> str:
        if due == self._total_at:
            return f"no whole answer within {self._limits.total:g} s"
        if not self._has_begun:
            return f"no answer within {self._limits.first_byte:g} s"
        return f"nothing came for {self._patience or 0:g} s in the middle of the answer"
