"""A connection has one alarm: a response uses on what an earlier one has left, and is called in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agentspec.adapters.http.waits import Alarm, Limits, Waits


class Timers(asyncio.SelectorEventLoop):
    """A loop whose time a test moves; it never runs."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.made: list[asyncio.TimerHandle] = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any, **_: Any) -> asyncio.TimerHandle:
        self.made.append(asyncio.TimerHandle(when, callback, args, self))
        return self.made[-1]

    def pass_to(self, now: float) -> None:
        """Let all timers ring that are due by then, in their order."""
        self.now = now
        for timer in sorted(timer for timer in self.made if timer.when() <= now and not timer.cancelled()):
            timer._run()
            self.made.remove(timer)


@pytest.fixture
def loop() -> Any:
    made = Timers()
    yield made
    made.close()


def test_answers_in_time_share_one_timer(loop: Timers) -> None:
    alarm, late = Alarm(loop), list[str]()

    for second in range(5):
        loop.pass_to(float(second))
        waits = Waits(Limits(total=60.0), loop.time(), alarm, late.append)
        waits.begin()
        waits.end()

    assert (len(loop.made), late) == (1, [])


@pytest.mark.parametrize(
    ("limits", "begins", "words"),
    [
        (Limits(total=30.0, first_byte=10.0), False, "no answer within 10 s"),
        (Limits(total=30.0, idle=5.0), True, "nothing came for 5 s in the middle of the answer"),
        (Limits(total=3.0, first_byte=10.0), False, "no whole answer within 3 s"),
    ],
)
def test_a_response_is_late_at_its_own_limit_whatever_an_earlier_one_has_left(
    loop: Timers, limits: Limits, begins: bool, words: str
) -> None:
    alarm, late = Alarm(loop), list[str]()
    Waits(Limits(total=4.0), 0.0, alarm, late.append).end()
    waits = Waits(limits, 0.0, alarm, late.append)
    if begins:
        waits.begin()

    due = float(next(word for word in words.split() if word.isdigit()))
    loop.pass_to(due - 0.1)
    assert late == []
    loop.pass_to(due)

    assert late == [words]


def test_a_connection_that_is_closed_rings_no_more(loop: Timers) -> None:
    alarm, late = Alarm(loop), list[str]()
    Waits(Limits(total=4.0), 0.0, alarm, late.append)

    alarm.stop()
    loop.pass_to(9.0)

    assert late == []
