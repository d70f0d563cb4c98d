"""SIGINT, SIGTERM and SIGHUP at any time: the program ends soon, says how, leaves nothing running, and its run goes on."""

import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from agentspec.core.orders import Finish
from tests.durability.place import wait_until
from tests.sample import fast_first

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def thinking(name):
    return {"tool_calls": [{"name": "mark", "arguments": {"n": name}}], "delay": 0.05}


TURNS = ["mark a", ["both b", "both c"], thinking("d"), "put e", "mark f", thinking("g"), "mark h", "all done"]


def survivors(place):
    """The programs that still run in a place's folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink() == place.folder:
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:  # it has just ended
            continue
    return found


def has_begun(place):
    return place.database.exists() and bool(place.runs())


def assert_stopped_well(place, going, number):
    """What must hold of a program that was told to stop; whether its run was stopped by that."""
    done, seconds = going.stop_and_wait(number)

    assert seconds <= 2
    assert survivors(place) == []
    if not done.out:  # before there was a run, or before it was taken up
        said = done.err.startswith("agentspec: stopped by a signal")
        assert (done.code, said) in ((CODES[number], True), (-number, False)), done.err
        return False
    if done.code == 0:  # it came after the run was done
        return False
    assert done.code == CODES[number], done.err
    told = done.json
    assert (told["status"], told["handle"]) == (
        "interrupted",
        {"run_id": told["run_id"], "reason": "signal", "pending": []},
    )
    assert [line["status"] for line in place.runs()] == ["interrupted"]
    assert isinstance(place.records()[-1], Finish)
    return True


def stop_until_it_is_done(place, chance):
    """Signal a run at a random time, resume it, and again, until it is done; how often it was stopped."""
    place.spec(*TURNS)
    stops = 0
    while not (has_begun(place) and place.runs()[0]["status"] == "done"):
        words = ("resume", place.run_id()) if has_begun(place) else ("run", "spec.json")
        going = place.start(*words, "--json", "--quiet")
        at = time.monotonic() + chance.uniform(0, 0.6)
        wait_until(lambda at=at, going=going: time.monotonic() > at or going.has_ended())
        stops += assert_stopped_well(place, going, chance.choice(list(CODES)))
    effects = Counter(place.effects())
    assert all(count == 1 for count in effects.values())
    assert set(place.results()) == {"ok"}
    assert place.run("replay", place.run_id()).code == 0
    return stops


@pytest.mark.parametrize("number", fast_first(CODES), ids=lambda number: number.name)
def test_a_program_that_is_told_to_stop_says_so_and_can_be_resumed(place, number):
    place.spec("mark a", "wait b", "mark c", "all done")
    going = place.start("run", "spec.json", "--json")
    place.started_effect("b")

    assert assert_stopped_well(place, going, number)

    assert going.err.read_text().splitlines()[-1] == f"  go on with: agentspec resume {place.run_id()}"
    assert place.run("resume", place.run_id()).out == "all done\n"
    assert place.effects() == ["a", "b", "c"]


def test_the_program_as_a_shell_starts_it_is_stopped_the_same_way(place):
    place.spec("mark a", "wait b", "all done")
    going = place.python("run", "spec.json", "--json")
    place.started_effect("b")

    assert assert_stopped_well(place, going, signal.SIGINT)

    assert place.run("resume", place.run_id()).code == 0


def test_a_program_that_was_started_with_nohup_outlives_its_terminal(place):
    place.spec("mark a", "wait b", "all done")
    going = place.python("run", "spec.json", "--json", under=("nohup",))
    place.started_effect("b")
    going.process.send_signal(signal.SIGHUP)

    done, _ = going.stop_and_wait(signal.SIGTERM)

    assert (done.code, done.json["status"]) == (143, "interrupted")


def test_a_tool_that_ignores_the_polite_signal_is_ended_after_its_grace(place):
    place.spec("stubborn a", "all done", lifecycle={"grace": "200ms"})
    going = place.start("run", "spec.json", "--json")
    place.started_effect("a")

    assert assert_stopped_well(place, going, signal.SIGTERM)


def test_a_second_signal_does_not_wait_for_the_grace(place):
    place.spec("stubborn a", "all done", lifecycle={"grace": "60s"})
    going = place.start("run", "spec.json", "--json")
    place.started_effect("a")
    going.signal(signal.SIGINT)
    wait_until(lambda: isinstance(place.records()[-1], Finish))
    assert not going.has_ended()
    assert len(survivors(place)) > 1  # the program and what it waits for

    assert assert_stopped_well(place, going, signal.SIGINT)

    assert place.run("resume", place.run_id()).out == "all done\n"


def test_the_calls_of_a_stopped_batch_are_told_apart(place):
    place.spec(["mark a", "wait b", "mark c"], "all done")
    going = place.start("run", "spec.json", "--json")
    place.started_effect("b")

    assert_stopped_well(place, going, signal.SIGTERM)

    assert place.tool_messages() == [
        "(no output)",
        "ERROR: interrupted while it ran; it may have acted",
        "ERROR: interrupted before it started",
    ]


def test_a_run_is_not_ended_by_whoever_stops_reading_its_progress(place):
    place.spec("mark a", "mark b", "mark c", "all done")
    reading, writing = os.pipe()
    going = place.python("run", "spec.json", err=writing)
    os.close(reading)
    os.close(writing)

    assert going.process.wait() == 0

    assert place.effects() == ["a", "b", "c"]
    assert [line["status"] for line in place.runs()] == ["done"]


@pytest.mark.slow
def test_a_run_survives_being_stopped_at_a_random_time(place):
    stop_until_it_is_done(place, random.Random(1))


def stopped_cold(place, seconds, number):
    """A program from a cold start that is told to stop after so many seconds."""
    going = place.python("run", "spec.json", "--json", "--quiet")
    time.sleep(seconds)
    return going.stop_and_wait(number)[0]


@pytest.mark.slow
def test_a_program_that_is_stopped_while_it_starts_says_so_or_has_a_result(place):
    place.spec("mark a", "wait b", "all done")
    chance = random.Random(7)

    for _ in range(300):
        number = chance.choice(list(CODES))
        done = stopped_cold(place, chance.uniform(0.03, 0.9), number)
        if done.out:
            assert (done.code, done.json["status"], done.err) == (CODES[number], "interrupted", done.err)
        else:
            assert "agentspec/cli/main" not in done.err
            # Before our first line Python has its own way to end, with a traceback: out of reach.
            assert done.code in (CODES[number], -number) or "Traceback" in done.err, done.err
        assert survivors(place) == []
    assert {line["status"] for line in place.runs()} == {"interrupted"}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_a_run_survives_being_stopped_at_any_time(places, part):
    stops = 0
    for number in range(100):
        stops += stop_until_it_is_done(places(f"stopped-{number}"), random.Random(f"{part}/{number}"))
        if stops >= 25:
            break
    assert stops >= 25
