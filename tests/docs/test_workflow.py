"""The workflow of the guide: every step that calls agentspec works as it stands there."""

from __future__ import annotations

import shlex

from agentspec.cli.main import main
from agentspec.syntax.read import read_file
from agentspec.syntax.tree import plain
from tests.docs.page import ROOT, blocks


def test_the_steps_of_the_workflow_run_as_they_are_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    workflow = next(block for block in blocks(ROOT / "docs" / "guide" / "checking.md") if "workflows" in block.name)
    (tmp_path / "workflow.yaml").write_text(workflow.text)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "a.yaml").write_text("name: a\nexecution: {max_turns: 3}\n")

    steps = plain(read_file(tmp_path / "workflow.yaml").documents[0].root)["jobs"]["check"]["steps"]
    commands = [shlex.split(step["run"]) for step in steps if "run" in step]
    [command] = [words[1:] for words in commands if words[0] == "agentspec"]

    assert main(command) == 1
    assert capsys.readouterr().out.startswith("::error file=specs/a.yaml,line=2,")
    (tmp_path / "specs" / "a.yaml").write_text("name: a\nexecution: {max_iterations: 3}\n")
    assert main(command) == 0
