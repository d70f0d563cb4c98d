"""Calls keep to a rate, whoever makes them: none is early, none is refused, and the line is served in order."""

import asyncio
import math

import pytest

from agentspec.adapters.models.layers.paced import Pace, PacedModel, Rate
from agentspec.core.messages import Reply, Usage
from agentspec.core.transcript import Transcript
from agentspec.ports import ModelRequest
from agentspec.testing.world import JumpingClock, ListModel

REQUEST = ModelRequest(transcript=Transcript(), max_output_tokens=10)


async def test_a_call_above_the_rate_waits_until_the_first_of_the_minute_is_old() -> None:
    clock, pace = JumpingClock(now=0.0), Pace()
    rate = Rate(requests_per_minute=2)
    times = []

    for _ in range(5):
        pace.leave(await pace.enter(rate, 0, clock), 0)
        times.append(clock.time)
        clock.time += 1

    assert times == [0, 1, 60, 61, 120]


async def test_tokens_count_as_their_answers_told_and_not_as_they_were_estimated() -> None:
    clock, pace = JumpingClock(now=0.0), Pace()
    rate = Rate(tokens_per_minute=100)

    first = await pace.enter(rate, 90, clock)
    assert pace.wait(rate, 50, clock.time) == 60.0
    pace.leave(first, 40)

    assert pace.wait(rate, 50, clock.time) == 0.0
    assert pace.wait(rate, 61, clock.time) == 60.0


async def test_a_call_with_more_tokens_than_a_minute_has_goes_when_nothing_else_did() -> None:
    pace = Pace()

    assert pace.wait(Rate(tokens_per_minute=100), 500, now=0.0) == 0.0


async def test_calls_in_flight_are_limited_and_the_next_goes_when_one_has_ended() -> None:
    clock, pace, rate = JumpingClock(), Pace(), Rate(concurrency=1)
    order: list[str] = []

    async def ask(name: str) -> None:
        call = await pace.enter(rate, 0, clock)
        order.append(f"{name} began")
        await asyncio.sleep(0)
        order.append(f"{name} ended")
        pace.leave(call, None)

    await asyncio.gather(ask("first"), ask("second"), ask("third"))

    assert order == [f"{name} {what}" for name in ("first", "second", "third") for what in ("began", "ended")]
    assert math.isfinite(pace.wait(rate, 0, clock.time))


async def test_who_gives_up_waiting_leaves_the_line_to_the_others() -> None:
    clock, pace, rate = JumpingClock(), Pace(), Rate(concurrency=1)
    call = await pace.enter(rate, 0, clock)
    waiting = [asyncio.create_task(pace.enter(rate, 0, clock)) for _ in range(2)]
    await asyncio.sleep(0)

    waiting[0].cancel()
    await asyncio.gather(waiting[0], return_exceptions=True)
    pace.leave(call, None)

    assert await waiting[1]


async def test_runs_of_one_process_share_the_rate_and_answers_say_how_long_they_waited() -> None:
    clock, pace, rate = JumpingClock(now=0.0), Pace(), Rate(requests_per_minute=1)
    models = [PacedModel(ListModel(Reply(text="hi", usage=Usage(3, 4))), pace, rate, clock) for _ in range(2)]

    answers = [await model.answer(REQUEST, None) for model in models]

    assert [answer.waited_ms for answer in answers] == [0, 60_000]
    assert clock.time == 60.0


async def test_a_call_that_is_broken_off_leaves_as_well() -> None:
    clock, pace, rate = JumpingClock(), Pace(), Rate(concurrency=1)

    async def broken(_: ModelRequest) -> Reply:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await PacedModel(ListModel(broken), pace, rate, clock).answer(REQUEST, None)

    assert pace.wait(rate, 0, clock.time) == 0.0


def test_a_line_may_be_made_of_several_event_loops() -> None:
    clock, pace, rate = JumpingClock(), Pace(), Rate(concurrency=1)

    async def ask() -> None:
        pace.leave(await pace.enter(rate, 0, clock), None)

    for _ in range(2):
        asyncio.run(ask())

    assert pace.wait(rate, 0, clock.time) == 0.0
