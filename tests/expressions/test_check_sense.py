"""Conditions that are valid and cannot be meant."""

import pytest

from agentspec.expressions.compile import check_expression
from agentspec.expressions.places import PLACES
from tests.expressions.asking import ask, short

ROWS = [
    (
        "turn.tool_names",
        [
            (
                "AS307",
                "turn.tool_names",
                "this is a list of strings, and a condition is a boolean",
                "write `size(turn.tool_names) > 0`",
                None,
            )
        ],
    ),
    (
        "completion.feedback",
        [
            (
                "AS307",
                "completion.feedback",
                "this is a string, and a condition is a boolean",
                'write `completion.feedback != ""`',
                None,
            )
        ],
    ),
    (
        "iteration",
        [("AS307", "iteration", "this is an integer, and a condition is a boolean", "write `iteration > 0`", None)],
    ),
    (
        "usage.cost_usd",
        [
            (
                "AS307",
                "usage.cost_usd",
                "this is a number, and a condition is a boolean",
                "write `usage.cost_usd > 0.0`",
                None,
            )
        ],
    ),
    ("turn", [("AS307", "turn", "this is the record `turn`, and a condition is a boolean", None, None)]),
    (
        'iteration > 1 ? completion.feedback : "x"',
        [
            (
                "AS307",
                'iteration > 1 ? completion.feedback : "x"',
                "this is a string, and a condition is a boolean",
                'write `(iteration > 1 ? completion.feedback : "x") != ""`',
                None,
            )
        ],
    ),
    (
        'completion.verdict == "dnoe"',
        [
            (
                "AS309",
                '"dnoe"',
                '`completion.verdict` is never "dnoe"',
                'did you mean `"done"`?',
                'completion.verdict == "done"',
            )
        ],
    ),
    (
        '"quux" != completion.verdict',
        [
            (
                "AS309",
                '"quux"',
                '`completion.verdict` is never "quux"',
                'it is `""`, `"done"`, `"continue"` or `"unverified"`',
                None,
            )
        ],
    ),
    (
        'completion.verdict in ["done", "contineu"]',
        [
            (
                "AS309",
                '"contineu"',
                '`completion.verdict` is never "contineu"',
                'did you mean `"continue"`?',
                'completion.verdict in ["done", "continue"]',
            )
        ],
    ),
    ("iteration / 0 > 1", [("AS310", "0", "division by zero", "it fails at every evaluation", None)]),
    ("iteration % 0 == 1", [("AS310", "0", "division by zero", "it fails at every evaluation", None)]),
    (
        'turn.tool_names[-1] == "x"',
        [
            (
                "AS310",
                "-1",
                "an index counts from 0 and is never negative",
                "write `turn.tool_names[size(turn.tool_names) - 1]`",
                'turn.tool_names[size(turn.tool_names) - 1] == "x"',
            )
        ],
    ),
    (
        "iteration > 99999999999999999999",
        [
            (
                "AS310",
                "99999999999999999999",
                "this integer has more than 64 bits",
                "a number goes further: `1e20`",
                None,
            )
        ],
    ),
    (
        'completion.feedback.matches("(tests")',
        [
            (
                "AS311",
                '"(tests"',
                "this is no regular expression: missing ): (tests",
                "patterns are RE2: no look-ahead, no look-behind, no back-references",
                None,
            )
        ],
    ),
    (
        'regex.find(completion.feedback, "(?=x)") == ""',
        [
            (
                "AS311",
                '"(?=x)"',
                "this is no regular expression: invalid perl operator: (?=",
                "patterns are RE2: no look-ahead, no look-behind, no back-references",
                None,
            )
        ],
    ),
    (
        'completion.feedback.matches("[") && completion.vetod',
        [
            (
                "AS311",
                '"["',
                "this is no regular expression: missing ]: [",
                "patterns are RE2: no look-ahead, no look-behind, no back-references",
                None,
            ),
            (
                "AS303",
                "vetod",
                "unknown field `vetod` in `completion`",
                "did you mean `vetoed`?",
                'completion.feedback.matches("[") && completion.vetoed',
            ),
        ],
    ),
    (
        "iteration > 3 || 1 < 2",
        [("AS321", "1 < 2", "this is always true", "compare it with a name of this place, or remove it", None)],
    ),
    ("1 < 2", [("AS321", "1 < 2", "this is always true", "compare it with a name of this place, or remove it", None)]),
    (
        '"a" == "b"',
        [("AS321", '"a" == "b"', "this is always false", "compare it with a name of this place, or remove it", None)],
    ),
    (
        "completion.vetoed && false",
        [("AS321", "false", "this is always false", "compare it with a name of this place, or remove it", None)],
    ),
    (
        "iteration == iteration",
        [("AS321", "iteration == iteration", "both sides are `iteration`, so the result never changes", None, None)],
    ),
    *(
        (
            text,
            [
                (
                    "AS321",
                    text,
                    f"this is always {always}: `{name}` is never below zero",
                    "compare it with a larger number, or remove it",
                    None,
                )
            ],
        )
        for text, always, name in (
            ("turn.tool_call_count < 0", "false", "turn.tool_call_count"),
            ("0 > turn.tool_call_count", "false", "turn.tool_call_count"),
            ("(budget.remaining) >= 0", "true", "(budget.remaining)"),
            ("usage.cost_usd < 0.0", "false", "usage.cost_usd"),
            ("-1 == iteration", "false", "iteration"),
            ("turn.tool_names.size() > -1", "true", "turn.tool_names.size()"),
            ("size(completion.feedback) != -1", "true", "size(completion.feedback)"),
        )
    ),
    ("turn.tool_call_count <= 0 || budget.remaining > 0 || turn.tool_names.size() == 0", []),
    (
        'completion.verdict == "done" && completion.verdict == "continue"',
        [
            (
                "AS322",
                'completion.verdict == "done" && completion.verdict == "continue"',
                "these comparisons of `completion.verdict` can never all hold",
                "did you mean `||`?",
                None,
            )
        ],
    ),
    (
        'completion.verdict != "done" || completion.verdict != "continue"',
        [
            (
                "AS322",
                'completion.verdict != "done" || completion.verdict != "continue"',
                "these comparisons of `completion.verdict` always hold, one or the other",
                "did you mean `&&`?",
                None,
            )
        ],
    ),
    (
        "completion.vetoed || (iteration < 2 && iteration > 5)",
        [
            (
                "AS322",
                "iteration < 2 && iteration > 5",
                "these comparisons of `iteration` can never all hold",
                "did you mean `||`?",
                None,
            )
        ],
    ),
]


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[row[0][:40] for row in ROWS])
def test_what_is_wrong_is_marked_told_and_mended(text: str, expected: list[tuple[str, ...]]) -> None:
    assert short(text, ask(text)) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("iteration < 1 && iteration > 3", ["AS322"]),
        ("iteration == 1 && iteration == 2", ["AS322"]),
        ("iteration > 3 && iteration < 3 && completion.vetoed", ["AS322"]),
        ("false", ["AS321"]),
        ("(false)", ["AS321"]),
        ("true", []),
        ("iteration > 1 && iteration < 3", []),
        ("iteration < 1 || iteration > 3", []),
    ],
)
def test_a_rule_that_can_never_match_is_told_once(text, told):
    assert [found.code for found in check_expression(text, PLACES["loop_control.when"])] == told
