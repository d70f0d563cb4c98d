"""shape: each finding of structure and values, at its place, with its way out."""

from __future__ import annotations

from agentspec.spec.shape import check_shape
from tests.spec.trees import tree


def found(value: object, kind: str = "agent") -> list[tuple[str, str, str, str | None]]:
    return [(one.code, one.path, one.span.text, one.help) for one in check_shape(tree(value), kind)]


def test_a_misspelt_key_is_named_with_the_likely_one():
    document = {"name": "x", "execution": {"max_iteratons": 3}}

    (finding,) = check_shape(tree(document), "agent")

    assert finding.message == "unknown key `max_iteratons` in `execution`"
    assert finding.path == "execution.max_iteratons"
    assert finding.span.text == '"max_iteratons"'
    assert finding.help == "did you mean `max_iterations`?"
    assert finding.fix is not None
    assert finding.fix.title == "rename to `max_iterations`"
    assert finding.fix.is_safe


def test_a_key_of_another_section_is_sent_there():
    document = {"name": "x", "model": {"max_nudges": 2}, "loop_until_done": True}

    assert found(document) == [
        ("AS102", "model.max_nudges", '"max_nudges"', "it belongs in `execution`"),
        ("AS102", "loop_until_done", '"loop_until_done"', "it belongs in `execution`"),
    ]


def test_a_key_of_another_system_is_called_by_its_name_here():
    assert found({"name": "x", "max_turns": 3}) == [
        ("AS102", "max_turns", '"max_turns"', "here this is called `execution.max_iterations`")
    ]


def test_a_key_that_begins_with_x_is_allowed_everywhere():
    assert found({"name": "x", "x-team": 1, "execution": {"x-why": None, "limits": {"x-cap": []}}}) == []


def test_a_scalar_where_a_list_is_due_is_put_in_brackets():
    document = {"name": "x", "execution": {"stop_after_successful_tools": "read"}}

    (finding,) = check_shape(tree(document), "agent")

    assert finding.message == "expected a list, found the string `read`"
    assert finding.fix is not None
    assert finding.fix.edits[0].text == '["read"]'


def test_a_duration_without_a_unit_is_asked_what_it_means():
    document = {"name": "x", "execution": {"limits": {"wall_clock": 90}}}

    (finding,) = check_shape(tree(document), "agent")

    assert finding.message == "a duration needs a unit: expected a duration such as `30s`, found `90`"
    assert finding.fix is not None
    assert finding.fix.edits[0].text == "90s"
    assert not finding.fix.is_safe


def test_findings_of_a_list_have_the_index_in_their_path():
    rules = [{"when": "true", "extend": 2}, {"when": "true"}, {"when": "true", "stop": "done"}]

    findings = found({"name": "x", "execution": {"loop_control": rules}})

    assert [(code, path) for code, path, _, _ in findings] == [
        ("AS104", "execution.loop_control[1]"),
        ("AS211", "execution.loop_control[2].stop"),
    ]


def test_what_stands_at_the_top_must_be_a_mapping():
    assert [found(value)[0][0] for value in ([1], "x", None)] == ["AS106", "AS106", "AS106"]
