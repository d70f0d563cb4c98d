"""Inputs that stand in settings are put in before a check looks at them and before a run goes by them."""

from __future__ import annotations

import json

import pytest

from agentspec import load, run_sync
from agentspec.checker.check import check_paths
from agentspec.errors import SpecInvalid

HEAD = """name: filled
inputs:
  tool: {type: string, default: read_file}
  folder: {type: string, default: docs}
  turns: {type: integer, default: 3}
  wait: {type: string, default: 2m}
task: Read it.
model:
  provider: script
  options:
    turns:
      - tool_calls: [{name: read_file, arguments: {path: docs/a.txt}}]
      - text: "${inputs.tool} is what a script says"
context: {system: "${inputs.tool} ${inputs.folder} ${inputs.turns} ${inputs.wait}"}
"""
PRESET = """preset: careful
inputs: {folder: string, tool: string}
capability:
  permissions: {deny: [{tool: "${inputs.tool}"}]}
  toolkits: [{files.read: {root: "${inputs.folder}"}}]
"""
WALL_RULE = {"tool": "read_file", "when": 'args.path == "${inputs.folder}/a.txt"', "decision": "deny"}
WALL = json.dumps(
    {
        "preset": "walled",
        "inputs": {"folder": "string"},
        "capability": {"approval": {"rules": [WALL_RULE]}, "toolkits": ["files.read"]},
    }
)


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("secret")
    (tmp_path / "careful.yaml").write_text(PRESET)
    (tmp_path / "walled.yaml").write_text(WALL)

    def written(rest):
        path = tmp_path / "filled.yaml"
        path.write_text(HEAD + rest)
        return path

    return written


@pytest.mark.parametrize(
    "rest",
    [
        'capability: {toolkits: [files.read], permissions: {deny: [{tool: "${inputs.tool}"}]}}',
        'capability: {toolkits: [files.read], approval: {rules: [{paths: ["${inputs.folder}/**"], decision: deny}]}}',
        'capability: {toolkits: [files.read], permissions: {deny: [{tool: read_file, args: {path: "${inputs.folder}/*"}}]}}',
        'extends: [{use: ./careful.yaml, with: {tool: "${inputs.tool}", folder: .}}]',
        "extends: [{use: ./walled.yaml, with: {folder: docs}}]",
    ],
)
def test_a_rule_with_an_input_holds_in_a_run(spec, rest):
    path = spec(rest)

    assert [one for one in check_paths([path]).diagnostics if one.code != "AS703"] == []
    assert "secret" not in str(run_sync(path, trace=True).trace)


def test_what_is_the_author_s_own_is_never_looked_into(spec):
    result = run_sync(spec("capability: {toolkits: [files.read]}"), trace=True)

    assert result.text == "${inputs.tool} is what a script says"
    assert "secret" in str(result.trace)


@pytest.mark.parametrize(
    ("rest", "path", "value"),
    [
        ('execution: {max_iterations: "${inputs.turns}"}', "execution.max_iterations", 3),
        ('execution: {limits: {wall_clock: "${inputs.wait}"}}', "execution.limits", {"wall_clock": "2m"}),
        (
            'extends: [{use: ./careful.yaml, with: {tool: find_files, folder: "${inputs.folder}"}}]',
            "capability.toolkits",
            [{"files.read": {"root": "docs"}}],
        ),
    ],
)
def test_a_setting_has_the_value_of_its_input(spec, rest, path, value):
    values = load(spec(rest)).values

    for name in path.split("."):
        values = values[name]
    assert values == value
    assert load(spec(rest)).values["context"]["system"].startswith("${inputs.tool}")  # a text is filled in by the run


def test_a_value_that_a_setting_does_not_take_is_told_at_its_slot_and_starts_no_run(spec):
    path = spec('execution: {max_iterations: "${inputs.turns}"}')

    with pytest.raises(SpecInvalid) as refused:
        run_sync(path, inputs={"turns": -3})

    found = refused.value.diagnostics
    assert [(one.code, one.span.text, one.fix) for one in found] == [("AS205", '"${inputs.turns}"', None)]
    assert found[0].message == "expected a whole number from 1, found the number `-3`"


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ('capability: {toolkits: [{files.read: {root: "${inputs.foldr}"}}]}', [("AS303", "foldr")]),
        ('capability: {permissions: {deny: [{tool: "${inputs.tol}"}]}}', [("AS303", "tol")]),
        ('execution: {max_iterations: "${inputs.turn}"}', [("AS303", "turn")]),
    ],
)
def test_an_input_that_is_not_declared_is_found_in_a_setting(spec, rest, found):
    told = check_paths([spec(rest)]).diagnostics

    assert [(one.code, one.span.text) for one in told if one.severity == "error"] == found
