"""The presets, profiles and the first project that come with agentspec: their values, and that they check."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentspec.checker.check import check_paths
from agentspec.compose.files import KEPT, Files, builtin_names
from agentspec.compose.keep import text
from agentspec.compose.load import load
from agentspec.resources import resource
from agentspec.spec.execution import Execution
from agentspec.syntax.kept import kept, restored
from agentspec.syntax.read import read_file
from agentspec.syntax.tree import Node, plain, same, walk
from agentspec.text.source import Source

ROOT = Path(__file__).parents[2]
NOT_IN_EFFECT = ("AS902",)  # a preset may use keys that only a later version acts on
PRESETS = [
    *("audit", "merge_captain", "oncall_captain", "release_captain", "repair", "review_captain", "summary", "verify"),
]

# profile, until done, nudges, budget, prose cap, kind of thinking, whole call, US dollars
BEHAVIOUR = {
    "audit": ("verifier", True, 1, ("adaptive", 4, 12, 2), 30_000, "verify", "120s", 5),
    "repair": ("tool_using", True, 2, ("adaptive", 4, 16, 2), 30_000, "code", "180s", 10),
    "summary": ("completer", False, 0, ("fixed", 1, 1, None), 8_000, "summarize", "60s", 1),
    "verify": ("verifier", False, 0, ("adaptive", 1, 5, 1), 12_000, "verify", "60s", 1),
    "merge_captain": ("tool_using", True, 3, ("adaptive", 8, 60, 4), 60_000, "agent", "300s", 25),
    "review_captain": ("tool_using", True, 3, ("adaptive", 6, 30, 3), 60_000, "agent", "240s", 15),
    "oncall_captain": ("tool_using", True, 3, ("adaptive", 6, 24, 3), 60_000, "agent", "180s", 15),
    "release_captain": ("tool_using", True, 3, ("adaptive", 8, 40, 4), 60_000, "agent", "300s", 25),
}


def findings(path: Path) -> list[str]:
    return [f"{each.code} {each.message}" for each in check_paths([path]).diagnostics if each.code not in NOT_IN_EFFECT]


def test_there_are_eight_presets() -> None:
    assert builtin_names("presets") == PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_checks_and_so_does_what_extends_it(folder, name: str) -> None:
    folder.write("spec.yaml", f"name: own\nextends: {name}\ntask: go\n")

    assert findings(resource("stdlib", "presets", f"{name}.agent")) == []
    assert findings(folder.path / "spec.yaml") == []


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_behaves_as_its_kind_of_work_needs(folder, name: str) -> None:
    values = folder.value(f"name: own\nextends: {name}\n")

    execution, model = values["execution"], values["model"]
    budget = execution["iteration_budget"]
    assert (
        execution["profile"],
        execution["loop_until_done"],
        execution["max_nudges"],
        (budget["mode"], budget["initial"], budget["max"], budget.get("extend_by")),
        execution["turn_policy"]["max_prose_chars"],
        model["reasoning"]["task"],
        model["timeout"],
        execution["limits"]["cost_usd"],
    ) == BEHAVIOUR[name]
    assert execution["turn_policy"]["allow_done_sentinel"] is False
    assert "max_iterations" not in execution
    assert "provider" not in model


TOOL_USING = [name for name in PRESETS if name not in ("summary", "verify")]
LAYERS = {
    "merge_captain": ["audit_log", "telemetry", "consent", "handoff"],
    "review_captain": ["audit_log", "telemetry", "handoff"],
    "oncall_captain": ["audit_log", "telemetry", {"rate_limit": {"max_calls": 50}}, "handoff"],
    "release_captain": ["audit_log", "telemetry", "handoff"],
}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_says_no_more_than_its_kind_of_work_needs(folder, name: str) -> None:
    values = folder.value(f"name: own\nextends: {name}\n")
    execution, model = values["execution"], values["model"]

    assert model["reasoning"] == {"policy": "auto", "scale": "small", "task": BEHAVIOUR[name][5]}
    assert model.get("native_tool_fallback") == ("allow_once" if name in TOOL_USING else None)
    assert model.get("tool_choice") == ("none" if name == "summary" else None)
    assert execution.get("stall") == ({"threshold": 3, "max_notes": 1} if name in TOOL_USING else None)
    assert execution.get("done_sentinel") is (None if name == "verify" else False)
    assert execution.get("turn_end_condition") is (True if name == "verify" else None)
    assert values.get("capability", {}).get("middleware") == LAYERS.get(name)
    assert ("ceiling" in values.get("capability", {})) == (name == "audit")
    assert values.get("context") == (
        {"compaction": {"policy": {"preserve": ["constraints", "decisions", "goals"]}}} if name in LAYERS else None
    )


def test_the_kept_trees_are_those_of_the_presets() -> None:
    assert KEPT.read_text(encoding="utf-8") == text()


@pytest.mark.parametrize("name", PRESETS)
def test_a_kept_tree_is_the_one_that_its_file_parses_to(name: str) -> None:
    path = resource("stdlib", "presets", f"{name}.agent")
    parsed, found = read_file(path), Files().builtin("presets", name)

    assert found is not None
    for one, other in zip(parsed.documents, found.documents, strict=True):
        assert same(one.root, other.root)
        assert places(one.root) == places(other.root)
    assert (found.spelling, found.source.text, found.diagnostics) == ("dsl", path.read_text("utf-8"), [])


def places(node: Node) -> list[tuple[object, ...]]:
    return [(path, each.span.start, each.span.end, getattr(each, "style", "")) for path, each in walk(node)]


def test_a_preset_that_was_changed_is_read_and_not_taken_from_the_kept_trees(tmp_path: Path) -> None:
    value = kept(read_file(resource("stdlib", "presets", "audit.agent")))

    assert restored(value, Source("audit.agent", value["text"] + " ")) is None
    assert restored(value, Source("audit.agent", value["text"])) is not None


def test_a_check_of_yaml_that_extends_a_preset_loads_no_parser_of_the_dsl(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("name: a\nextends: audit\n")
    program = "import sys; from agentspec.cli.main import main; main(['check', 'a.yaml']); print(*sys.modules)"

    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )

    loaded = done.stdout.split()
    assert "agentspec.compose.preset" in loaded
    assert [name for name in loaded if name.startswith(("agentspec.syntax.dsl", "lark"))] == []


def test_a_profile_exists_for_each_word_that_the_language_takes() -> None:
    field = Execution.model_fields["profile"]

    assert sorted(field.annotation.__args__) == builtin_names("profiles")  # type: ignore[union-attr]
    assert field.default in builtin_names("profiles")


@pytest.mark.parametrize("name", builtin_names("profiles"))
def test_a_profile_checks(name: str) -> None:
    assert findings(resource("stdlib", "profiles", f"{name}.yaml")) == []


def test_the_first_project_checks_without_a_note_and_asks_no_provider(folder) -> None:
    shutil.copytree(resource("stdlib", "templates"), folder.path / "project")

    report = check_paths([folder.path / "project"])
    values = plain(load("project/reader.yaml").tree)

    assert list(report.diagnostics) == []
    assert values["model"]["provider"] == "script"
    assert load("project/reader.yaml").project == folder.path / "project"
