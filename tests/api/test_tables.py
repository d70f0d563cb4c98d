"""Whole runs whose tools are tables of a database."""

import json

import pytest

from agentspec import SpecInvalid, Unavailable, replay, run
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
        (
            {"columns": {}},
            "`capability.resources.orders`: nothing can be updated: name columns in `columns.write`, or leave `update` out",
        ),
    ],
)
async def test_what_does_not_fit_the_table_is_told_before_a_run_begins(spec, given, words):
    with pytest.raises(SpecInvalid) as raised:
        await run(spec("hello", **given))

    assert str(raised.value) == words


async def test_a_database_that_is_not_there_is_told_before_a_run_begins(spec, tmp_path):
    with pytest.raises(Unavailable) as raised:
        await run(spec("hello", url="sqlite:///other.db"))

    assert str(raised.value) == f"`capability.resources.orders`: there is no file `{tmp_path / 'other.db'}`"
    assert not (tmp_path / "other.db").exists()


def test_a_plan_names_the_tools_without_a_look_at_the_database(spec):
    plan = forecast(spec("hello", url="sqlite:///other.db"))

    assert [(tool["name"], tool["effect"]) for tool in plan["tools"]] == [
        ("search_orders", "read"),
        ("update_orders", "write"),
    ]
