"""Standard streams that are closed, full or left by their reader: the exit code is the command's, and no run is lost."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentspec.adapters.stores.sqlite import SqliteStore

ROOT = Path(__file__).parents[3]
SPEC = "name: a\ntask: go\nmodel: {provider: script, options: {turns: [hello]}}\n"
COMMANDS = {  # each command line and its exit code where all is well
    "run a.yaml": 0,
    "run a.yaml --json": 0,
    "run a.yaml --events -": 0,
    "run bad.yaml go": 2,
    "run a.yaml --set execution.max_iterations=0": 2,
    "check a.yaml": 0,
    "check bad.yaml --format json": 1,
    "show a.yaml": 0,
    "explain AS102": 0,
    "schema": 0,
    "runs --store empty": 2,
    "--help": 0,
    "chekc": 2,
}
TOLD = ("explain AS102",)  # the others take the same way
EACH = {words: words if words in TOLD else pytest.param(words, marks=pytest.mark.slow) for words in COMMANDS}


@pytest.fixture
def shell(tmp_path):
    """Run the program with these words, its streams as the shell puts them; the exit code and what is left to see."""
    (tmp_path / "a.yaml").write_text(SPEC)
    (tmp_path / "bad.yaml").write_text("name: a\nmodl: 1\n")

    def run(words, streams, out=subprocess.PIPE):
        line = f"{sys.executable} -m agentspec {words} {streams}"
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(
            ["sh", "-c", line],
            cwd=tmp_path,
            env=environment,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    return run


def statuses(folder):
    store = SqliteStore(folder / ".agentspec" / "runs.db")
    try:
        return [line["status"] for line in store.list_runs()]
    finally:
        store.close()


@pytest.mark.parametrize("words", EACH.values())
@pytest.mark.parametrize("streams", [">&-", "2>&-", ">&- 2>&- <&-", "2>/dev/full"])
def test_a_stream_that_nobody_can_see_changes_no_exit_code(shell, tmp_path, words, streams):
    done = shell(words, streams)

    assert done.returncode == COMMANDS[words]
    assert "Traceback" not in f"{done.stdout}{done.stderr}"
    assert "a bug in" not in f"{done.stdout}{done.stderr}"
    if words.startswith("run a.yaml") and COMMANDS[words] == 0:
        assert statuses(tmp_path) == ["done"]


@pytest.mark.parametrize("words", [each for words, each in EACH.items() if COMMANDS[words] != 2])
def test_output_that_cannot_be_written_is_told_and_is_no_success(shell, tmp_path, words):
    done = shell(words, ">/dev/full")

    assert done.returncode == 1
    assert done.stderr.endswith("agentspec: standard output can't be written: No space left on device\n")
    if words.startswith("run"):
        assert statuses(tmp_path) == ["done"]


@pytest.mark.parametrize("words", EACH.values())
def test_a_reader_that_has_had_enough_changes_no_exit_code(shell, words):
    reading, writing = os.pipe()
    os.close(reading)

    done = shell(words, "", out=writing)

    os.close(writing)
    assert done.returncode == COMMANDS[words]
    assert "can't be written" not in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_opened_first_never_takes_the_place_of_a_closed_stream(shell, tmp_path):
    shell("run a.yaml --events events", ">&- 2>&- <&-")

    first, *_ = (tmp_path / "events").read_text().splitlines()
    assert json.loads(first)["kind"] == "run_started"
    assert statuses(tmp_path) == ["done"]
