"""Slips of people who come from another language: each is one finding, with the way out."""

from __future__ import annotations

import pytest

from agentspec.api.check import check


@pytest.mark.parametrize(
    ("body", "code", "place", "help_text", "written"),
    [
        (
            "context: You help.",
            "AS201",
            "You help.",
            "the key for it is `system`: write `{system: …}`",
            "{system: You help.}",
        ),
        ('execution: {loop_until_done: "true"}', "AS210", '"true"', "write `true` without quotes", "true"),
        ("execution: {limits: {tokens: 200k}}", "AS201", "200k", "write a plain number", "200000"),
        ("execution: {limits: {tokens: 1.5M}}", "AS201", "1.5M", "write a plain number", "1500000"),
        ("model: {name: gpt}", "AS102", "name", "did you mean `model`?", "model"),
        (
            "execution: {timeout: 30s}",
            "AS102",
            "timeout",
            "a call of a tool is bounded by `tool_timeout`, the whole run by `limits.wall_clock`",
            None,
        ),
    ],
)
def test_a_slip_is_one_finding_with_its_way_out(tmp_path, body, code, place, help_text, written):
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\n{body}\n")

    (found,) = check(path).diagnostics

    assert (found.code, found.span.text, found.help) == (code, place, help_text)
    assert (found.fix.edits[0].text if found.fix else None) == written


def test_an_equals_sign_in_the_dsl_is_mended_to_a_colon(tmp_path):
    path = tmp_path / "a.agent"
    text = "agent a {\n  execution {\n    max_iterations = 3\n  }\n}\n"
    path.write_text(text)

    (found,) = check(path).diagnostics

    assert (found.code, found.help) == ("AS201", "write `:` instead of `=`")
    (edit,) = found.fix.edits
    path.write_text(text[: edit.span.start] + edit.text + text[edit.span.end :])
    assert "max_iterations: 3\n" in path.read_text()
    assert check(path).diagnostics == []


@pytest.mark.parametrize("expression", ["${args.p}", "{{args.p}}", "args.l.0"])
def test_an_expression_in_another_spelling_is_one_finding(tmp_path, expression):
    parameters = "{p: string, l: 'string[]'}"
    path = tmp_path / "a.yaml"
    path.write_text(
        f"name: a\ncapability:\n  tools:\n    t: {{description: x, parameters: {parameters}, returns: integer, "
        f'expr: "{expression}"}}\n'
    )

    assert {one.code for one in check(path).diagnostics} - {"AS607"} == {"AS314"}


def test_misspelt_inputs_of_the_dsl_are_one_finding(tmp_path):
    path = tmp_path / "a.agent"
    path.write_text('agent a {\n  inuts { x: string = "a" }\n}\n')

    assert [(one.code, one.help) for one in check(path).diagnostics] == [("AS102", "did you mean `inputs`?")]
    assert {one.code for one in check(path, shows_consequences=True).diagnostics} == {"AS102", "AS050"}
