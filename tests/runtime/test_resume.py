"""Folding a journal again: from any place where a process may have died, the run is the same run."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agentspec.core.events import Resumed, ToolReturned
from agentspec.core.orders import CallModel, CallTool, Note
from agentspec.core.plan import Plan
from agentspec.core.step import step
from agentspec.errors import JournalError
from agentspec.ports import JournalRecord
from agentspec.runtime.journal import encode
from agentspec.runtime.resume import fold, in_flight, settle
from agentspec.runtime.stream import Stream
from tests.core.test_laws import PLANS, World, assert_paired


def stored(journal: list[tuple[Any, tuple[Any, ...]]]) -> list[JournalRecord]:
    """The records as the store holds them."""
    records: list[JournalRecord] = []
    for event, orders in journal:
        for record in (event, *orders):
            kind, at, body = encode(record, event.at)
            records.append(JournalRecord(seq=len(records) + 1, kind=kind, at=at, body=body))
    return records


def assert_a_prefix_goes_on(plan: Plan, data: st.DataObject) -> None:
    world = World(plan, data)
    world.play()
    place = data.draw(st.integers(1, len(world.journal)))

    state = fold(plan, stored(world.journal[:place]))
    for event, orders in world.journal[place:]:
        state, made = step(plan, state, event)
        assert made == orders

    assert state == world.state
    assert fold(plan, stored(world.journal)) == world.state


def assert_a_death_repeats_nothing(plan: Plan, data: st.DataObject) -> None:
    world = World(plan, data)
    world.play()
    place = data.draw(st.integers(1, len(world.journal)))
    world.journal = world.journal[:place]
    world.state = fold(plan, stored(world.journal))
    outcome = world.state.outcome
    assume(outcome is None or outcome.status == "interrupted")
    finished = {event.call.id for event, _ in world.journal if isinstance(event, ToolReturned)}
    pending = dict(world.state.pending)
    message = data.draw(st.sampled_from([None, "go on"]))

    again, lost = in_flight(world.state)
    world.give(Resumed(at=100.0, message=message))
    for order in lost:
        world.give(settle(order, 101.0))
    world.play_on(102)

    assert sorted(order.id for order in (*again, *lost)) == sorted(pending)
    assert not {order.call.id for order in again if isinstance(order, CallTool)} & finished
    assert not {order.call.id for order in lost} & finished
    assert_paired(world.state)
    assert fold(plan, stored(world.journal)) == world.state


@given(PLANS, st.data())
def test_a_prefix_of_a_journal_goes_on_to_the_same_state(plan: Plan, data: st.DataObject) -> None:
    assert_a_prefix_goes_on(plan, data)


@given(PLANS, st.data())
def test_a_run_that_died_anywhere_goes_on_and_repeats_nothing_that_finished(plan: Plan, data: st.DataObject) -> None:
    assert_a_death_repeats_nothing(plan, data)


@pytest.mark.slow
@settings(max_examples=2500)
@given(PLANS, st.data())
def test_any_prefix_of_any_journal_goes_on_to_the_same_state(plan: Plan, data: st.DataObject) -> None:
    assert_a_prefix_goes_on(plan, data)


@pytest.mark.slow
@settings(max_examples=2500)
@given(PLANS, st.data())
def test_no_death_anywhere_repeats_what_finished(plan: Plan, data: st.DataObject) -> None:
    assert_a_death_repeats_nothing(plan, data)


def test_nobody_hears_again_what_is_folded_and_the_numbers_go_on() -> None:
    heard: list[dict[str, Any]] = []
    stream, note = Stream("r", (heard.append,)), Note(event="turn_started", fields={"turn": 1})
    stream.is_silent = True
    for record in (note, CallModel(id=1, turn=1, attempt=1, length=1)):
        stream.publish(record, 1.0)
    stream.is_silent = False

    stream.publish(note, 2.0)

    assert [(event["seq"], event["ts"]) for event in heard] == [(2, 2.0)]


def test_an_empty_journal_is_no_run() -> None:
    with pytest.raises(JournalError, match="the run never started"):
        fold(Plan(name="p", spec_hash="0", tools={}, policies=(), loop_until_done=False, max_concurrent_tools=1), [])
