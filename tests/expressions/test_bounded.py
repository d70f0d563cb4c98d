"""Texts that are made of others stay bounded, and are else what CEL's own functions give."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentspec.errors import ExpressionError
from agentspec.expressions.bounded import bounded
from agentspec.expressions.compile import compile_expression, environment
from agentspec.expressions.engine import cel
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import make_scope

SCOPE = make_scope(
    parameters={"a": "string", "b": "string", "c": "string", "n": "integer", "l": "string[]", "o": "any"}
)
ERROR = object()
TEXTS = st.text("ab.é🙂\\1", max_size=6)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('a.replace("x", b)', 'bounded.replace(a, "x", b)'),
        ('(a + "(").replace(")", b, 1)', 'bounded.replace((a + "("), ")", b, 1)'),
        ('a.split("").join(b).replace("x", c)', 'bounded.replace(bounded.join(a.split(""), b), "x", c)'),
        ('a.replace("x", b.join()).size()', 'bounded.replace(a, "x", bounded.join(b)).size()'),
        ('[1].map(x, x.replace(a, b)).join( ", " )', 'bounded.join([1].map(x, bounded.replace(x, a, b)),  ", " )'),
        ('regex.replace(a.join(), "x", b)', 'bounded.regex.replace(bounded.join(a), "x", b)'),
        ('"é🙂" . replace ("x", b)', 'bounded.replace("é🙂", "x", b)'),
        ('b ? a.replace("x", c) : a', 'b ? bounded.replace(a, "x", c) : a'),
        ('"a.replace(b, c)" == a', '"a.replace(b, c)" == a'),
        ("a.replace", "a.replace"),
    ],
)
def test_a_function_with_a_bound_stands_in_the_place_of_one_without(text, told):
    assert bounded(text) == told


def value_of(text: str, args: dict[str, Any]) -> Any:
    return compile_expression(text, PLACES["tools.expr"], SCOPE).evaluate({"args": args})


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("args.a.replace('x', args.b)", "replace"),
        ("args.a.replace('', args.b)", "replace"),
        ("args.o.replace('x', args.b)", "replace"),
        ("args.a.replace('x', args.b, 60000)", "replace"),
        ("args.a.split('').join(args.b)", "join"),
        ("[1, 2, 3].map(i, args.a.replace('x', args.b)).join()", "replace"),
        ("regex.replace(args.a, 'x', args.b)", "regex.replace"),
    ],
)
def test_what_would_be_far_too_long_is_not_made(text, name):
    with pytest.raises(ExpressionError) as refused:
        value_of(text, {"a": "x" * 60_000, "b": "y" * 60_000, "o": "x" * 60_000})

    assert str(refused.value) == f"`{name}` would give more than 16 MiB"


def test_what_is_long_and_not_too_long_is_made():
    assert len(value_of("args.a.replace('x', args.b)", {"a": "x" * 1000, "b": "y" * 10_000})) == 10_000_000
    assert value_of("regex.replace(args.a, '(y)', '<\\\\1>')", {"a": "xy" * 100}) == "x<y>" * 100


@given(a=TEXTS, b=TEXTS, c=TEXTS, n=st.integers(-2, 3), items=st.lists(TEXTS, max_size=3))
@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize(
    "text",
    [
        "args.a.replace(args.b, args.c)",
        "args.a.replace(args.b, args.c, args.n)",
        "args.l.join()",
        "args.l.join(args.b)",
        "regex.replace(args.a, 'a', args.c)",
        "regex.replace(args.a, '[ab]', args.c, args.n)",
    ],
)
def test_else_it_is_what_cel_gives(text, a, b, c, n, items):
    args = {"a": a, "b": b, "c": c, "n": n, "l": items, "o": None}
    made = environment("tools.expr", SCOPE)
    given = made.env.compile(text).eval(made.env.Activation({"args": made.converter.names["args"](args)}))
    try:
        ours = value_of(text, args)
    except ExpressionError:
        ours = ERROR
    assert ours == (ERROR if given.type() == cel().Type.ERROR else given.plain_value())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("args.o.replace('a', 'b')", "`replace` does not take a boolean and a string and a string"),
        ("args.o.join()", "`join` does not take a boolean"),
        ("regex.replace(args.o, 'a', 'b')", "`regex.replace` does not take a boolean and a string and a string"),
        ("[args.o].join()", "`join` takes a list of texts"),
    ],
)
def test_what_is_no_text_is_told_by_the_name_that_was_written(text, told):
    with pytest.raises(ExpressionError) as refused:
        value_of(text, {"o": True})

    assert str(refused.value) == told
