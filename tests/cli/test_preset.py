"""`agentspec preset`: which presets there are, what one says, and what another in its place would change."""

from __future__ import annotations

import json

import pytest

HOUSE = """\
preset: house
description: Short runs
extends: audit
inputs:
  turns: integer
  note: {type: string, default: Go on.}
execution:
  max_iterations: ${inputs.turns}
  nudge: ${inputs.note}
"""
STRICT = """\
preset: strict
extends: [{use: ./house.yaml, with: {turns: "${inputs.turns}", note: Look again.}}]
inputs: {turns: integer}
execution: {max_nudges: 0}
"""
SPEC = "name: a\nextends: [{use: ./house.yaml, with: {turns: 3}}]\n"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "house.yaml").write_text(HOUSE)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "two.agent").write_text('preset one {}\npreset two { description: "The second" }\n')


def value_of(done):
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_the_list_has_the_built_in_presets_and_those_of_the_project(agentspec, project):
    done = agentspec("preset", "list")

    lines = done.out.splitlines()
    assert lines[0] == "audit                Looks into something and reports what it finds"
    assert lines[8:] == [
        "./house.yaml         Short runs",
        "./lib/two.agent#one",
        "./lib/two.agent#two  The second",
    ]
    assert agentspec("preset").out == done.out


def test_the_project_is_looked_through_from_any_folder_in_it(agentspec, project, tmp_path, monkeypatch):
    (tmp_path / "agentspec.toml").write_text("")
    monkeypatch.chdir(tmp_path / "lib")

    assert [each["written"] for each in value_of(agentspec("preset", "--json"))[8:]] == [
        "../house.yaml",
        "./two.agent#one",
        "./two.agent#two",
    ]
    assert agentspec("preset", "show", "house").out.startswith("../house.yaml: Short runs\n")
    assert len(value_of(agentspec("preset", "list", ".", "--json"))) == 10


def test_the_list_is_plain_values_for_a_program(agentspec, project):
    found = value_of(agentspec("preset", "list", "--format", "json"))

    assert [each["name"] for each in found][7:] == ["verify", "house", "one", "two"]
    assert found[8] == {
        "name": "house",
        "description": "Short runs",
        "written": "./house.yaml",
        "source": "file",
        "file": "house.yaml",
        "inputs": {
            "turns": {"type": "integer", "required": True, "default": None},
            "note": {"type": "string", "required": False, "default": "Go on."},
        },
    }


def test_a_preset_is_shown_with_its_inputs_and_the_place_of_every_value(agentspec, project):
    done = agentspec("preset", "show", "house")

    assert done.out.splitlines()[:4] == [
        "./house.yaml: Short runs",
        "extends: preset:audit",
        "input turns: integer, required",
        'input note: string, default "Go on."',
    ]
    places = {value.rstrip(): place for value, place in (line.split("  # ") for line in done.out.splitlines()[4:])}
    assert places['execution.max_iterations: "${inputs.turns}"'] == "spec house.yaml:8:19"
    assert places['execution.nudge: "Go on."'] == "spec house.yaml:6:33"
    assert places["execution.max_nudges: 1"].startswith("preset:audit stdlib/presets/audit.")


def test_a_preset_is_shown_as_json_with_the_chain_of_each_value(agentspec, project):
    found = value_of(agentspec("preset", "show", "./house.yaml", "--json"))

    assert found["extends"] == ["preset:audit"]
    assert found["spec"]["execution"]["max_nudges"] == 1
    assert [each["layer"] for each in found["origins"]["execution.max_nudges"]] == ["preset:audit"]
    assert "inputs" not in found["spec"]
    assert not [path for path in found["origins"] if path.startswith(("inputs", "preset", "extends", "description"))]


def test_a_difference_is_told_with_what_it_changes_in_the_specs(agentspec, project, tmp_path):
    (tmp_path / "strict.yaml").write_text(STRICT)
    (tmp_path / "a.yaml").write_text(SPEC)
    (tmp_path / "b.yaml").write_text("name: b\n")

    done = agentspec("preset", "diff", "house", "strict")
    found = value_of(agentspec("preset", "diff", "./house.yaml", "./strict.yaml", "--json"))

    assert done.out.splitlines() == [
        "./house.yaml → ./strict.yaml",
        "  execution.max_nudges: 1 → 0",
        '  execution.nudge: "Go on." → "Look again."',
        "a.yaml:",
        "  execution.max_nudges: 1 → 0",
        '  execution.nudge: "Go on." → "Look again."',
    ]
    assert found["a"]["written"], found["b"]["written"] == ("./house.yaml", "./strict.yaml")
    assert (
        found["changes"]
        == found["specs"][0]["changes"]
        == [
            {"path": "execution.max_nudges", "a": 1, "b": 0},
            {"path": "execution.nudge", "a": "Go on.", "b": "Look again."},
        ]
    )
    assert [(each["spec"], each["problems"]) for each in found["specs"]] == [("a.yaml", [])]


def test_what_a_spec_could_not_extend_any_more_is_told(agentspec, project, tmp_path):
    (tmp_path / "a.yaml").write_text(SPEC)

    done = agentspec("preset", "diff", "house", "repair", "a.yaml")

    assert done.code == 0
    assert done.out.splitlines()[-1] == "  error: AS415 `repair` has no input `turns`"


def test_a_preset_that_changes_nothing_is_said_to_be_the_same(agentspec, project, tmp_path):
    (tmp_path / "a.yaml").write_text(SPEC)

    assert agentspec("preset", "diff", "house", "./house.yaml").out.splitlines() == [
        "./house.yaml and ./house.yaml say the same",
        "a.yaml: nothing changes",
    ]
    assert agentspec("preset", "diff", "audit", "audit", "lib").out.splitlines() == [
        "audit and audit say the same",
        "no spec here extends audit",
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("show", "auidt"), "there is no preset `auidt`; did you mean `audit`?"),
        (("show", "hose"), "there is no preset `hose`; did you mean `house`?"),
        (("show", "./hose.yaml"), "no such file: `hose.yaml`; did you mean `house.yaml`?"),
        (("show", "lib/two.agent"), "`lib/two.agent` holds `one` and `two`; which one is meant?"),
        (("show", "lib"), "there is no preset `lib`"),
        (("show", "twice"), "`twice` is the name of 2 presets: `./a.yaml`, `./b.yaml`; which one is meant?"),
        (("show", "scenes.yaml"), "`scenes.yaml` is a scenario; only presets and agents can be extended"),
        (("show", "agent.yaml"), "`agent.yaml` is an agent, not a preset: `agentspec show agent.yaml` prints it"),
        (("show", "broken.yaml"), "`broken.yaml` cannot be read"),
        (("diff", "audit", "no-such-thing"), "there is no preset `no-such-thing`"),
        (("diff", "audit", "house", "nowhere"), "no such file: `nowhere`"),
        (("diff", "audit"), "`B` is missing"),
        (("list", "nowhere"), "no such file: `nowhere`"),
        (("shwo", "audit"), "`agentspec preset` has no word `shwo`"),
    ],
)
def test_what_is_no_preset_is_told(agentspec, project, tmp_path, words, expected):
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text("preset: twice\n")
    (tmp_path / "scenes.yaml").write_text("scenario: s\nfor: ./a.yaml\n")
    (tmp_path / "broken.yaml").write_text("preset: [\n")
    (tmp_path / "agent.yaml").write_text("name: a\n")

    done = agentspec("preset", *words)

    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0].startswith(f"agentspec: {expected}")
