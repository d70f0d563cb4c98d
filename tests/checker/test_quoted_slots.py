"""A slot in an expression is told in what a run would use: in an agent, and where a preset is given one."""

from __future__ import annotations

import pytest

from agentspec.checker.check import check_paths

RULE = 'capability: {{approval: {{rules: [{{tool: "*", when: \'tool.name == "${{{}}}"\', decision: deny}}]}}}}\n'
PRESET = "preset: guarded\ninputs: {name: string}\n"
AGENT = "name: keeper\nmodel: {provider: openai}\ninputs: {it: {type: string, default: a}}\n"


@pytest.fixture
def told(tmp_path):
    (tmp_path / "guarded.yaml").write_text(PRESET + RULE.format("inputs.name"))

    def check(text):
        path = tmp_path / "keeper.yaml"
        path.write_text(text)
        found = check_paths([path]).diagnostics
        return [(one.span.text, [each.span.text for each in one.related]) for one in found if one.code == "AS317"]

    return check


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        (AGENT + RULE.format("inputs.it"), ["${inputs.it}"]),
        (AGENT + RULE.format("inputs.other"), ["${inputs.other}"]),
        (PRESET + RULE.format("inputs.name"), []),
        (PRESET + RULE.format("inputs.other"), ["${inputs.other}"]),
        (PRESET + RULE.format("identity.user"), ["${identity.user}"]),
        (AGENT + "context: {system: 'a \"${inputs.it}\"'}\n", []),
    ],
)
def test_an_agent_has_no_slots_in_expressions_and_a_preset_those_of_its_inputs(told, text, slots):
    assert told(text) == [(slot, []) for slot in slots]


def test_a_value_that_is_given_to_a_preset_stands_in_its_expressions(told):
    assert told(AGENT + "extends: [{use: ./guarded.yaml, with: {name: b}}]\n") == []


def test_a_slot_that_is_given_to_a_preset_is_told_where_it_is_given(told):
    extends = '[{use: ./guarded.yaml, with: {name: "${inputs.it}"}}]'

    assert told(f"{AGENT}extends: {extends}\n") == [(extends, ["'tool.name == \"${inputs.name}\"'"])]


def test_a_preset_passes_on_its_own_inputs(told):
    assert told(PRESET + 'extends: [{use: ./guarded.yaml, with: {name: "${inputs.name}"}}]\n') == []
