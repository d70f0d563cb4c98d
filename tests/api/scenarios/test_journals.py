"""What journals tell a recording: of every golden journal, and of every beginning of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.adapters.models.script_file import read_turns
from agentspec.adapters.stores.export import read_lines
from agentspec.api.scenarios.journals import told_by
from agentspec.core.events import ModelReplied
from agentspec.runtime.journal import decode

GOLDEN = sorted((Path(__file__).parents[2] / "journals").glob("*.jsonl"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_any_journal_can_be_recorded_wherever_it_ends(path: Path) -> None:
    _, kept = read_lines(path.read_text("utf-8").splitlines())
    records = [(record.at, decode(record)) for record in kept]

    for end in range(1, len(records) + 1):
        told = told_by([records[:end]], ())
        replied = sum(isinstance(record, ModelReplied) for _, record in records[:end])
        assert len(read_turns(told.turns, "it")) >= replied
