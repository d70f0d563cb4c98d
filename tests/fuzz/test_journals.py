"""A damaged journal is refused by name, or says what it said: never a traceback, never silently something else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from agentspec.adapters.stores.export import _with_sum, read_lines
from agentspec.core.events import Event
from agentspec.errors import JournalError
from agentspec.ports import JournalRecord
from agentspec.runtime.journal import decode
from agentspec.runtime.tally import Tally
from tests.fuzz.damage import SEEDS, damaged, damaged_bytes, lean, quick

EXPORTS = [
    path.read_text("utf-8").splitlines() for path in sorted((Path(__file__).parents[1] / "journals").glob("*.jsonl"))
]


def told(lines: list[str]) -> object:
    """What an export says, or the sentence of the error that refuses it."""
    with quick(lines):
        try:
            return read_lines(lines)
        except JournalError:
            return None


def cut_and_flip(seed: int, count: int) -> None:
    """One line damaged, lost, doubled or moved: refused, unless nothing but line ends has changed."""
    chance = random.Random(seed)
    with lean():
        for _ in range(count):
            lines = list(chance.choice(EXPORTS))
            whole = read_lines(lines)
            at = chance.randrange(len(lines))
            match chance.randrange(4):
                case 0:
                    lines[at] = damaged_bytes(lines[at].encode(), chance).decode("utf-8", "replace")
                case 1:
                    del lines[at]
                case 2:
                    lines.insert(chance.randrange(len(lines)), lines[at])
                case _:
                    lines = lines[:at]
            assert told(lines) in (None, whole)


def forge(seed: int, count: int) -> None:
    """Lines whose checksum fits whatever they say: what is no record is refused, what is one can be looked at."""
    chance = random.Random(seed)
    for _ in range(count):
        lines = list(chance.choice(EXPORTS))
        at = chance.choice((0, -1, chance.randrange(len(lines))))
        text = damaged(lines[at].rpartition(',"sha256":"')[0], [lines[at], '{"a": [1]}'], chance, longest=20_000)
        lines[at] = _with_sum(text.encode("utf-8", "replace").decode() + "}")
        told(lines)


def decode_many(seed: int, count: int) -> None:
    """Bodies of records as they come from a database that somebody has changed."""
    chance = random.Random(seed)
    records = [record for lines in EXPORTS for record in read_lines(lines)[1]]
    for _ in range(count):
        record = chance.choice(records)
        body = damaged_bytes(record.body, chance)
        with quick(body):
            try:
                read = decode(JournalRecord(seq=record.seq, kind=record.kind, at=record.at, body=body))
            except JournalError:
                continue
            if isinstance(read, Event):
                Tally().take(read)


RUN = '"run": {"run_id": "r"'
# First lines whose checksum fits, on which reading once ended in a traceback, with what is said now.
FORGED = (
    ("1}", "line 1 of the export is no line of one"),
    ("{]}", "line 1 of the export is no line of one"),
    ('{"agentspec": "run"}', "this is no export of a run"),
    ('{"agentspec": "run", "format": "1", "run": {}}', "this is no export of a run"),
    ('{"agentspec": "run", "format": 1, "run": {}}', "the export does not say which run it is of"),
    (
        f'{{"agentspec": "run", "format": 1, {RUN}, "spec": "\\ud800"}}}}',
        "what the export says of its run under `spec` can't be kept",
    ),
    (
        f'{{"agentspec": "run", "format": 1, {RUN}, "user": {10**20}}}}}',
        "what the export says of its run under `user` can't be kept",
    ),
)


@pytest.mark.parametrize(("text", "sentence"), FORGED)
def test_a_forged_first_line_is_refused_in_words(text: str, sentence: str) -> None:
    with pytest.raises(JournalError) as refused:
        read_lines([_with_sum(text), *EXPORTS[0][1:]])

    assert str(refused.value) == sentence


def test_a_damaged_journal_is_refused_or_says_what_it_said() -> None:
    cut_and_flip(1, 60)
    forge(2, 60)
    decode_many(3, 300)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_many_damaged_journals_are_refused_or_say_what_they_said(seed: int) -> None:
    cut_and_flip(100 + seed, 1000)
    forge(200 + seed, 1000)
    decode_many(300 + seed, 5000)
