"""A model that failed too often in a row is left alone; then one call finds out whether it works again."""

import asyncio

import pytest

from agentspec.adapters.models.layers.circuit import Circuit, CircuitModel
from agentspec.core.messages import Failure, Reply
from agentspec.core.transcript import Transcript
from agentspec.ports import ModelRequest
from agentspec.testing.world import JumpingClock, ListModel

REQUEST = ModelRequest(transcript=Transcript())
DOWN = Failure("server_error", "down", retryable=True)
REFUSED = Failure("invalid_request", "no")
HI = Reply(text="hi")


def guarded(model: ListModel, clock: JumpingClock, circuit: Circuit | None = None) -> CircuitModel:
    return CircuitModel(model, circuit or Circuit(), clock, threshold=2, reset=30.0)


async def outcomes(model: CircuitModel, calls: int) -> list[str]:
    answers = [await model.answer(REQUEST, None) for _ in range(calls)]
    return [answer.category if isinstance(answer, Failure) else "answered" for answer in answers]


async def test_after_failures_in_a_row_nobody_is_asked_until_the_time_is_over() -> None:
    clock, inner = JumpingClock(now=0.0), ListModel(DOWN, DOWN, HI, HI)
    model = guarded(inner, clock)

    assert await outcomes(model, 4) == ["server_error", "server_error", "circuit_open", "circuit_open"]
    clock.time += 30
    assert await outcomes(model, 2) == ["answered", "answered"]

    assert len(inner.requests) == 4


async def test_the_failure_says_when_the_model_is_asked_again_and_that_nobody_was_asked() -> None:
    clock, circuit = JumpingClock(now=0.0), Circuit()
    model = guarded(ListModel(DOWN, DOWN), clock, circuit)
    await outcomes(model, 2)
    clock.time += 10

    answer = await model.answer(REQUEST, None)

    assert answer == Failure(
        category="circuit_open",
        message="list `list` was not asked: it failed 2 times in a row, first with `server_error`, and is "
        "asked again in 20 s (`model.circuit_breaker`)",
        provider="list",
        model="list",
        is_unsent=True,
    )


async def test_a_trial_that_fails_leaves_it_alone_for_as_long_again() -> None:
    clock = JumpingClock(now=0.0)
    model = guarded(ListModel(DOWN, DOWN, DOWN, HI), clock)
    await outcomes(model, 2)

    clock.time += 30
    assert await outcomes(model, 2) == ["server_error", "circuit_open"]
    clock.time += 30
    assert await outcomes(model, 1) == ["answered"]


@pytest.mark.parametrize("between", [HI, REFUSED], ids=["an answer", "a refusal"])
async def test_a_server_that_answers_has_not_failed_in_a_row(between: Reply | Failure) -> None:
    model = guarded(ListModel(DOWN, between, DOWN, HI), JumpingClock())

    assert "circuit_open" not in await outcomes(model, 4)


async def test_runs_of_one_process_share_what_they_know_of_a_model() -> None:
    clock, circuit = JumpingClock(), Circuit()
    one, other = (guarded(ListModel(DOWN, DOWN), clock, circuit) for _ in range(2))

    assert await outcomes(one, 1) == ["server_error"]
    assert await outcomes(other, 2) == ["server_error", "circuit_open"]


async def test_one_call_at_a_time_finds_out_and_one_that_is_broken_off_leaves_it_to_the_next() -> None:
    clock, never = JumpingClock(now=0.0), asyncio.Event()

    async def slow(_: ModelRequest) -> Reply:
        await never.wait()
        return HI

    model = guarded(ListModel(DOWN, DOWN, slow, HI), clock)
    await outcomes(model, 2)
    clock.time += 30
    trial = asyncio.create_task(model.answer(REQUEST, None))
    await asyncio.sleep(0)

    assert await outcomes(model, 1) == ["circuit_open"]
    trial.cancel()
    await asyncio.gather(trial, return_exceptions=True)
    assert await outcomes(model, 1) == ["answered"]
