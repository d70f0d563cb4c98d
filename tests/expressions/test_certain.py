"""What is known of an expression without CEL is what CEL says, and only what CEL accepts is known."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentspec.expressions.certain import certain_type
from agentspec.expressions.compile import environment
from agentspec.expressions.parse import parse
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import names_of
from agentspec.expressions.types import Type, record
from tests.expressions.asking import CALC

NAMES = [
    *(
        "iteration",
        "turn.tool_names",
        "turn.tool_call_count",
        "completion.vetoed",
        "completion.verdict",
        "usage.cost_usd",
    ),
    *(
        "args.lhs",
        "args.n",
        "args.name",
        "args.flag",
        "args.op",
        "args.maybe",
        "args.perhaps",
        "args.note",
        "args.tags",
    ),
    *("args.widths", "args.free", "args.anything", "args.rows", "args.box", "args.box.width", "args.none", "nobody"),
]
LITERALS = [
    "1",
    "2.5",
    "0x1F",
    "3u",
    "9223372036854775808",
    "true",
    "null",
    '"a"',
    "'é'",
    "'''b'''",
    r'"\d"',
    'b"x"',
    "[]",
]
ATOMS = st.sampled_from([*NAMES, *LITERALS])
OPERATORS = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "in", "&&", "||"]


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Expressions that have these in them."""
    two = st.tuples(inner, st.sampled_from(OPERATORS), inner).map(" ".join)
    choice = st.tuples(inner, inner, inner).map(lambda parts: "({} ? {} : {})".format(*parts))
    calls = [inner.map(form.format) for form in ("size({})", "string({})", "int({})", "double({})", "has({})")]
    method = st.tuples(inner, st.sampled_from(("contains", "size", "lower")), inner)
    return (
        st.one_of(two, choice, *calls, method.map(lambda parts: "({}).{}({})".format(*parts)))
        | inner.map("({})".format)
        | inner.map("!{}".format)
        | inner.map("-{}".format)
    )


EXPRESSIONS = st.recursive(ATOMS, larger, max_leaves=8)
PLACE_IDS = ("loop_control.when", "tools.expr", "terminal.when")


def same_as_cel(text: str, place_id: str) -> None:
    names = names_of(PLACES[place_id], CALC)

    given = certain_type(parse(text), text, names)

    assert given in (
        None,
        environment(place_id, CALC).env.compile(text).return_type().name().lower() if given else None,
    )


@given(EXPRESSIONS, st.sampled_from(PLACE_IDS))
def test_what_is_certain_is_what_cel_finds(text: str, place_id: str) -> None:
    same_as_cel(text, place_id)


@pytest.mark.slow
@given(EXPRESSIONS, st.sampled_from(PLACE_IDS))
@settings(max_examples=20_000, deadline=None)
def test_what_is_certain_is_what_cel_finds_many_times(text: str, place_id: str) -> None:
    same_as_cel(text, place_id)


ROWS = [
    ("args.lhs + args.lhs", "double"),
    ("args.n % 2 == 0", "bool"),
    ('args.name + "!"', "string"),
    ('args.flag ? "a" : args.op', "string"),
    ("args.name in args.tags || !args.flag && -args.n < 3", "bool"),
    ("args.lhs + args.n", None),
    ("args.lhs + 1", None),
    ("args.maybe + 1.0", None),
    ("args.none", None),
    ("args.free.x == 1.0", None),
    ("args.flag ? 1 : 2.0", None),
    ("args.tags", None),
    ("size(args.tags) > 0 && size(args.name) < 9", "bool"),
    ("has(args.maybe) || has(args.tags)", "bool"),
    ('string(int(args.lhs) * 3) + " metres"', "string"),
    ('args.name.startsWith("a")', "bool"),
    ("size(args.n)", None),
    ("has(args.none)", None),
    ("has(args)", None),
    ("int(args.flag)", None),
    ("size(args.name, args.name)", None),
    ("args.tags.contains(args.name)", None),
    ("args.name.size()", None),
    (r'"\n" == args.name', None),
    ("args.lhs and args.flag", None),
    ("args.lhs +", None),
    ("9223372036854775808 > args.n", None),
    ("(" * 24 + "args.lhs" + ")" * 24, None),
]


@pytest.mark.parametrize(("text", "given"), ROWS)
def test_only_plain_expressions_are_certain(text: str, given: str | None) -> None:
    assert certain_type(parse(text), text, names_of(PLACES["tools.expr"], CALC)) == given


@pytest.mark.parametrize("form", ["({})", "!({})", "(true ? {} : false)", "({} == true)"])
def test_cel_reads_what_is_certain_as_deep_as_it_goes(form: str) -> None:
    text = "true"
    for _ in range(24):
        text = form.format(text)
        same_as_cel(text, "tools.expr")


def test_a_name_that_is_a_field_of_a_list_or_of_nothing_is_not_certain() -> None:
    names = {"rows": Type("list", item=record({"a": "string"})), "gone": None}

    assert [certain_type(parse(text), text, names) for text in ("rows.a", "gone", "gone.a")] == [None, None, None]
