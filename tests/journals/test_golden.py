"""Journals of earlier versions: they are replayed for ever, and each bug of a run leaves one here."""

import asyncio
from pathlib import Path

import pytest

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.api.kept import replay, story
from agentspec.core.events import Event
from agentspec.runtime.journal import decode
from tests.journals.make import RUNS

HERE = Path(__file__).parent
JOURNALS = sorted(HERE.glob("*.jsonl"))
ENDS = {
    "answer": "done",
    "crashed": "done",
    "files": "done",
    "interrupted": "done",
    "judge-asked-again": "done",
    "judged": "done",
    "last-words-again": "budget_exhausted",
    "loop": "done",
    "message": "done",
    "out-of-calls": "budget_exhausted",
    "out-of-turns": "budget_exhausted",
    "refusals": "done",
    "refused-by-the-provider": "provider_error",
    "retries": "done",
    "routed": "done",
    "ruled": "done",
    "told-its-form": "done",
    "tools": "done",
}


@pytest.mark.parametrize("path", JOURNALS, ids=lambda path: path.stem)
def test_a_journal_of_an_earlier_version_leads_to_the_same_decisions(path, tmp_path):
    store = SqliteStore(tmp_path / "runs.db")
    run_id = store.import_run(path.read_text().splitlines())
    line, trace = story(store, run_id)
    events = [record for record in map(decode, store.read_run(run_id)) if isinstance(record, Event)]
    store.close()

    replayed = asyncio.run(replay(run_id, store=tmp_path))

    assert replayed.steps == len(events)
    assert replayed.written_by.endswith(" golden")
    assert not replayed.same_version
    assert (line["run_id"], line["status"], bool(trace)) == (path.stem, ENDS[path.stem], True)


def test_every_run_that_has_a_recipe_has_its_journal():
    assert [path.stem for path in JOURNALS] == sorted(RUNS) == sorted(ENDS)
