"""Work on a database ends: after its time, when the run gives up, and when somebody else holds what it needs."""

import asyncio
import contextlib
import sqlite3
import time

import psycopg
import pytest

ENDLESS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    "postgresql": "SELECT pg_sleep(600)",
}
FIRST = "UPDATE orders SET qty = 9 WHERE id = 1"


def endless(shop, **given):
    return shop(actions={"forever": {"sql": [FIRST, ENDLESS[shop.dialect]]}}, **given)


@contextlib.contextmanager
def held(shop):
    """Somebody else is in the middle of a change of the first order."""
    is_sqlite = shop.dialect == "sqlite"
    with contextlib.closing(
        sqlite3.connect(shop.folder / "shop.db", isolation_level=None) if is_sqlite else psycopg.connect(shop.address)
    ) as connection:
        if is_sqlite:
            connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE orders SET qty = 7 WHERE id = 1")
        yield connection
        connection.rollback()


async def test_a_call_ends_with_its_time_and_leaves_nothing(shop):
    output = await endless(shop, seconds=0.3).call("forever")

    assert (output.status, output.error.message) == ("timeout", "no answer after 0.3 s; nothing was changed")
    assert shop.do("SELECT qty FROM orders WHERE id = 1") == [(3,)]


async def test_a_call_that_the_run_gives_up_ends_in_the_database_too(shop):
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(endless(shop, seconds=600).call("forever"), 0.3)

    began = time.monotonic()
    shop.do(FIRST)  # waits until the abandoned change has let go
    assert time.monotonic() - began < 4


async def test_what_somebody_else_holds_is_waited_for_and_then_told(shop):
    tools = shop(verbs=["update", "search"], columns={"write": ["qty"]}, seconds=0.4)

    with held(shop):
        output = await tools.call("update_orders", id=1, qty=1)
        seen = await tools.ids(qty=3)

    assert output.status != "ok"
    assert output.error.retryable
    assert seen == [1]  # reading waits for nobody
    assert shop.do("SELECT qty FROM orders WHERE id = 1") == [(3,)]


async def test_calls_at_once_are_each_in_a_transaction_of_their_own(shop):
    tools = shop(verbs=["create", "search"], columns={"write": ["item", "owner"]}, audit="audit")

    made = await asyncio.gather(
        *(tools.call("create_orders", key=f"k{n}", item=f"item {n}", owner="ada") for n in range(6))
    )

    assert [output.error for output in made] == [None] * 6
    assert len({output.data["id"] for output in made}) == 6
    assert shop.do("SELECT count(*) FROM audit") == [(6,)]


async def test_reading_tools_can_not_write_even_if_their_statement_would(shop):
    tools = shop()
    words = []

    def change(connection):
        try:
            connection.exec_driver_sql("DELETE FROM orders")
        except Exception as error:  # noqa: BLE001 - each database has its own
            words.append(str(error))

    tools.database.read(change)

    assert "readonly" in words[0] or "read-only" in words[0]
    assert shop.do("SELECT count(*) FROM orders") == [(4,)]
