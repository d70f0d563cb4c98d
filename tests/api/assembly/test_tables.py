"""Whole runs whose tools are tables of a database."""

import json
import subprocess
import sys

import pytest

from agentspec import SpecInvalid, Unavailable, check, replay, run
from agentspec.api.forecast import forecast
from tests.adapters.tables.shop import sqlite_shop

ORDERS = {"url": "sqlite:///shop.db", "table": "orders", "verbs": ["search", "update"], "columns": {"write": ["qty"]}}


def calling(name, arguments):
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


@pytest.fixture
def spec(tmp_path):
    sqlite_shop(tmp_path)

    def write(*turns, **given):
        path = tmp_path / "shop.json"
        resources = {"orders": {**ORDERS, **given}}
        model = {"provider": "script", "options": {"turns": list(turns)}}
        path.write_text(json.dumps({"name": "s", "task": "t", "model": model, "capability": {"resources": resources}}))
        return path

    return write


async def test_a_run_reads_and_changes_rows_and_can_be_replayed_without_the_database(spec, tmp_path):
    path = spec(calling("search_orders", {"qty": 3}), calling("update_orders", {"id": 1, "qty": 4}), "done")

    result = await run(path)
    (tmp_path / "shop.db").unlink()

    assert (result.status, result.tools.successful) == ("done", ["search_orders", "update_orders"])
    assert (await replay(result.run_id, project=tmp_path)).same_version


async def test_an_address_of_the_environment_shows_nowhere(spec, tmp_path, monkeypatch):
    monkeypatch.setenv("SHOP_URL", "postgresql://shop:s3cretpass@127.0.0.1:1/shop")
    path = spec("hello", url="${env.SHOP_URL}")

    with pytest.raises(Unavailable) as raised:
        await run(path)

    assert "`capability.resources.orders`: the database can't be read: " in str(raised.value)
    assert "s3cretpass" not in str(raised.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"table": "ordres"}, "`capability.resources.orders`: there is no table `ordres`; did you mean `orders`?"),
        (
            {"columns": {"write": ["qyt"]}},
            "`capability.resources.orders.columns.write`: the table has no column `qyt`; did you mean `qty`?",
        ),
        (
            {"where": "row.ownr == identity.user"},
            "`capability.resources.orders.where`: the table has no column `ownr`; did you mean `owner`?",
        ),
        (
            {"where": "row.qty == identity.user"},
            (
                "`capability.resources.orders.where`: `row.qty` is a number, and `identity.user` is a text: "
                "they are never equal"
            ),
        ),
    ],
)
async def test_what_does_not_fit_the_table_is_told_before_a_run_begins(spec, given, words):
    with pytest.raises(SpecInvalid) as raised:
        await run(spec("hello", **given))

    assert str(raised.value) == words


async def test_a_database_that_is_not_there_is_told_before_a_run_begins(spec, tmp_path):
    with pytest.raises(SpecInvalid) as raised:
        await run(spec("hello", url="sqlite:///other.db"))

    assert [one.code for one in raised.value.diagnostics] == ["AS654"]
    assert not (tmp_path / "other.db").exists()


def test_a_plan_names_the_tools_without_a_look_at_the_database(spec):
    plan = forecast(spec("hello", url="postgresql://nobody@127.0.0.1:9/none"))

    assert [(tool["name"], tool["effect"]) for tool in plan["tools"]] == [
        ("search_orders", "read"),
        ("update_orders", "write"),
    ]


WITHOUT = """
import sys
sys.modules[sys.argv[1]] = None  # as where it is not installed
from agentspec import Unavailable, run_sync
try:
    run_sync(sys.argv[2])
except Unavailable as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("package", "url", "words"),
    [
        ("sqlalchemy", "sqlite:///shop.db", "`capability.resources` needs SQLAlchemy: `pip install 'agentspec[sql]'`"),
        ("psycopg", "postgresql://u@127.0.0.1:1/x", "PostgreSQL needs `psycopg`: `pip install 'agentspec[sql]'`"),
    ],
)
def test_a_package_that_is_not_there_is_told_with_its_extra(spec, package, url, words):
    path = spec("hello", url=url)

    told = subprocess.run([sys.executable, "-c", WITHOUT, package, path], capture_output=True, text=True, check=True)

    assert told.stdout == f"`capability.resources.orders`: {words}\n"


def test_a_check_loads_no_library_of_databases(spec):
    path = spec("hello", where="row.owner == identity.user")
    code = (
        "import sys; from agentspec import check; found = check(sys.argv[1]); "
        "print([str(one) for one in found.diagnostics], sorted({'sqlalchemy', 'psycopg', 'sqlite3'} & set(sys.modules)))"
    )

    told = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)

    assert told.stdout == "[] []\n"


@pytest.mark.parametrize(
    ("where", "part"),
    [
        ("row.owner.matches('a.*')", "row.owner.matches('a.*')"),
        ("row.qty + 1 > 3", "row.qty + 1"),
        ("row.owner == 'a' && size(row.item) > 3", "size(row.item)"),
        ("row.qty in row.tags", "row.tags"),
        ("row.qty > 1 ? true : false", "row.qty > 1 ? true : false"),
        ("row.item.startsWith(row.owner)", "row.owner"),
    ],
)
def test_a_condition_that_no_database_can_carry_out_is_told_at_its_place(spec, where, part):
    found = check(spec("hello", where=where)).diagnostics

    (told,) = [one for one in found if one.severity == "error"]
    assert (told.code, told.path) == ("AS326", "capability.resources.orders.where")
    assert told.span.source.text[told.span.start : told.span.end] == part
