"""`replay`, and what is refused: journals that were changed, and journals of other formats."""

import contextlib
import json
import sqlite3

import pytest

from agentspec.adapters.stores.chain import START, link
from tests.sample import fast_first


def alter(place, change):
    """Change the stored records as somebody does that knows SQLite but not the chain of hashes."""
    with contextlib.closing(sqlite3.connect(place.database)) as connection:
        change(connection)
        connection.commit()


def forge(place, old, new):
    """Change the text of records and compute every hash anew, as somebody does that knows all about it."""
    with contextlib.closing(sqlite3.connect(place.database)) as connection:
        run_id = connection.execute("SELECT run_id FROM runs").fetchone()[0]
        head = START
        rows = connection.execute("SELECT place, kind, at, body FROM records ORDER BY place").fetchall()
        for seq, (key, kind, at, body) in enumerate(rows, 1):
            changed = body.replace(old, new)
            connection.execute("UPDATE records SET prev = ?, body = ? WHERE place = ?", (head, changed, key))
            head = link(run_id, head, seq, kind, at, changed.encode())
        connection.execute("UPDATE heads SET hash = ?", (head,))
        connection.commit()


@pytest.fixture
def interrupted(place):
    """A run that died after its first call; its journal has seven records."""
    place.spec("mark a", "mark b", "all done")
    place.drive("start", die=["append 3", "after"])
    return place


def test_a_run_is_derived_again_step_by_step(place):
    place.spec("mark a", ["both b", "both c"], "all done")
    place.run("run", "spec.json")
    (place.folder / "spec.json").unlink()

    replayed = place.run("replay", place.run_id(), "--json")
    told = place.run("replay", place.run_id())

    steps = replayed.json["steps"]
    assert (replayed.code, replayed.json) == (0, {"identical": True, "steps": steps, "first_difference": None})
    assert steps == 7
    assert told.out == "identical: 7 steps lead to the same decisions\n"
    assert len(place.effects()) == 3


def test_another_decision_than_the_one_that_was_made_is_shown_with_both_sides(interrupted):
    forge(interrupted, '"length":3', '"length":2')

    replayed = interrupted.run("replay", interrupted.run_id(), "--json")

    assert replayed.code == 1
    assert replayed.json["identical"] is False
    difference = replayed.json["first_difference"]
    assert difference.startswith("step 3 (ToolReturned): the journal holds ")
    assert "length=2" in difference.partition(", now ")[0]
    assert "length=3" in difference.partition(", now ")[2]


def test_a_run_is_not_resumed_where_this_version_decides_otherwise(interrupted):
    forge(interrupted, '"length":3', '"length":2')

    refused = interrupted.run("resume", interrupted.run_id())

    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        "agentspec: record 8 of the journal (`call_model`) is not what this version decides there: "
        "use the version that wrote it; `agentspec replay` shows the difference\n"
    )


CHANGES = {
    "deleted": ("DELETE FROM records WHERE place & 0xffffffff = 5", "record 5 of run `{run}` is missing"),
    "edited": (
        "UPDATE records SET body = replace(body, 'mark', 'look') WHERE place & 0xffffffff = 5",
        "record 5 (`call_tool`) of run `{run}` was changed after it was written",
    ),
    "cut": ("DELETE FROM records WHERE place & 0xffffffff > 5", "record 6 of run `{run}` is missing"),
}


@pytest.mark.parametrize("change", fast_first(CHANGES))
def test_a_journal_that_was_changed_is_neither_resumed_nor_replayed(interrupted, change):
    statement, words = CHANGES[change]
    alter(interrupted, lambda connection: connection.execute(statement))
    run_id = interrupted.run_id()

    refusals = [interrupted.run(command, run_id) for command in ("resume", "replay")]

    assert [(refused.code, refused.out) for refused in refusals] == [(2, "")] * 2
    assert [refused.err for refused in refusals] == [f"agentspec: {words.format(run=run_id)}\n"] * 2
    assert interrupted.effects() == ["a"]


FORMATS = {
    '"format":99,"written_by":"agentspec 9.1.0"': (
        "the journal was written by `agentspec 9.1.0` in format 99, this version reads up to 1: "
        "use that version or a newer one"
    ),
    '"format":0': "the journal's first record names no format: this version can't read it",
    '"form":1': "the journal's first record names no format: this version can't read it",
}


@pytest.mark.parametrize("written", fast_first(FORMATS))
def test_a_journal_of_another_format_is_refused_in_plain_words(interrupted, written):
    header = json.dumps({"format": 1, "written_by": "agentspec 0.1.0"}, separators=(",", ":"))[1:-1]
    forge(interrupted, header, written)

    refusals = [interrupted.run(command, interrupted.run_id()) for command in ("resume", "replay")]

    assert [(refused.code, refused.out) for refused in refusals] == [(2, "")] * 2
    assert [refused.err for refused in refusals] == [f"agentspec: {FORMATS[written]}\n"] * 2


def test_a_record_that_this_version_does_not_know_is_named(interrupted):
    forge(interrupted, '"kind":"call_tool"', '"kind":"call_oracle"')

    refused = interrupted.run("resume", interrupted.run_id())

    assert refused.code == 2
    assert refused.err.startswith("agentspec: record 5 of the journal can't be read: ")
