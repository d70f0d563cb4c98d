"""misplaced: a reason in place of `true`, a word in a list of rules: one finding, whose fix says what was meant."""

import pytest

from tests.spec.structure.test_shape import check, mended

WORDS = "write `true` there; the words are its `reason`"
REASONS = {
    "in YAML": (
        "spec.yaml",
        "name: a\ncontext:\n  filter:\n    - when: message.age > 3\n      drop: 'why'  # old\n",
        "name: a\ncontext:\n  filter:\n    - when: message.age > 3\n      drop: true\n      reason: 'why'  # old\n",
    ),
    "in YAML, as the first key of an item": (
        "spec.yaml",
        "name: a\nexecution:\n  verify_completion:\n  - accept: fine\n    when: 'true'\n",
        "name: a\nexecution:\n  verify_completion:\n  - accept: true\n    reason: fine\n    when: 'true'\n",
    ),
    "in YAML in braces": (
        "spec.yaml",
        "name: a\nexecution: {loop_control: [{when: 'true', extend: need more}]}\n",
        "name: a\nexecution: {loop_control: [{when: 'true', extend: true, reason: need more}]}\n",
    ),
    "in JSON": (
        "spec.json",
        '{"name": "a", "execution": {"loop_control": [{"when": "true", "none": "fine"}]}}',
        '{"name": "a", "execution": {"loop_control": [{"when": "true", "none": true, "reason": "fine"}]}}',
    ),
    "behind a verb of the DSL": (
        "spec.agent",
        'agent a { context { filter { when message.age > 3 => keep "why" } } }',
        'agent a { context { filter { when message.age > 3 => keep true "why" } } }',
    ),
    "in a mapping of the DSL": (
        "spec.agent",
        'agent a { execution { terminal: [{ when: "true"  stop: "Nothing new" }] } }',
        'agent a { execution { terminal: [{ when: "true"  stop: true, reason: "Nothing new" }] } }',
    ),
}


@pytest.mark.parametrize(("name", "text", "meant"), REASONS.values(), ids=REASONS)
def test_words_in_place_of_true_become_the_reason(name: str, text: str, meant: str):
    (finding,) = check(text, name=name)

    assert (finding.help, mended(finding)) == (WORDS, meant)
    assert check(meant, name=name) == []


@pytest.mark.parametrize(
    ("rule", "help_text"),
    [
        ("{when: 'true', drop: why, reason: x}", None),
        ("{when: 'true', drop: 'yes'}", "`yes` is text; the words are `true` and `false`"),
        ("{when: 'true', drop: '7'}", None),
        ("{when: 'true', drop: [why]}", "write the value without a list"),
    ],
)
def test_what_is_no_reason_is_not_taken_for_one(rule: str, help_text: str | None):
    (finding,) = check(f"name: a\ncontext: {{filter: [{rule}]}}\n")

    assert finding.help == help_text


KINDS = "`clean_tool_repair`, `squash_failed_calls`, `summary_prefix`, `reachability_gc`, a mapping or a list"


@pytest.mark.parametrize(
    ("name", "text", "meant"),
    [
        ("spec.yaml", "name: a\ncontext: {projection: [summary_prefix]}\n", "write the value without a list"),
        ("spec.agent", "agent a { context { projection: [summary_prefix] } }", "write the value without a list"),
        (
            "spec.agent",
            "agent a { context { projection: [summary_prefix, reachability_gc] } }",
            "write one of them, without a list",
        ),
    ],
)
def test_a_word_in_a_list_of_rules_is_told_once_and_as_a_word(name: str, text: str, meant: str):
    (finding,) = check(text, name=name)

    assert (finding.code, finding.message, finding.help) == (
        "AS201",
        f"expected {KINDS}, found a list of words",
        meant,
    )
    assert (finding.fix is not None) == ("," not in finding.span.text)
    assert finding.fix is None or check(mended(finding), name=name) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("watch_paths { glob: x }", "watch_paths: [{ glob: x }]"),
        ("watch_paths: { glob: x }", "watch_paths: [{ glob: x }]"),
    ],
)
def test_a_mapping_of_the_dsl_where_a_list_is_due_is_put_in_one(before: str, after: str):
    (finding,) = check(f"agent a {{ lifecycle {{ daemon {{ {before} }} }} }}", name="spec.agent")

    assert finding.help == "put it in a list: `[…]`"
    assert mended(finding) == f"agent a {{ lifecycle {{ daemon {{ {after} }} }} }}"
