"""The spelling of other languages: read as what it means, and mended."""

import pytest

from tests.expressions.asking import ask, short

ROWS = [
    (
        "iteration > 3 and progress.no_net_advance",
        [("AS314", "and", "`and` is written `&&` here", None, "iteration > 3 && progress.no_net_advance")],
    ),
    (
        "iteration > 3 or progress.no_net_advnce",
        [
            ("AS314", "or", "`or` is written `||` here", None, "iteration > 3 || progress.no_net_advnce"),
            (
                "AS303",
                "no_net_advnce",
                "unknown field `no_net_advnce` in `progress`",
                "did you mean `no_net_advance`?",
                "iteration > 3 or progress.no_net_advance",
            ),
        ],
    ),
    ("not completion.vetoed", [("AS314", "not", "`not` is written `!` here", None, "!completion.vetoed")]),
    ("not iteration == 3", [("AS314", "not", "`not` is written `!` here", None, "!(iteration == 3)")]),
    (
        "completion.vetoed and not (iteration > 3)",
        [
            ("AS314", "and", "`and` is written `&&` here", None, "completion.vetoed && not (iteration > 3)"),
            ("AS314", "not", "`not` is written `!` here", None, "completion.vetoed and !(iteration > 3)"),
        ],
    ),
    (
        'completion.verdict not in ["done"]',
        [("AS314", "not in", "`a not in b` is written `!(a in b)` here", None, '!(completion.verdict in ["done"])')],
    ),
    ("iteration is 3", [("AS314", "is", "`is` is written `==` here", None, "iteration == 3")]),
    ("iteration is not 3", [("AS314", "is not", "`is not` is written `!=` here", None, "iteration != 3")]),
    ("iteration = 3", [("AS314", "=", "`=` is written `==` here", None, "iteration == 3")]),
    ("iteration === 3", [("AS314", "===", "`===` is written `==` here", None, "iteration == 3")]),
    ("iteration !== 3", [("AS314", "!==", "`!==` is written `!=` here", None, "iteration != 3")]),
    ("iteration <> 3", [("AS314", "<>", "`<>` is written `!=` here", None, "iteration != 3")]),
    ("iteration => 3", [("AS314", "=>", "`=>` is written `>=` here", None, "iteration >= 3")]),
    (
        "completion.vetoed & completion.proposed",
        [("AS314", "&", "`&` is written `&&` here", None, "completion.vetoed && completion.proposed")],
    ),
    (
        "completion.vetoed | completion.proposed",
        [("AS314", "|", "`|` is written `||` here", None, "completion.vetoed || completion.proposed")],
    ),
    (
        "completion.vetoed == True",
        [("AS314", "True", "`True` is written `true` here", None, "completion.vetoed == true")],
    ),
    (
        "completion.feedback == None",
        [("AS314", "None", "`None` is written `null` here", None, "completion.feedback == null")],
    ),
    ("iteration in (1, 2)", [("AS314", "(1, 2)", "a list is written with `[ ]`", None, "iteration in [1, 2]")]),
    ("${iteration > 3}", [("AS314", "${", "an expression is written bare, without `${ }`", None, "iteration > 3")]),
    (
        "{{ iteration > 3 }}",
        [("AS314", "{{", "an expression is written bare, without `{{ }}`", None, " iteration > 3 ")],
    ),
    ("$iteration > 3", [("AS314", "$", "a name is written without `$`", None, "iteration > 3")]),
    ("+iteration > 3", [("AS314", "+", "a number has no `+` before it", None, "iteration > 3")]),
    (
        'turn.tool_names.0 == "x"',
        [("AS314", ".0", "an element is taken with `[ ]`", None, 'turn.tool_names[0] == "x"')],
    ),
    (
        'completion.feedback.matches("\\d+")',
        [
            (
                "AS301",
                "\\d",
                "`\\d` is no escape",
                "write `\\\\` for a backslash, or `r` before the quote",
                'completion.feedback.matches(r"\\d+")',
            )
        ],
    ),
    (
        'completion.feedback contains "x"',
        [("AS314", "contains", "`contains` cannot stand here", "write `text.contains(part)`, or `item in list`", None)],
    ),
    (
        "completion.vetoed if iteration > 3 else false",
        [("AS314", "if", "`if` cannot stand here", "write `condition ? value : other`", None)],
    ),
    (
        "turn.tool_names[0:2] == []",
        [
            (
                "AS314",
                "[0:",
                "there are no slices",
                "write `text.substring(start, end)` or `items.slice(start, end)`",
                None,
            )
        ],
    ),
    ("iteration ?? 3", [("AS314", "??", "`??` cannot stand here", "write `has(x) ? x : other`", None)]),
    ("turn?.tool_names == []", [("AS314", "?.", "`?.` cannot stand here", "write `has(a.b) ? a.b : other`", None)]),
    ('f"x" == completion.feedback', [("AS314", "f", "there are no `f` texts", "join texts with `+`", None)]),
    (
        "iteration > 3 // three",
        [("AS315", "// three", "a comment cannot stand in an expression", None, "iteration > 3 ")],
    ),
]


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[row[0][:40] for row in ROWS])
def test_what_is_wrong_is_marked_told_and_mended(text: str, expected: list[tuple[str, ...]]) -> None:
    assert short(text, ask(text)) == expected
