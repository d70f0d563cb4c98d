"""A shop in a real database, and calls of its tools as a run would make them."""

import contextlib
import sqlite3

from agentspec.adapters.tables.database import Database
from agentspec.adapters.tables.offer import offer_table
from agentspec.adapters.tables.reflect import read_shape
from agentspec.core.schema import compile_schema
from agentspec.ports import Invocation

ADA = {"user": "ada", "roles": ["admin", "ops"], "tenant": "t1"}
TABLES = """
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    owner VARCHAR(20) NOT NULL,
    item VARCHAR(20) NOT NULL UNIQUE,
    qty INTEGER CHECK (qty > 0),
    price NUMERIC(10, 2),
    paid BOOLEAN DEFAULT false,
    note TEXT
)
"""
ROWS = (
    (1, "ada", "apple", 3, "1.50", True, None),
    (2, "bob", "pear", 5, "2.00", False, "for bob's eyes"),
    (3, "ada", "fig", 8, None, False, "%_'\"; --"),
    (4, "Ada", "plum", None, "0.10", None, "other case"),
)


def sqlite_shop(folder):
    """The address of a SQLite file with the shop in it."""
    with contextlib.closing(sqlite3.connect(folder / "shop.db")) as connection:
        connection.execute(TABLES)
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?)", ROWS)
        connection.commit()
    return "sqlite:///shop.db"


class Shop:
    """The tools of `orders` with some grants, for one identity."""

    def __init__(self, address, folder, **given):
        self.database = Database(address, folder, given.pop("seconds", 10.0))
        self.identity = given.pop("identity", ADA)
        self.most = given.pop("most", 64 * 1024)
        self.given = {"verbs": ["get", "search"], "table": "orders", "page": 50, **given}
        self.shape = read_shape(self.database, self.given["table"], self.given.get("key"))
        self.tools = offer_table("orders", self.given, self.shape, self.database, self.identity, self.most)

    async def call(self, name, key="k", **arguments):
        """The output of a call; the arguments fit the schema, as in a run."""
        plan, _ = self.tools[name]
        assert compile_schema(plan.parameters).check(arguments) == []
        return await self.raw(name, arguments, key)

    async def raw(self, name, arguments, key="k"):
        """The output of a call whose arguments nobody has looked at."""
        _, tool = self.tools[name]
        return await tool.call(
            Invocation(name=name, call_id="c", arguments=arguments, key=key, run={"id": "r1"}, at=1_700_000_000.0)
        )

    async def value(self, name, **arguments):
        """What a call that succeeds gives to programs."""
        output = await self.call(name, **arguments)
        assert output.error is None, output.error
        return output.data

    async def refusal(self, name, **arguments):
        """The words of a call that is refused."""
        output = await self.call(name, **arguments)
        assert output.status != "ok", output
        return output.error.message

    async def ids(self, **arguments):
        """The keys of the rows that a search finds."""
        return [row["id"] for row in (await self.value("search_orders", **arguments))["rows"]]
