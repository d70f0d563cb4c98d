"""Blocking work leaves the event loop free, and is told when nobody waits any more."""

import asyncio
import threading

import pytest

from agentspec.adapters.tools.threads import in_thread


async def test_the_loop_goes_on_while_the_work_waits():
    gate = threading.Event()
    works = [asyncio.ensure_future(in_thread(lambda stop: gate.wait(30), "work")) for _ in range(20)]
    await asyncio.sleep(0)

    gate.set()

    assert await asyncio.gather(*works) == [True] * 20


async def test_what_the_work_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda stop: 1 / 0, "work")


async def test_cancelled_work_is_told_to_stop():
    stops = []
    begun = threading.Event()
    ended = threading.Event()

    def work(stop):
        stops.append(stop)
        begun.set()
        stop.wait(30)
        ended.set()

    waiting = asyncio.ensure_future(in_thread(work, "work"))
    await asyncio.sleep(0)
    begun.wait(30)

    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ended.wait(30)
    assert stops[0].is_set()
