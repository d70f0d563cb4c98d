"""Values of every type of a column come and go as JSON, and what a column can't hold is told before it is sent."""

from decimal import Decimal

import pytest

from agentspec.adapters.tables.cells import Misfit, show, take
from agentspec.adapters.tables.shape import ColumnShape, shape_from
from agentspec.errors import SpecInvalid

POSTGRES = """
CREATE TABLE kinds (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(), mood mood NOT NULL DEFAULT 'ok', small SMALLINT, big BIGINT,
    half REAL, whole DOUBLE PRECISION, exact NUMERIC(30, 10), at TIMESTAMPTZ, local TIMESTAMP, day DATE, clock TIME,
    doc JSONB, raw BYTEA, tags TEXT[], code CHAR(4), "odd name" TEXT, owner VARCHAR(10)
)
"""
SQLITE = """
CREATE TABLE kinds (
    id TEXT PRIMARY KEY, small SMALLINT, whole REAL, exact DECIMAL(30, 10), at DATETIME, day DATE, doc JSON, raw BLOB,
    "odd name" TEXT, owner TEXT, flag BOOLEAN
)
"""
UUID = "0b1e5a5c-7f57-4d1c-9d0a-0123456789ab"
WRITTEN = {
    "sqlite": {
        "id": "x",
        "small": -3,
        "whole": 0.1,
        "exact": 12.5,
        "at": "2026-11-30T08:00:00Z",
        "day": "2026-11-30",
        "doc": {"a": [1, None, "é"]},
        "owner": "ada",
        "flag": True,
    },
    "postgresql": {
        "id": UUID,
        "mood": "sad",
        "small": -3,
        "big": 2**62,
        "half": 0.5,
        "whole": 0.1,
        "exact": 12.5,
        "at": "2026-11-30T08:00:00+00:00",
        "local": "2026-11-30T08:00:00.000001",
        "day": "2026-11-30",
        "clock": "08:00:00",
        "doc": {"a": [1, None, "é"]},
        "code": "abcd",
        "owner": "ada",
    },
}


@pytest.fixture
def kinds(shop):
    if shop.dialect == "sqlite":
        shop.do(SQLITE)
    else:
        shop.do("CREATE TYPE mood AS ENUM ('ok', 'sad')", POSTGRES)
    verbs = ["get", "search", "create", "update"]
    shop.defaults = {"table": "kinds", "verbs": verbs, "columns": {"write": list(WRITTEN[shop.dialect])}}
    return shop


async def test_every_value_comes_back_as_it_was_given(kinds):
    tools, given = kinds(), WRITTEN[kinds.dialect]

    made = await tools.value("create_orders", **given)
    for name, value in given.items():
        changed = {"doc": None} if name == "doc" else {} if name == "id" else {name: value}
        if changed:
            await tools.value("update_orders", id=given["id"], **changed)
    await tools.value("update_orders", id=given["id"], doc=given["doc"])

    assert {name: value for name, value in made.items() if value is not None} == given
    assert await tools.value("get_orders", id=given["id"]) == made
    for name, value in given.items():
        if name != "doc":
            assert await tools.ids(**{name: value}) == [given["id"]], name


async def test_pages_go_on_behind_values_of_every_type(kinds):
    tools, given = kinds(), WRITTEN[kinds.dialect]
    key = "0b1e5a5c-7f57-4d1c-9d0a-00000000000{}"
    for n in range(3):
        await tools.value("create_orders", **{**given, "id": key.format(n)})
    await tools.value("create_orders", id=key.format(3))  # nothing else in it

    for order in tools.tools["search_orders"][0].parameters["properties"]["order"]["enum"]:
        found, cursor = [], {}
        while cursor is not None:
            page = await tools.value("search_orders", order=order, limit=1, **cursor)
            found += [row["id"][-1:] for row in page["rows"]]
            cursor = page["cursor"] and {"cursor": page["cursor"]}
        assert sorted(found) == ["0", "1", "2", "3"], order


