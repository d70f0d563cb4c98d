"""A run can be found again from where it was started: what is printed works there, and says where it looked."""

import json
import shlex

import pytest

SLOW = """\
name: slow
task: go
model: {provider: script, options: {turns: [{tool_calls: [{name: stop, arguments: {}}]}, done]}}
capability:
  sandbox: none
  tools:
    stop: {run: [sh, -c, "kill -INT $PPID; sleep 20"]}
"""


@pytest.fixture(autouse=True)
def home(monkeypatch):
    monkeypatch.delenv("AGENTSPEC_HOME", raising=False)


@pytest.mark.parametrize(
    ("words", "store"),
    [
        pytest.param(("slow.yaml",), None, marks=pytest.mark.slow),
        (("sub/slow.yaml",), "sub/.agentspec"),
        pytest.param(("slow.yaml", "--store", "kept here"), "kept here", marks=pytest.mark.slow),
    ],
)
def test_the_printed_way_to_go_on_works_where_it_is_printed(process, tmp_path, words, store):
    for place in (tmp_path, tmp_path / "sub"):
        place.mkdir(exist_ok=True)
        (place / "slow.yaml").write_text(SLOW)

    stopped = process("-m", "agentspec", "run", *words)

    assert stopped.code == 130, stopped.err
    shown = stopped.err.splitlines()[-1].removeprefix("  go on with: ")
    command = shlex.split(shown)
    assert command[:2] == ["agentspec", "resume"]
    assert command[3:] == (["--store", store] if store else [])
    done = process("-m", *command)
    assert (done.code, done.out) == (0, "done\n"), done.err


def test_every_word_of_runs_takes_the_store(agentspec, tmp_path):
    (tmp_path / "a.yaml").write_text("name: a\nmodel: {provider: script, options: {turns: [hello]}}\n")
    result = json.loads(agentspec("run", "a.yaml", "go", "--store", "kept", "--json").out)

    for words in (("list",), ("show", result["run_id"]), ("export", result["run_id"])):
        before = agentspec("runs", "--store", "kept", *words)
        behind = agentspec("runs", *words, "--store", "kept")
        assert (behind.code, behind.out) == (before.code, before.out) != (0, "")
    assert agentspec("runs", "delete", result["run_id"], "--store", "kept").code == 0
    assert agentspec("runs", "--store", "kept").out == ""


@pytest.mark.parametrize("words", [("runs",), ("resume", "x"), ("replay", "x"), ("runs", "show", "x")])
def test_where_there_are_no_runs_the_place_and_the_way_to_name_another_are_told(agentspec, tmp_path, words):
    done = agentspec(*words)

    assert done.code == 2
    assert done.err == (
        f"agentspec: no runs are kept in `{tmp_path}/.agentspec`; "
        "name the folder that keeps them with `--store`, or its project's with `project=` in Python\n"
    )


@pytest.mark.parametrize(("mark", "is_folder"), [("agentspec.toml", False), (".agentspec", True)])
def test_a_project_further_up_is_told_with_its_reason(agentspec, tmp_path, mark, is_folder):
    (tmp_path / mark).mkdir() if is_folder else (tmp_path / mark).write_text("")
    (tmp_path / "sub").mkdir()
    spec = "name: a\ntask: go\nmodel: {provider: script, options: {turns: [hello]}}\n"
    (tmp_path / "sub" / "a.yaml").write_text(spec)
    (tmp_path / "a.yaml").write_text(spec)
    (tmp_path / "sub" / "gone.yaml").write_text(spec + "capability: {toolkits: [{files.read: {root: gone}}]}\n")

    below, beside, gone = (agentspec("run", file) for file in ("sub/a.yaml", "a.yaml", "sub/gone.yaml"))

    line = f"the project is `{tmp_path}`, which holds `{mark}`: paths of the spec and the store begin there\n"
    assert below.err.startswith(line)
    assert below.err.count("the project is") == 1
    assert "the project is" not in beside.err
    assert "there is no folder `gone` in the project" in gone.err
    assert f"it counts from the project folder `{tmp_path}`" in gone.err


def test_pending_keys_of_a_preset_are_named(agentspec, tmp_path):
    (tmp_path / "audit.yaml").write_text("preset: audit\nlifecycle: {daemon: true}\n")
    spec = "name: a\ntask: go\nextends: [./audit.yaml]\nmodel: {provider: script, options: {turns: [hello]}}\n"
    (tmp_path / "a.yaml").write_text(spec)
    (tmp_path / "b.yaml").write_text(spec + "observability: {otel: false}\n")

    alone, both = agentspec("run", "a.yaml"), agentspec("run", "b.yaml")

    assert alone.err.startswith("accepted, not yet in effect: of what it extends `daemon`\n")
    assert both.err.startswith("accepted, not yet in effect: `observability.otel`; of what it extends `daemon`\n")
