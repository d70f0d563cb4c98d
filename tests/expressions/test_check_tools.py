"""Expressions of tools: arguments have their declared types, and the result fits `returns`."""

import pytest

from tests.expressions.asking import ask_tool, short

ARGUMENTS = [
    (
        "args.lhs * 2",
        [
            (
                "AS306",
                "2",
                "`2` is an integer and `args.lhs` is a number; the two do not mix",
                "write `2.0`",
                "args.lhs * 2.0",
            )
        ],
    ),
    (
        "args.lhs + args.n",
        [
            (
                "AS306",
                "args.n",
                "`args.n` is an integer and `args.lhs` is a number; the two do not mix",
                "write `double(args.n)`",
                "args.lhs + double(args.n)",
            )
        ],
    ),
    ("args.n * 2", []),
    (
        'args.op == "ad" ? 1 : 2',
        [("AS309", '"ad"', '`args.op` is never "ad"', 'did you mean `"add"`?', 'args.op == "add" ? 1 : 2')],
    ),
    (
        "args.rows.map(row, row.lable)",
        [
            (
                "AS303",
                "lable",
                "unknown field `lable` in `row`",
                "did you mean `label`?",
                "args.rows.map(row, row.label)",
            )
        ],
    ),
    ("args.rows[0].qty.foo", [("AS303", "foo", "`args.rows[0].qty` is an integer and has no fields", None, None)]),
    (
        "args.maybe + 1.0",
        [
            (
                "AS324",
                "args.maybe",
                "`args.maybe` may be missing, and then this fails",
                "ask first: `has(args.maybe) && …`, or `has(args.maybe) ? args.maybe : …`",
                None,
            )
        ],
    ),
    (
        "args.note.size()",
        [
            (
                "AS324",
                "args.note",
                "`args.note` may be missing, and then this fails",
                "ask first: `has(args.note) && …`, or `has(args.note) ? args.note : …`",
                None,
            )
        ],
    ),
    ("has(args.maybe) ? args.maybe : 0.0", []),
    ("args.maybe == null ? 0.0 : args.maybe", []),
    (
        "args.free.width + 1",
        [
            (
                "AS325",
                "1",
                "numbers of `args.free.width` are doubles and do not mix with `1`",
                "write `1.0`",
                "args.free.width + 1.0",
            )
        ],
    ),
    ("args.free.width * 2.0", []),
    (
        "json.decode(args.name).x + 1",
        [
            (
                "AS325",
                "1",
                "numbers of `json.decode(args.name).x` are doubles and do not mix with `1`",
                "write `1.0`",
                "json.decode(args.name).x + 1.0",
            )
        ],
    ),
    (
        "args.free.map(key, key)",
        [
            (
                "AS323",
                "map",
                "the order of `args.free` is not fixed, so this list differs between runs",
                "add `.sort()`",
                "args.free.map(key, key).sort()",
            )
        ],
    ),
    ("args.free.map(key, key).sort()", []),
    ('args.free.filter(key, key != "").size()', []),
    (
        "args.dry-run",
        [
            (
                "AS303",
                "dry",
                "unknown field `dry` in `args`",
                "a name with `-` cannot be read here; call it `dry_run`",
                None,
            )
        ],
    ),
    (
        "args.name == null",
        [
            (
                "AS306",
                "==",
                "`args.name` is a string and never null",
                "only an optional value (`string?`) can be null",
                None,
            )
        ],
    ),
    (
        'args["lhs"]',
        [
            (
                "AS306",
                "args",
                "`args` is the record `args` and has no elements",
                "a field is taken with a dot: `record.field`",
                None,
            )
        ],
    ),
    (
        "args.flag ? 1 : 2.0",
        [
            (
                "AS306",
                "1",
                "`1` is an integer and `2.0` is a number; the two do not mix",
                "write `1.0`",
                "args.flag ? 1.0 : 2.0",
            )
        ],
    ),
    (
        "args.widths[0] * 2",
        [
            (
                "AS306",
                "2",
                "`2` is an integer and `args.widths[0]` is a number; the two do not mix",
                "write `2.0`",
                "args.widths[0] * 2.0",
            )
        ],
    ),
    (
        "args.box.widht",
        [("AS303", "widht", "unknown field `widht` in `args.box`", "did you mean `width`?", "args.box.width")],
    ),
    ("run.sepc", [("AS303", "sepc", "unknown field `sepc` in `run`", "did you mean `spec`?", "run.spec")]),
    ('b"x"', [("AS308", 'b"x"', "this is bytes, and the tool returns `any`", 'write `base64.encode(b"x")`', None)]),
    (
        "args.tags.first()",
        [
            (
                "AS308",
                "args.tags.first()",
                "this is an optional value, and the tool returns `any`",
                "write `args.tags.first().orValue(other)`",
                None,
            )
        ],
    ),
    (
        'args.tags + "x"',
        [("AS306", '"x"', '`+` joins lists, and `"x"` is a string', 'write `["x"]`', 'args.tags + ["x"]')],
    ),
    (
        "args.name + 1",
        [("AS306", "1", "`+` joins strings, and `1` is an integer", "write `string(1)`", "args.name + string(1)")],
    ),
    ("[1, args.n][0] + 1", []),
    ("[1, args.name].exists(x, x == 1)", []),
]
RETURNS = [
    (
        "args.name",
        "number",
        [("AS308", "args.name", "this is a string, and the tool returns `number`", "write `double(args.name)`", None)],
    ),
    (
        "args.lhs",
        "string",
        [("AS308", "args.lhs", "this is a number, and the tool returns `string`", "write `string(args.lhs)`", None)],
    ),
    (
        "args.lhs",
        "integer",
        [("AS308", "args.lhs", "this is a number, and the tool returns `integer`", "write `int(args.lhs)`", None)],
    ),
    ("args.n", "number", []),
    ("args.flag", "number", [("AS308", "args.flag", "this is a boolean, and the tool returns `number`", None, None)]),
    (
        'args.flag ? "a" : "x"',
        {"enum": ["a", "b"]},
        [("AS309", '"x"', 'the tool never returns "x"', 'it returns `"a"` or `"b"`', None)],
    ),
    ("args.tags", "string[]", []),
    ("args.lhs", "string[]", [("AS308", "args.lhs", "this is a number, and the tool returns `string[]`", None, None)]),
    ('{"a": 1}', {"fields": {"a": "integer"}}, []),
    ("null", "string", [("AS308", "null", "this is null, and the tool returns `string`", None, None)]),
    ("null", "string?", []),
    ("args.free", "object", []),
    ("args", "object", []),
    ("args.anything", "number", []),
    (
        "run.now",
        "string",
        [("AS308", "run.now", "this is a time, and the tool returns `string`", "write `string(run.now)`", None)],
    ),
    (
        "args.tags",
        "integer[]",
        [("AS308", "args.tags", "this is a list of strings, and the tool returns `integer[]`", None, None)],
    ),
    ("args.rows.map(row, row.qty)", "number[]", []),
]


