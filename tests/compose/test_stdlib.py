"""The presets, profiles and the first project that come with agentspec: their values, and that they check."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentspec.checker.check import check_paths
from agentspec.compose.files import builtin_names
from agentspec.compose.load import load
from agentspec.resources import resource
from agentspec.spec.execution import Execution
from agentspec.syntax.tree import plain

NOT_IN_EFFECT = ("AS902", "AS905")  # a preset may use keys that only a later version acts on
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

    assert findings(resource("stdlib", "presets", f"{name}.yaml")) == []
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
