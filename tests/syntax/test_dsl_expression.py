"""The shape of expressions, by the grammar's second start symbol."""

from __future__ import annotations

import pytest

from agentspec.syntax.dsl.expression import Branch, Leaf, Part, Trouble, longest_expression, parse_expression


def shape(text: str, part: Part) -> object:
    """A tree as nested lists: the kind of each branch, the text of each leaf."""
    match part:
        case Leaf():
            return text[part.start : part.end]
        case Branch():
            return [part.kind, *(shape(text, each) for each in part.parts)]
        case _:
            return [shape(text, each) for each in part]


def name(text: str) -> list[str]:
    return ["identifier", text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", name("a")),
        ("a ? b : c ? d : e", ["conditional", name("a"), name("b"), ["conditional", name("c"), name("d"), name("e")]]),
        ("a || b && c", ["binary", name("a"), "||", ["binary", name("b"), "&&", name("c")]]),
        ("a == b != c", ["binary", ["binary", name("a"), "==", name("b")], "!=", name("c")]),
        ("a in b", ["binary", name("a"), "in", name("b")]),
        ("a - b*c", ["binary", name("a"), "-", ["binary", name("b"), "*", name("c")]]),
        ("x-1", ["binary", name("x"), "-", ["literal", "1"]]),
        ("!!a", ["unary", ["!", "!"], name("a")]),
        ("- -a", ["unary", ["-", "-"], name("a")]),
        ("(a)", ["parenthesis", name("a")]),
        ("a.b.?c", ["select_optional", ["select", name("a"), "b"], "c"]),
        ("a.`x-y`", ["select", name("a"), "`x-y`"]),
        (".a.b", ["select", ["absolute", "a"], "b"]),
        ("a[0][?1]", ["index_optional", ["index", name("a"), ["literal", "0"]], ["literal", "1"]]),
        ("f()", ["call", "f", []]),
        ("a.f(b, 1u)", ["method", name("a"), "f", [name("b"), ["literal", "1u"]]]),
        ("[a, ?b,]", ["list_literal", [name("a"), ["element_optional", name("b")]]]),
        ("[]", ["list_literal", []]),
        ("{'k': a, ?b: c}", ["map_literal", [["pair", ["literal", "'k'"], name("a")], ["pair_optional", name("b"), name("c")]]]),
        ("a.B{c: 1}", ["message", ["select", name("a"), "B"], [["pair", "c", ["literal", "1"]]]]),
        ("for.in_x", ["select", name("for"), "in_x"]),
        ("a // b", None),
        ("x >= 1.5e3", ["binary", name("x"), ">=", ["literal", "1.5e3"]]),
    ],
)  # fmt: skip
def test_an_expression_has_a_tree(text, expected):
    tree = parse_expression(text)

    if expected is None:
        assert isinstance(tree, Trouble)
    else:
        assert not isinstance(tree, Trouble)
        assert shape(text, tree) == expected
        assert (tree.start, tree.end) == (0, len(text))


@pytest.mark.parametrize(
    "text",
    ["12", "0x1F", "7u", ".5", "1e3", "'a'", '"a\\"b"', "r'\\'", 'b"x"', "br'\\'", '"""a"b"""', "'''\n'''", '"""\\""""', "true", "null"],
)  # fmt: skip
def test_a_literal_is_one_token(text):
    assert parse_expression(f" {text} ") == Branch(
        "literal",
        (Leaf(kind_of(text), 1, 1 + len(text)),),
        1,
        1 + len(text),
    )


def kind_of(text: str) -> str:
    tree = parse_expression(text)
    assert isinstance(tree, Branch)
    [leaf] = tree.parts
    assert isinstance(leaf, Leaf)
    return leaf.kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Trouble("an expression is missing", 0, 0)),
        ("  ", Trouble("an expression is missing", 0, 2)),
        ("a +", Trouble("the expression ends too early", 3, 3)),
        ("(a", Trouble("the expression ends too early", 2, 2)),
        ("a b", Trouble("`b` does not fit here", 2, 3)),
        ("a && && b", Trouble("`&&` does not fit here", 5, 7)),
        ("a.in", Trouble("`in` does not fit here", 2, 4)),
        ("a # b", Trouble("`#` belongs to no expression", 2, 3)),
        ("a == 'b", Trouble("`'` belongs to no expression", 5, 6)),
    ],
)
def test_what_is_no_expression_says_where(text, expected):
    assert parse_expression(text) == expected


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("a > 3 stop incomplete", 5),
        ("a.b(c) x", 6),
        ("a &&", 1),
        ("&& a", None),
        ("", None),
        ("a", 1),
        ("a = b", 1),
        ("a == 'b", None),
    ],
)
def test_the_longest_expression_at_the_start_of_a_text(text, end):
    assert longest_expression(text) == end


def test_no_depth_exhausts_the_stack():
    deep = "(" * 50_000 + "a" + ")" * 50_000

    tree = parse_expression(deep)

    assert isinstance(tree, Branch)
    assert (tree.kind, tree.start, tree.end) == ("parenthesis", 0, 100_001)