@pytest.mark.parametrize(("text", "expected"), ARGUMENTS, ids=[row[0] for row in ARGUMENTS])
def test_arguments_are_typed_from_the_parameters(text: str, expected: list[tuple[str, ...]]) -> None:
    assert short(text, ask_tool(text)) == expected


@pytest.mark.parametrize(("text", "returns", "expected"), RETURNS, ids=[f"{row[0]} as {row[1]}" for row in RETURNS])
def test_the_result_fits_what_the_tool_returns(text: str, returns: object, expected: list[tuple[str, ...]]) -> None:
    assert short(text, ask_tool(text, returns)) == expected


@pytest.mark.parametrize("text", ["args.perhaps ? 1 : 2", "!args.perhaps", "args.flag && args.perhaps"])
def test_a_yes_or_no_that_may_be_missing_has_to_be_asked_for_where_one_is_needed(text):
    found = ask_tool(text)

    assert [(one.code, text[one.start : one.end]) for one in found] == [("AS324", "args.perhaps")]


@pytest.mark.parametrize("text", ["has(args.perhaps) && args.perhaps ? 1 : 2", "args.perhaps == true", "args.perhaps"])
def test_a_yes_or_no_that_may_be_missing_is_let_through_where_nothing_fails(text):
    assert ask_tool(text) == []
