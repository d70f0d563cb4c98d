"""Operators and functions on types that do not fit."""

import pytest

from tests.expressions.asking import ask, short

ROWS = [
    (
        "usage.cost_usd > 1",
        [
            (
                "AS306",
                "1",
                "`1` is an integer and `usage.cost_usd` is a number; the two do not mix",
                "write `1.0`",
                "usage.cost_usd > 1.0",
            )
        ],
    ),
    (
        "usage.cost_usd > -1",
        [
            (
                "AS306",
                "1",
                "`-1` is an integer and `usage.cost_usd` is a number; the two do not mix",
                "write `1.0`",
                "usage.cost_usd > -1.0",
            )
        ],
    ),
    (
        "iteration > 2.0",
        [
            (
                "AS306",
                "2.0",
                "`iteration` is an integer and `2.0` is a number; the two do not mix",
                "write `2`",
                "iteration > 2",
            )
        ],
    ),
    (
        "iteration > 2.5",
        [
            (
                "AS306",
                "iteration",
                "`iteration` is an integer and `2.5` is a number; the two do not mix",
                "write `double(iteration)`",
                "double(iteration) > 2.5",
            )
        ],
    ),
    (
        "iteration > usage.cost_usd",
        [
            (
                "AS306",
                "iteration",
                "`iteration` is an integer and `usage.cost_usd` is a number; the two do not mix",
                "write `double(iteration)`",
                "double(iteration) > usage.cost_usd",
            )
        ],
    ),
    (
        "usage.cost_usd in [1, 2]",
        [
            (
                "AS306",
                "[1, 2]",
                "`usage.cost_usd` is a number and the list holds integers; the two do not mix",
                "write its items with `.0`",
                "usage.cost_usd in [1.0, 2.0]",
            )
        ],
    ),
    ('iteration == "3"', [("AS306", "==", "`iteration` is an integer, never equal to a string", None, None)]),
    (
        'completion.vetoed == "true"',
        [
            (
                "AS306",
                "==",
                "`completion.vetoed` is a boolean, never equal to a string",
                "a boolean is written `true` or `false`, without quotes",
                None,
            )
        ],
    ),
    (
        'completion.feedback + iteration == "x"',
        [
            (
                "AS306",
                "iteration",
                "`+` joins strings, and `iteration` is an integer",
                "write `string(iteration)`",
                'completion.feedback + string(iteration) == "x"',
            )
        ],
    ),
    (
        'turn.tool_names + "x" == []',
        [("AS306", '"x"', '`+` joins lists, and `"x"` is a string', 'write `["x"]`', 'turn.tool_names + ["x"] == []')],
    ),
    (
        'turn.tool_names.contains("x")',
        [
            (
                "AS306",
                "contains",
                "`contains` does not take a string on a list of strings",
                'write `"x" in turn.tool_names`',
                '"x" in turn.tool_names',
            )
        ],
    ),
    (
        '"x" in completion.feedback',
        [
            (
                "AS306",
                "in",
                "`in` looks into lists and mappings, and `completion.feedback` is a string",
                'write `completion.feedback.contains("x")`',
                'completion.feedback.contains("x")',
            )
        ],
    ),
    (
        "iteration in turn.tool_names",
        [("AS306", "in", "`iteration` is an integer, never in a list of strings", None, None)],
    ),
    (
        "!iteration",
        [("AS306", "!iteration", "`!` needs a boolean, and `iteration` is an integer", "write `iteration == 0`", None)],
    ),
    (
        "!turn.tool_names",
        [
            (
                "AS306",
                "!turn.tool_names",
                "`!` needs a boolean, and `turn.tool_names` is a list of strings",
                "write `size(turn.tool_names) == 0`",
                None,
            )
        ],
    ),
    (
        '-completion.feedback == "x"',
        [("AS306", "-completion.feedback", "`-` needs a number, and `completion.feedback` is a string", None, None)],
    ),
    (
        "iteration ? true : false",
        [("AS306", "iteration", "`iteration` is an integer, not a boolean", "write `iteration > 0`", None)],
    ),
    (
        'completion.vetoed ? "a" : 1',
        [
            (
                "AS306",
                "1",
                "the two sides of `? :` are a string and an integer",
                "both sides need the same type, or `dyn( )` around each",
                None,
            )
        ],
    ),
    (
        "iteration && completion.vetoed",
        [("AS306", "iteration", "`iteration` is an integer, not a boolean", "write `iteration > 0`", None)],
    ),
    ("iteration == 1 || 2", [("AS306", "2", "`2` is an integer, not a boolean", "write `iteration in [1, 2]`", None)]),
    (
        "1 < iteration < 3",
        [
            (
                "AS314",
                "1 < iteration < 3",
                "comparisons do not chain",
                "write `1 < iteration && iteration < 3`",
                "1 < iteration && iteration < 3",
            )
        ],
    ),
    (
        'completion.feedback[0] == "x"',
        [
            (
                "AS306",
                "completion.feedback",
                "`completion.feedback` is a string and has no elements",
                "write `completion.feedback.charAt(0)`",
                None,
            )
        ],
    ),
    (
        'turn["tool_names"] == []',
        [
            (
                "AS306",
                "turn",
                "`turn` is the record `turn` and has no elements",
                "a field is taken with a dot: `record.field`",
                None,
            )
        ],
    ),
    (
        'turn.tool_names["x"] == "y"',
        [
            (
                "AS306",
                '"x"',
                "`turn.tool_names` is a list of strings; an element is taken with an integer, not a string",
                None,
                None,
            )
        ],
    ),
    (
        "iteration.exists(x, x > 1)",
        [
            (
                "AS306",
                "iteration",
                "`iteration` is an integer, not a list or mapping",
                "`exists`, `all`, `map` and `filter` walk over lists and mappings",
                None,
            )
        ],
    ),
    (
        "size(iteration) > 1",
        [("AS306", "size", "`size` does not take an integer", "it is `size(value: any) -> integer`", None)],
    ),
    (
        "math.sqrt(completion.feedback) > 1.0",
        [("AS306", "math.sqrt", "`math.sqrt` does not take a string", "it is `math.sqrt(x: any) -> number`", None)],
    ),
    (
        "turn == budget",
        [("AS306", "==", "`turn` is the record `turn`, never equal to the record `budget`", None, None)],
    ),
]


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[row[0][:40] for row in ROWS])
def test_what_is_wrong_is_marked_told_and_mended(text: str, expected: list[tuple[str, ...]]) -> None:
    assert short(text, ask(text)) == expected
