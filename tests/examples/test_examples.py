"""Every folder of examples/ is a test: its specs check, run as `expected.json` says, and are the same in both spellings."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentspec import Result, check, run_sync
from agentspec.cli.main import main
from agentspec.syntax.read import read_file
from agentspec.syntax.tree import same
from tests import weights

EXAMPLES = Path(__file__).parents[2] / "examples"
WITH_A_MODEL = () if weights.ARE_HERE else ("on-this-machine",)  # left out, as the end of the run says
FOLDERS = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir() and path.name not in WITH_A_MODEL)
DEAR = ("on-this-machine",)  # a real model answers, for a second each
RUNS = [
    pytest.param(
        folder,
        spec,
        {name: value for name, value in expected.items() if name != "specs"},
        id=spec,
        marks=[pytest.mark.slow] if folder in DEAR else [],
    )
    for folder in FOLDERS
    for expected in json.loads((EXAMPLES / folder / "expected.json").read_text("utf-8"))
    for spec in expected["specs"]
]


@pytest.fixture(autouse=True)
def _in_a_copy(tmp_path, monkeypatch) -> None:
    """The examples in a folder of their own: a run leaves its journal beside the spec."""
    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns(".agentspec"))
    monkeypatch.chdir(tmp_path / "examples")


def told(result: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """Of a result what `expected.json` speaks of; of the results of tools the last one by name, for its names.

    A real model's text is not the same on every machine; what was read out of it is.
    """
    answer, names = "output" if "output" in expected else "text", set(expected["results"])
    last = {note["name"]: note["text"] for note in result["trace"] if note["kind"] == "result"}
    return {
        **{name: result[name] for name in ("status", "stop_reason", answer)},
        "tools": {name: result["tools"][name] for name in ("calls", "successful", "rejected")},
        "results": {name: text for name, text in last.items() if name in names},
        "iterations": result["llm"]["iterations"],
    }


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_spec_of_an_example_is_expected_and_checks_without_a_finding(folder: str) -> None:
    named = {spec.partition("#")[0] for of, spec, _ in (run.values for run in RUNS) if of == folder}

    report = check(folder)

    assert report.diagnostics == []
    beside = {file for each in Path(folder).rglob("library.yaml") for file in each.parent.rglob("*")}
    assert {
        Path(name).name for name in report.checked if ".scenario." not in name and Path(name) not in beside
    } == named


def test_the_scenarios_of_the_examples_pass(capsys) -> None:
    code = main(["test", "."])

    assert code == 0, capsys.readouterr().out


@pytest.mark.parametrize(("folder", "spec", "expected"), RUNS)
def test_an_example_runs_as_expected_from_the_command_line(folder, spec, expected, capsys) -> None:
    code = main(["run", f"{folder}/{spec}", "--json", "--trace"])
    result = json.loads(capsys.readouterr().out)

    assert code == 0
    assert told(result, expected) == expected

    assert main(["replay", result["run_id"], "--store", f"{folder}/.agentspec", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["identical"] is True


@pytest.mark.parametrize(("folder", "spec", "expected"), RUNS)
def test_an_example_runs_as_expected_from_python(folder, spec, expected) -> None:
    result = run_sync(f"{folder}/{spec}", trace=True)

    assert isinstance(result, Result)
    assert told(result.as_json(), expected) == expected


@pytest.mark.parametrize("folder", FOLDERS)
def test_both_spellings_of_an_example_are_one_tree(folder: str) -> None:
    specs = sorted(Path(folder).glob("*.agent"))

    pairs = [(read_file(path), read_file(path.with_suffix(".yaml"))) for path in specs]

    assert pairs
    for dsl, yaml in pairs:
        assert len(dsl.documents) == len(yaml.documents)
        assert all(same(a.root, b.root) for a, b in zip(dsl.documents, yaml.documents, strict=True))


def test_what_init_writes_checks_and_runs(tmp_path, capsys) -> None:
    assert main(["init", "mine"]) == 0
    assert main(["check", "--strict", "mine"]) == 0
    assert main(["run", "mine/reader.yaml"]) == 0

    printed = capsys.readouterr()
    assert "no findings in 1 file\n" in printed.out
    assert "\ndone (completed) after 3 turns, 3 tool calls, " in printed.err
