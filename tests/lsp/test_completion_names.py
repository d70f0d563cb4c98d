"""Names are offered where they mean something, from wherever they come, and nothing that a check would refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.lsp.completion.offers import offers_at
from agentspec.lsp.desk import Desk
from tests.lsp.texts import Texts


def labels(desk: Desk, path: Path, before: str) -> list[str]:
    """What is offered behind a piece of a text of the workspace."""
    text = path.read_text("utf-8")
    desk.put(str(path), text)
    cursor = desk.cursor(str(path), text.index(before) + len(before))
    assert cursor is not None
    return [one.label for one in offers_at(cursor)]


@pytest.mark.parametrize(
    ("file", "before", "offered"),
    [
        ("desk.yaml", "source: ", ["./house"]),
        ("desk.yaml", 'version: "', ["^1.0"]),
        ("desk.yaml", "trust: [", ["plat"]),
        ("desk.yaml", "review: plat.", ["plat.review", "./house/"]),
        ("desk.yaml", "system: {file: ", ["plat.tone", "prompt.md", "house/"]),
        ("desk.yaml", "with: {", ["folder"]),
        ("desk.yaml", 'with: {depth: "${inputs.', ["who", "most"]),
        ("desk.yaml", "fallback: [", ["cheap", "main"]),
        ("desk.yaml", '$ref: "', ["#/components/Count"]),
        ("desk.yaml", "agent: ", ["./other.agent#second"]),  # the other one calls agents itself
        ("desk.yaml", "careful: {description: Careful., prompt: Be careful., allowed_tools: [echo, tickets__find, get_orders], mcp: [", ["tickets"]),
        ("desk.yaml", "arguments: {", ["lhs", "rhs"]),
        ("desk.yaml", "examples: [{args: {", ["word"]),
        ("desk.yaml", "{tool: echo, args: {", ["word", "times"]),
        ("desk.scenario.yaml", "for: ", ["./desk.yaml", "./other.agent#helper", "./other.agent#second"]),
        ("desk.scenario.yaml", "inputs: {", ["who", "most"]),
        ("house/library.yaml", "presets: [", ["safe"]),
        ("house/library.yaml", "tools: [", ["sums"]),
        ("house/library.yaml", "skills: [", ["review"]),
        ("house/library.yaml", "prompts: [", ["tone"]),
        ("other.agent", "boss() { agent: ", ["second"]),
        ("other.agent", '"it helps" for ', ["helper", "second", "./desk.yaml"]),
        ("other.agent", "inputs: { ", ["topic"]),
        ("other.agent", "= args.", ["lhs"]),
        ("other.agent", "About ${inputs.", ["topic"]),
        ("house/presets/safe.yaml", 'root: "${inputs.', ["folder", "depth"]),
        ("house/presets/safe.yaml", 'root: "${', ["inputs"]),
        ("house/presets/safe.yaml", "look into ${inputs.", ["folder", "depth"]),
    ],
)  # fmt: skip
def test_the_names_of_a_place_are_offered_and_no_others(
    workspace: Path, file: str, before: str, offered: list[str]
) -> None:
    assert labels(Desk(), workspace / file, before) == offered


TOOLS = ["calc", "echo", "ask", "find_rows", "look"]
CALLED = [
    ("desk.yaml", "tool_calls: [{name: "),
    ("desk.scenario.yaml", "approve: [{tool: "),
    ("desk.scenario.yaml", "tool_calls: [{name: "),
    ("desk.scenario.yaml", "tool_results:\n  - {name: "),
    ("desk.scenario.yaml", "successful: ["),
    ("desk.scenario.yaml", "kind: tool_result, name: "),
    ("desk.scenario.yaml", "that: [\"'"),
    ("desk.yaml", "require_successful_tools: ["),
    ("desk.yaml", "when: \"'"),
    ("desk.yaml", "message.tool == '"),
    ("desk.yaml", "allow: [{tool: "),
]


@pytest.mark.parametrize(("file", "before"), CALLED)
def test_tools_are_offered_wherever_a_tool_is_named(workspace: Path, file: str, before: str) -> None:
    found = labels(Desk(), workspace / file, before)

    assert [name for name in TOOLS if name in found] == TOOLS
    assert "read_file" not in found  # it has another name here


@pytest.mark.parametrize(
    ("text", "absent", "there"),
    [
        ("name: a\ncapability:\n  tools:\n    t:\n      expr: '1'\n      ‸\n", ["run", "http", "expr"], ["description"]),
        ("name: a\nmodel: {routes: [{label: a}, {label: b}], fallback: [a, ‸]}\n", ["a"], ["b"]),
        ("name: a\ncapability:\n  mcp: {s: {command: [x], allow: [‸]}}\n  tools: {t: {expr: '1'}}\n", ["t"], []),
        ("name: a\nexecution: {loop_control: [{when: 'turn.text == \"‸\"', extend: 1}]}\n", ["turn"], []),
        ("name: a\ncapability:\n  toolkits: [{git: {enabled: [git_st‸]}}]\n", [], ["git_status"]),
        ("name: a\ncapability:\n  toolkits: [{git: {names: {‸}}}]\n", [], ["git_log"]),
        ("name: a\ncapability: {tools: {t: {description: d, expr: '1', timeout: ‸}}}\n", ["`execution.tool_timeout`"], []),
    ],
)  # fmt: skip
def test_what_a_check_would_refuse_is_not_offered(
    tmp_path: Path, text: str, absent: list[str], there: list[str]
) -> None:
    found = Texts(tmp_path, a_yaml=text).labels()

    assert ([name for name in absent if name in found], [name for name in there if name in found]) == ([], there)


@pytest.mark.parametrize(
    ("file", "text", "there"),
    [
        ("a.yaml", "‸\n", ["name", "preset", "library", "scenario"]),
        ("a.scenario.yaml", "‸\n", ["scenario", "for", "task", "expect"]),
        ("a.scenario.yaml", "scenario: s\nexpect:\n  ‸\n", ["status", "tools", "that"]),
        ("a.scenario.yaml", "scenario: s\nexpect: {status: ‸}\n", ["done", "budget_exhausted"]),
        ("a.scenario.yaml", "scenario: s\nexpect: {stop_reason: ‸}\n", ["natural", "max_iterations"]),
        ("library.yaml", "‸\n", ["library", "version", "exports"]),
        ("library.yaml", "library: l\nversion: 1.0.0\nexports:\n  ‸\n", ["presets", "tools", "skills"]),
    ],
)
def test_every_kind_of_document_has_its_keys_and_words(tmp_path: Path, file: str, text: str, there: list[str]) -> None:
    found = Texts(tmp_path, **{file.replace(".", "_", 1): text}).labels()

    assert [name for name in there if name in found] == there


@pytest.mark.parametrize(
    ("name", "text", "after"),
    [
        ("a_yaml", "scenario: s\napprove: [{tool: ‸, decision: ask}]\n", 'scenario: s\napprove: [{tool: "*"‸, decision: ask}]\n'),
        ("a_json", '{"scenario": "s", "approve": [{"tool": ‸}]}', '{"scenario": "s", "approve": [{"tool": "*"‸}]}'),
        ("a_agent", 'scenario "s" for a { approve: [{ tool: ‸ }] }', 'scenario "s" for a { approve: [{ tool: "*"‸ }] }'),
    ],
)  # fmt: skip
def test_a_word_with_signs_is_quoted(tmp_path: Path, name: str, text: str, after: str) -> None:
    assert Texts(tmp_path, **{name: text}).taken("*") == after
