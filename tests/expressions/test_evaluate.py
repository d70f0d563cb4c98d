"""Running expressions: values in, values out, and one kind of error with a sentence of ours."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from agentspec.errors import ExpressionError
from agentspec.expressions.compile import activate, compile_expression
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import EMPTY, make_scope
from tests.expressions.asking import CALC

TOOL = PLACES["tools.expr"]


def run(text: str, args: dict[str, Any] | None = None, returns: object = None) -> Any:
    scope = CALC._replace(returns=None if returns is None else make_scope(returns=returns).returns)
    return compile_expression(text, TOOL, scope).evaluate({"args": args or {}})


def failure(text: str, args: dict[str, Any] | None = None, returns: object = None) -> str:
    with pytest.raises(ExpressionError) as error:
        run(text, args, returns)
    return str(error.value)


VALUES = [
    ("args.lhs * 2.0", {"lhs": 3}, 6.0),
    ("args.n", {"n": 2.0}, 2),
    ("args.op", {"op": "add"}, "add"),
    ("args.flag", {"flag": False}, False),
    ("args.maybe", {"maybe": None}, None),
    ("args.maybe", {"maybe": 0}, 0.0),
    ('has(args.note) ? args.note : "none"', {}, "none"),
    ('has(args.note) ? args.note : "none"', {"note": ""}, ""),
    ("args.tags.map(tag, tag)", {"tags": ("b", "a")}, ["b", "a"]),
    ("args.free", {"free": {"b": 1, "a": [1, 2.5, None, {"z": True}]}}, {"a": [1.0, 2.5, None, {"z": True}], "b": 1.0}),
    ("args.anything", {"anything": [[[1]]]}, [[[1.0]]]),
    ("args.rows", {"rows": [{"label": "x", "qty": 2}]}, [{"label": "x", "qty": 2}]),
    ("args.box.width", {"box": {"width": 2}}, 2.0),
    ("args.box.width", {}, 0.0),
    ("args.free.a.b == 1", {"free": {"a": {"b": 1}}}, True),
    ("json.encode(args)", {"lhs": 1, "name": "é"}, '{"lhs":1,"name":"é","rows":[],"tags":[],"widths":[]}'),
    ('timestamp("2026-01-31T08:00:00+01:00")', {}, "2026-01-31T07:00:00Z"),
    ('duration("1m30s")', {}, "90s"),
    ("args.name.size()", {"name": "😀é"}, 2),
]


@pytest.mark.parametrize(("text", "args", "expected"), VALUES, ids=[f"{row[0]} of {row[1]}" for row in VALUES])
def test_a_value_comes_out_as_plain_python(text: str, args: dict[str, Any], expected: object) -> None:
    given = run(text, args)

    assert (type(given), given) == (type(expected), expected)


FAILURES = [
    ("args.maybe + 1.0", {}, "a value is missing (null) where one is needed; ask with `has( )` first"),
    ("args.free.x", {"free": {}}, "there is no key `x`"),
    ("args.free.x.y", {"free": {"x": 3}}, "a value has no such field"),
    (
        "args.free.x + 1",
        {"free": {"x": 1}},
        "an integer and a number do not mix; numbers of free data are doubles: write `2.0`, or `double(x)`",
    ),
    ("dyn(args.name) + 1", {"name": "x"}, "`+` does not take a string and an integer"),
    ("args.tags[3]", {"tags": []}, "there is no item 3 in a list of 0"),
    ("1 / args.n", {"n": 0}, "division by zero"),
    ("1 % args.n", {"n": 0}, "division by zero"),
    ("9223372036854775807 + args.n", {"n": 1}, "a number leaves its range"),
    ("int(args.name)", {"name": "x"}, "a string cannot be converted"),
    ("timestamp(args.name)", {"name": "x"}, "a time is written `2026-01-31T00:00:00Z`"),
    ("duration(args.name)", {"name": "x"}, "a span is written `90s` or `1h30m`"),
    ("args.name.matches(args.op)", {"name": "a", "op": "("}, "this is no regular expression: missing ): ("),
    ("args.name.charAt(9)", {"name": "x"}, "an index is beyond the end of a string"),
    ("list.mean(args.widths)", {"widths": []}, "`list.mean` needs at least one item"),
    ("list.range(args.n)", {"n": 1_000_000_000}, "`list.range` gives at most 10 000 numbers"),
    ("text.repeat(args.name, 70000)", {"name": "x"}, "`text.repeat` would give more than 64 KiB"),
    ("time.from_unix(args.lhs)", {"lhs": 1e300}, "this is no time between the years 1 and 9999"),
    ('time.format(run.now, "%Q")', {}, "`run` has no value here"),
    ("[args.n].map(x, optional.none())", {"n": 1}, "an optional value cannot be a result; use `orValue( )`"),
    (
        "args.widths.map(x, args.widths.map(y, x + y)).size()",
        {"widths": list(range(101))},
        "it takes more than 10 000 steps",
    ),
    ("args.lhs / args.lhs", {"lhs": 0}, "the result is not a finite number"),
    ("args.name", {"name": "x" * 65_537}, "`args`: `name`: a text that an expression reads is at most 64 KiB long"),
    ("args.name", {"name": "é" * 32_769}, "`args`: `name`: a text that an expression reads is at most 64 KiB long"),
    ("args.name", {"name": "\ud800"}, "`args`: a text in it holds half of a character (a lone surrogate)"),
    ("args.free", {"free": {"x": "\ud800"}}, "`args`: a text in it holds half of a character (a lone surrogate)"),
    ("args.name", {"name": 5}, "`args`: `name`: a text is expected, not an integer"),
    ("args.n", {"n": 2.5}, "`args`: `n`: an integer is expected, not a number"),
    ("args.n", {"n": 2**63}, "`args`: `n`: an integer has at most 64 bits"),
    ("args.flag", {"flag": 1}, "`args`: `flag`: a boolean is expected, not an integer"),
    ("args.lhs", {"lhs": True}, "`args`: `lhs`: a number is expected, not a boolean"),
    ("args.tags", {"tags": "abc"}, "`args`: `tags`: a list is expected, not a text"),
    ("args.free", {"free": [1]}, "`args`: `free`: a mapping is expected, not a list"),
    ("args.anything", {"anything": b"x"}, "`args`: `anything`: an expression cannot read `bytes`"),
]


@pytest.mark.parametrize(("text", "args", "expected"), FAILURES, ids=[row[0] for row in FAILURES])
def test_a_failure_is_a_sentence(text: str, args: dict[str, Any], expected: str) -> None:
    assert failure(text, args) == expected


def test_data_that_is_too_deep_is_refused() -> None:
    data: Any = 1
    for _ in range(100):
        data = [data]

    assert failure("args.anything", {"anything": data}) == (
        "`args`: `anything`: data that an expression reads is at most 64 levels deep"
    )


def test_text_of_exactly_64_kib_is_read() -> None:
    assert run("args.name.size()", {"name": "é" * 32_768}) == 32_768


RETURNS = [
    ("args.lhs", {"lhs": 2}, "number", 2.0),
    ("args.n", {"n": 2}, "number", 2),
    ("args.anything", {"anything": 2}, "integer", 2),
    ("args.anything", {"anything": ["a"]}, "string[]", ["a"]),
    ("args.anything", {"anything": None}, "string?", None),
    ("args.box", {"box": {"width": 1}}, {"fields": {"width": "number"}}, {"width": 1.0}),
]


@pytest.mark.parametrize(("text", "args", "returns", "expected"), RETURNS, ids=[row[0] for row in RETURNS])
def test_a_result_that_fits_is_given(text: str, args: dict[str, Any], returns: object, expected: object) -> None:
    given = run(text, args, returns)

    assert (type(given), given) == (type(expected), expected)


MISFITS = [
    ("args.anything", {"anything": "x"}, "number", "a number is expected, not a text"),
    ("args.anything", {"anything": 2.5}, "integer", "the result is a number, and the tool returns `integer`"),
    ("args.anything", {"anything": True}, "integer", "the result is a boolean, and the tool returns `integer`"),
    (
        "args.anything",
        {"anything": "c"},
        {"enum": ["a", "b"]},
        'the result is "c", and the tool returns `"a" | "b"`',
    ),
    ("args.anything", {"anything": [1]}, "string[]", "the result is a number, and the tool returns `string`"),
    ("args.free", {"free": {}}, {"fields": {"width": "number"}}, "the result has no `width`"),
    ("args.maybe", {}, "number", "a number is expected, not null"),
]


@pytest.mark.parametrize(("text", "args", "returns", "expected"), MISFITS, ids=[str(row[2]) for row in MISFITS])
def test_a_result_that_does_not_fit_is_an_error(
    text: str, args: dict[str, Any], returns: object, expected: str
) -> None:
    assert failure(text, args, returns) == expected


def test_mappings_come_out_in_the_order_of_their_keys_every_time() -> None:
    keys = [f"key{number}" for number in range(20)]
    args = {"free": dict.fromkeys(reversed(keys), 1)}

    given = [list(run("args.free", args)) for _ in range(10)]

    assert given == [sorted(keys)] * 10


FACTS = {
    "iteration": 3,
    "budget": {"current_limit": 4, "max": 12, "remaining": 1, "cost_usd": 0.5},
    "turn": {"tool_names": ["read_file"]},
    "progress": {"turns_since_progressing": 4},
    "tool_results": [{"name": "read_file", "ok": False, "status": "error", "data": {"code": 1}}],
}


def test_names_are_built_once_and_read_by_every_expression() -> None:
    place = PLACES["post_turn.when"]
    names = activate(place, EMPTY, FACTS)

    given = [
        compile_expression(text, place).evaluate(names)
        for text in (
            "progress.turns_since_progressing > 3",
            'tool_results.exists(result, result.name == "read_file" && !result.ok)',
            "tool_results[0].data.code == 1",
            "budget.cost_usd > 0.4 && budget.remaining == 1",
            '"read_file" in turn.tool_names',
        )
    ]

    assert given == [True] * 5


def test_records_are_read_like_mappings() -> None:
    @dataclass
    class Turn:
        tool_call_count: int
        tool_names: tuple[str, ...]

    place = PLACES["loop_control.when"]
    text = 'turn.tool_call_count == 1 && turn.tool_names == ["grep"]'

    assert compile_expression(text, place).evaluate({"turn": Turn(1, ("grep",))}) is True


def test_a_name_without_a_value_is_told_by_its_name() -> None:
    program = compile_expression("completion.vetoed", PLACES["loop_control.when"])

    with pytest.raises(ExpressionError, match=r"^`completion` has no value here$"):
        program.evaluate({})


def test_a_value_that_cannot_go_in_only_fails_what_reads_it() -> None:
    place = PLACES["post_turn.when"]
    names = activate(place, EMPTY, {"iteration": 3, "text": "x" * 100_000})

    assert compile_expression("iteration == 3", place).evaluate(names) is True
    with pytest.raises(ExpressionError, match=r"^`text`: a text that an expression reads is at most 64 KiB long$"):
        compile_expression('text == ""', place).evaluate(names)


def test_a_failed_part_beside_a_decided_one_does_not_matter() -> None:
    program = compile_expression("1 / iteration == 1 || true == (iteration == 0)", PLACES["loop_control.when"])

    assert program.evaluate({"iteration": 0}) is True


def test_a_condition_that_gives_no_boolean_is_an_error() -> None:
    program = compile_expression("tool_results[0].data.code", PLACES["post_turn.when"])

    with pytest.raises(ExpressionError, match=r"^a condition gave a number, not a boolean$"):
        program.evaluate(FACTS)


def test_a_rank_is_a_number() -> None:
    program = compile_expression("tool.score * 2.0", PLACES["tool_search.rank"])

    assert program.evaluate({"tool": {"score": 1.5}}) == 3.0


def test_times_go_in_as_datetimes_or_seconds() -> None:
    program = compile_expression("time.date(run.now) + time.date(run.started_at)", TOOL)
    now = datetime(2026, 1, 31, 23, 30, tzinfo=UTC)

    assert program.evaluate({"run": {"now": now, "started_at": 0}}) == "2026-01-311970-01-01"


def test_an_expression_with_an_error_is_not_compiled() -> None:
    with pytest.raises(ExpressionError, match=r"^unknown name `budgt` in `budgt.max > 1`$"):
        compile_expression("budgt.max > 1", PLACES["loop_control.when"])
