"""Expressions that cannot be read: one problem, at the place where it begins."""

import pytest

from tests.expressions.asking import ask, short

ROWS = [
    ("iteration >", [("AS301", ">", "a value is missing after `>`", None, None)]),
    (
        "iteration > 3 && tunr.tool_call_count >",
        [
            ("AS302", "tunr", "unknown name `tunr`", "did you mean `turn`?", "iteration > 3 && turn.tool_call_count >"),
            ("AS301", ">", "a value is missing after `>`", None, None),
        ],
    ),
    ("&& iteration", [("AS301", "&&", "a value is missing before `&&`", None, None)]),
    ("(iteration > 3", [("AS301", "(", "this `(` is never closed", "add `)`", None)]),
    ("iteration > 3)", [("AS301", ")", "nothing opens this `)`", "remove `)`", None)]),
    ("[1, 2", [("AS301", "[", "this `[` is never closed", "add `]`", None)]),
    ('{"a": 1', [("AS301", "{", "this `{` is never closed", "add `}`", None)]),
    ("(1]", [("AS301", "]", "`]` does not close `(`", "write `)`", None)]),
    ("iteration 3", [("AS301", "3", "an operator is missing before `3`", None, None)]),
    (
        "iteration > 3, iteration < 5",
        [("AS301", ",", "one expression is expected", "a list is written `[a, b]`", None)],
    ),
    (
        "iteration > 3; iteration < 5",
        [("AS314", ";", "`;` cannot stand here", "one expression is expected; join conditions with `&&`", None)],
    ),
    ("iteration > 3 # three", [("AS301", "#", "`#` cannot stand in an expression", None, None)]),
    ("iteration : 3", [("AS301", ":", "this `:` has no `?` before it", "write `condition ? value : other`", None)]),
    ("iteration ? 3", [("AS301", "?", "this `?` has no `:`", "write `condition ? value : other`", None)]),
    ('"open', [("AS301", '"', "this text is not closed", 'add `"`', None)]),
    ("turn.", [("AS301", ".", "a name is missing after this `.`", None, None)]),
    ("turn..x", [("AS301", ".", "a name is missing after this `.`", None, None)]),
    ("turn.in", [("AS301", "in", "`in` cannot follow a dot", "give the field another name", None)]),
    (
        "iteration ? completion.vetoed ? true : false : true",
        [
            ("AS306", "iteration", "`iteration` is an integer, not a boolean", "write `iteration > 0`", None),
            (
                "AS301",
                "completion.vetoed ? true : false",
                "a choice within a choice needs brackets",
                None,
                "iteration ? (completion.vetoed ? true : false) : true",
            ),
        ],
    ),
    (
        "{iteration}",
        [("AS301", "iteration", "this key has no `: value`", 'a mapping is written `{"key": value}`', None)],
    ),
    (
        "turn{x: 1}",
        [("AS301", "turn{", "a record cannot be made in an expression", 'a mapping is written `{"key": value}`', None)],
    ),
    ("1a > iteration", [("AS301", "1a", "`1a` is neither number nor name", None, None)]),
    ("()", [("AS301", "()", "there is nothing in these brackets", None, None)]),
    ("“x” == completion.feedback", [("AS314", "“", "`“` does not quote a text", "use `\"` or `'`", None)]),
    ("`x` == completion.feedback", [("AS314", "`x`", "a text is quoted with `\"` or `'`", None, None)]),
    ("é == 1", [("AS301", "é", "`é` cannot stand in an expression", None, None)]),
    ("as > 3", [("AS301", "as", "`as` is a reserved word", "give it another name", None)]),
    ("if iteration", [("AS301", "if", "`if` is a reserved word", "write `condition ? value : other`", None)]),
    ("iteration == == 3", [("AS301", "==", "a value is missing before `==`", None, None)]),
    ("", [("AS316", "", "the expression is empty", None, None)]),
]


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[row[0][:40] for row in ROWS])
def test_what_is_wrong_is_marked_told_and_mended(text: str, expected: list[tuple[str, ...]]) -> None:
    assert short(text, ask(text)) == expected
