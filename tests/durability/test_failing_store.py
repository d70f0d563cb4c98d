"""A store that fails while a run goes on: nothing is done without its intent on disk, and later the run goes on."""

import random

import pytest

from agentspec.core.events import ToolReturned
from agentspec.core.orders import CallTool

TURNS = ["mark a", "put b", ["both c", "both d"], "look e", "mark f", "mark g", "all done"]
ACTING = {"a", "b", "c", "d", "f", "g"}
APPENDS = 13
REASONS = {
    "full": "the disk is full",
    "limited": "the disk failed or is full",
    "read-only": "it can't be written to",
    "locked": "another process holds it for too long",
}
OTHERS = sorted(REASONS.keys() - {"full"})


def assert_goes_on(place):
    """What must hold once the store works again."""
    records = place.records()
    intents = {record.arguments["n"] for record in records if isinstance(record, CallTool)}
    finished = {record.call.arguments for record in records if isinstance(record, ToolReturned)}
    assert set(place.effects()) <= intents
    assert [line["status"] for line in place.runs()] == ["crashed"]
    assert place.run("replay", place.run_id()).code == 0

    done = place.run("resume", place.run_id())

    assert (done.code, done.out) == (0, "all done\n"), done.err
    effects = place.effects()
    assert all(effects.count(name) == 1 for name in effects if name != "b")
    assert len(ACTING - set(effects)) <= place.results()["unknown_outcome"]
    assert len(finished) + place.results()["unknown_outcome"] <= len(ACTING) + 1
    assert place.run("replay", place.run_id()).code == 0


def fail_and_go_on(place, kind, number):
    place.spec(*TURNS)
    failed = place.drive("start", fail=[f"append {number}", kind])
    if failed.code == 0:  # nothing more of the store was needed, or two results shared a commit
        assert kind == "full" or failed.json["counts"]["append"] < number
        return False
    assert failed.code == 2, failed.err
    assert failed.err.startswith(f"JournalError the store `{place.database}` failed: {REASONS[kind]} (SQLITE_"), (
        failed.err
    )
    if number == 1 and kind != "full":  # a file that may not grow has room left in its pages
        assert place.effects() == []
        return True
    assert_goes_on(place)
    return True


@pytest.mark.parametrize("kind", ["full", *(pytest.param(kind, marks=pytest.mark.slow) for kind in OTHERS)])
def test_a_run_stops_at_a_failing_store_and_goes_on_when_it_works_again(places, kind):
    chance = random.Random(kind)

    failures = [fail_and_go_on(places(f"{number}"), kind, number) for number in (1, chance.randint(2, 9))]

    assert any(failures)


@pytest.mark.slow
@pytest.mark.parametrize("kind", REASONS)
def test_a_run_stops_at_a_store_that_fails_at_any_write(places, kind):
    numbers = [number for number in range(1, APPENDS + 4) if fail_and_go_on(places(f"{number}"), kind, number)]

    assert len(numbers) >= APPENDS // 2


def test_a_store_that_fails_is_told_with_the_way_to_go_on(places):
    """The size of files is limited, so that the write-ahead log can't grow."""
    for name, extra in (("text", ()), ("json", ("--json",))):
        place = places(name)
        place.spec(*TURNS)
        failed = place.run("run", "spec.json", "--quiet", *extra, limit_fsize=148_000)
        run_id = place.run_id()

        assert failed.code == 1
        reason = f"the store `{place.database}` failed: the disk failed or is full (SQLITE_IOERR_WRITE)"
        assert failed.err == f"agentspec: {reason}\n  the run stopped; go on with: agentspec resume {run_id}\n"
        if extra:
            error = {"category": "error", "reason": "store_failed", "message": reason, "run_id": run_id}
            assert failed.json == {"error": error, "diagnostics": []}
        else:
            assert failed.out == ""
        assert_goes_on(place)


def test_a_store_that_cannot_be_used_starts_nothing(place):
    place.spec(*TURNS)
    place.database.parent.mkdir()
    place.database.write_text("no database, but some text that somebody has put here")

    refused = place.run("run", "spec.json")

    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith(f"agentspec: the store `{place.database}` failed: it is no SQLite database")
    assert place.effects() == []