@pytest.mark.parametrize(
    "where", ["row.mood == 'sad'", "row.id < 'zz' && row.mood.startsWith('s')", f"row.id == '{UUID}'"]
)
async def test_texts_of_other_types_are_compared_as_texts(kinds, where):
    if kinds.dialect == "sqlite":
        kinds.do("ALTER TABLE kinds ADD COLUMN mood TEXT DEFAULT 'sad'")
    given = {**WRITTEN[kinds.dialect], "id": UUID}

    assert (await kinds(where=where).value("create_orders", **given))["id"] == UUID


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("row.raw == 'x'", "`row.raw` is bytes, which a condition can only ask `has(…)` of"),
        ("row.small.startsWith('x')", "`row.small` is a number, and a text is needed"),
        ("row.small == true", "`row.small` is a number, and `True` is a boolean: they are never equal"),
        ("row.smal == 1", "the table has no column `smal`; did you mean `small`?"),
    ],
)
def test_a_condition_that_no_row_can_fit_is_refused_before_the_run(kinds, where, words):
    with pytest.raises(SpecInvalid) as raised:
        kinds(where=where)

    assert str(raised.value) == f"`capability.resources.orders.where`: {words}"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"key": "owner"}, "`capability.resources.orders.key`: `owner` is not unique, so it can't name one row"),
        ({"columns": {"read": ["owner"]}}, "`capability.resources.orders.columns.read` leaves out `id`"),
        ({"columns": {"write": ["raw"]}}, "`capability.resources.orders.columns.write`: `raw` is bytes"),
        (
            {"columns": {"write": ["odd name"]}},
            "`capability.resources.orders.columns.write`: `odd name` can't be the name",
        ),
        ({"columns": {}, "verbs": ["create"]}, "`capability.resources.orders`: a new row would be empty"),
    ],
)
def test_grants_that_do_not_fit_the_table_are_refused_before_the_run(kinds, given, words):
    with pytest.raises(SpecInvalid) as raised:
        kinds(**given)

    assert str(raised.value).startswith(words)


def test_a_shape_comes_back_from_its_plain_form(kinds):
    shape = kinds().shape

    assert shape_from(shape.as_json()) == shape


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("integer", 1.5, "`c` is an integer, and `1.5` is none"),
        ("integer", True, "`c` is an integer, and `True` is none"),
        ("decimal", "1e999999999", "`c` is a number, and `1e999999999` is none"),
        ("number", 10**400, f"`c` is a number, and `{str(10**400)[:40]}` is none"),
        ("uuid", "x", "`c` is a UUID, and `x` is none"),
        ("time", "yesterday", "`c` is a time, and `yesterday` is none"),
        ("date", "2026-02-30", "`c` is a date, and `2026-02-30` is none"),
        ("boolean", 1, "`c` is a boolean, and `1` is none"),
        ("json", {"a": "\0"}, "`c` holds a NUL character, which no text of a table may"),
        ("enum", "x", "`c` is one of `a`, `b`"),
    ],
)
def test_a_value_of_another_type_is_told_with_the_column(kind, value, words):
    with pytest.raises(Misfit) as raised:
        take(ColumnShape("c", kind, "X", members=("a", "b")), value, "postgresql")

    assert str(raised.value) == words


def test_numbers_that_json_can_not_keep_whole_are_shown_as_texts():
    assert [show(Decimal(text)) for text in ("1.50", "0.1234567890123456789", "1e30", "NaN")] == [
        1.5,
        "0.1234567890123456789",
        "1000000000000000000000000000000",
        "NaN",
    ]


async def test_a_view_is_read_by_the_key_that_its_author_names(shop):
    shop.do("CREATE VIEW cheap AS SELECT id, item, qty * 2 AS twice FROM orders WHERE qty < 6")
    tools = shop(table="cheap", key="id", where="row.item != 'apple'")

    assert await tools.value("search_orders") == {"rows": [{"id": 2, "item": "pear", "twice": 10}], "cursor": None}
