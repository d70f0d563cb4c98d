"""An exported run comes back byte for byte, or the line that can't be trusted is named."""

import json
import random

import pytest

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.errors import JournalError, NotAllowed


@pytest.fixture
def store(tmp_path):
    opened = SqliteStore(tmp_path / "one" / "runs.db")
    yield opened
    opened.close()


@pytest.fixture
def other(tmp_path):
    opened = SqliteStore(tmp_path / "two" / "runs.db")
    yield opened
    opened.close()


@pytest.fixture
def lines(store):
    journal = store.create_run("r1", {"spec": "audit", "user": "ada", "note": "é"})
    bodies = [b'{"a": 1.50, "b":"\\u00e9"}', '{"text":"naïve 😀"}'.encode(), b"[]", b'{"sha256":"x"}']
    journal.append([("thing", 0.1 + n, body) for n, body in enumerate(bodies)], barrier=False)
    journal.describe({"status": "done", "stop_reason": "natural", "llm": {"iterations": 1}})
    return list(store.export_run("r1"))


def test_a_run_comes_back_as_it_went(store, other, lines):
    assert other.import_run(lines) == "r1"

    assert other.read_run("r1") == store.read_run("r1")
    assert other.find_run("r1") == store.find_run("r1")
    assert list(other.export_run("r1")) == lines
    assert other.open_run("r1").append([("more", 1.0, b"{}")], barrier=False) == 5


def test_each_line_is_json_with_a_checksum(lines):
    assert [sorted(json.loads(line)) for line in lines] == [
        ["agentspec", "format", "run", "sha256"],
        *[["at", "body", "kind", "prev", "seq", "sha256"]] * 4,
        ["end", "head", "sha256"],
    ]
    assert json.loads(lines[2])["body"] == {"text": "naïve 😀"}


def test_the_lines_survive_a_file(other, lines, tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    with path.open(encoding="utf-8") as file:
        assert other.import_run(file) == "r1"


def test_a_run_is_not_imported_over_another(store, lines):
    with pytest.raises(NotAllowed, match="there is already a run `r1`"):
        store.import_run(lines)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [], "the export is empty"),
        (lambda lines: lines[:3], "the export is cut off after line 3"),
        (lambda lines: lines[:2] + lines[3:], "line 3 of the export: record 2 is missing before it"),
        (lambda lines: lines[:4] + lines[5:], "line 5 of the export: records are missing before it"),
        (
            lambda lines: [lines[0], lines[2], lines[1], *lines[3:]],
            "line 2 of the export: record 1 is missing before it",
        ),
        (
            lambda lines: [*lines[:2], lines[2].replace("naïve", "native"), *lines[3:]],
            "line 3 of the export was changed",
        ),
        (lambda lines: [*lines[:2], lines[2][:-9], *lines[3:]], "line 3 of the export is cut or is no line of one"),
        (lambda lines: lines[1:], "this is no export of a run"),
        (lambda lines: ["{}"], "line 1 of the export is cut or is no line of one"),
    ],
)
def test_a_line_that_cannot_be_trusted_is_named(other, lines, change, message):
    with pytest.raises(JournalError) as refusal:
        other.import_run(change(lines))

    assert str(refusal.value) == message
    assert other.list_runs() == []


def damaged(text, chance):
    position = chance.randrange(len(text))
    if chance.random() < 0.5:
        return text[:position]
    return text[:position] + chr(ord(text[position]) ^ 1 << chance.randrange(7)) + text[position + 1 :]


def check_damage(other, store, lines, rounds):
    whole = "\n".join(lines)
    for number in range(rounds):
        text = damaged(whole, random.Random(number))
        try:
            other.import_run(text.split("\n"))
        except (JournalError, NotAllowed):
            continue
        assert other.read_run("r1") == store.read_run("r1")
        other.delete_run("r1")


def test_a_damaged_export_is_never_taken_for_whole(store, other, lines):
    check_damage(other, store, lines, 200)


@pytest.mark.slow
def test_no_damaged_export_is_ever_taken_for_whole(store, other, lines):
    check_damage(other, store, lines, 4000)
