"""Answers are kept beside the runs of a store: the first of each, the newest of them, and none at the cost of a run."""

import sqlite3
from pathlib import Path

import pytest

from agentspec.adapters.stores.answers import KeptAnswers
from agentspec.adapters.stores.database import Database
from agentspec.adapters.stores.sqlite import SqliteStore


@pytest.fixture
def database(tmp_path: Path):
    made = Database(tmp_path / "runs.db", create=True, patience=0.1, written_by="a test")
    yield made
    made.close()


def test_an_answer_is_there_for_whoever_opens_the_store_later(tmp_path: Path) -> None:
    first = SqliteStore(tmp_path / "runs.db")
    assert first.answers.get("a") is None
    first.answers.put("a", b"one")
    first.close()

    second = SqliteStore(tmp_path / "runs.db")

    assert (second.answers.get("a"), second.answers.get("b")) == (b"one", None)
    second.close()


def test_the_first_answer_stays(database: Database) -> None:
    answers = KeptAnswers(database)

    answers.put("a", b"one")
    answers.put("a", b"two")

    assert answers.get("a") == b"one"


def test_the_oldest_go_first(database: Database) -> None:
    answers = KeptAnswers(database, most=2)

    for name in ("a", "b", "c"):
        answers.put(name, name.encode())

    assert [answers.get(name) for name in ("a", "b", "c")] == [None, b"b", b"c"]


def test_a_store_that_another_process_holds_keeps_nothing_and_stops_nobody(database: Database, tmp_path: Path) -> None:
    answers = KeptAnswers(database)
    other = sqlite3.connect(tmp_path / "runs.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    answers.put("a", b"one")

    assert answers.get("a") is None
    other.execute("ROLLBACK")
    other.close()
