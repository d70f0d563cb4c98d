"""Two processes and one run: exactly one drives it, and the other says who does and since when."""

import re
import signal
import time

import pytest

from agentspec.core.orders import CallModel
from tests.durability.place import wait_until


def race(place, number):
    """Two processes take one run up at the same moment; the one that lost must know the one that won."""
    at = time.monotonic() + 0.05
    racers = [place.start("resume", place.run_id(), "--quiet", at=at) for _ in range(2)]
    wait_until(lambda: any(racer.has_ended() for racer in racers))
    loser, winner = sorted(racers, key=lambda racer: not racer.has_ended())
    lost = loser.wait()

    assert (lost.code, lost.out) == (2, "")
    told = rf"agentspec: run `{place.run_id()}` is driven by process {winner.pid} since \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d UTC; stop that one first\n"
    assert re.fullmatch(told, lost.err), lost.err
    wait_until(lambda: len(place.effects()) > number)
    assert winner.stop_and_wait(signal.SIGTERM)[0].code == 143


def assert_races(place, count):
    place.spec(*(f"wait w{number}" for number in range(count + 1)), "all done")
    going = place.start("run", "spec.json", "--quiet")
    place.started_effect("w0")
    going.stop_and_wait(signal.SIGINT)

    for number in range(1, count + 1):
        race(place, number)

    done = place.run("resume", place.run_id())
    assert (done.code, done.out) == (0, "all done\n")
    assert place.effects() == [f"w{number}" for number in range(count + 1)]
    assert place.run("replay", place.run_id()).code == 0


@pytest.mark.slow
def test_of_two_processes_that_resume_a_run_one_proceeds_and_the_other_names_it(place):
    assert_races(place, 5)


@pytest.mark.slow
def test_of_two_processes_that_resume_a_run_always_one_proceeds(place):
    assert_races(place, 100)


def test_whoever_lost_the_run_does_nothing_more(place):
    """A process that was stopped for so long that its run was taken over may not act when it wakes up."""
    place.spec("mark a", {"tool_calls": [{"name": "mark", "arguments": {"n": "b"}}], "delay": 1}, "all done")
    going = place.start("run", "spec.json")
    wait_until(lambda: place.effects() and place.results() and isinstance(place.records()[-1], CallModel))
    going.signal(signal.SIGSTOP)
    wait_until(going.is_stopped)
    place.take_over()
    going.signal(signal.SIGCONT)

    done = going.wait()

    assert done.code == 1
    assert f"run `{place.run_id()}` is driven by somebody else now; nothing more was written here" in done.err
    assert place.effects() == ["a"]
