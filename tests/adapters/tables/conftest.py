"""The shop in both databases: a test that takes `shop` runs against each."""

import contextlib
import sqlite3

import psycopg
import pytest

from tests.adapters.tables.shop import Shop, postgres_shop, sqlite_shop
from tests.sample import fast_first
from tests.servers.postgres import postgres


@pytest.fixture(scope="session")
def server():
    with postgres() as address:
        yield address


class World:
    """One database with the shop in it, and its tools with any grants."""

    def __init__(self, dialect, address, folder):
        self.dialect = dialect
        self.address = address
        self.folder = folder
        self.defaults = {}
        self.made = None

    def __call__(self, **given):
        return Shop(self.address, self.folder, **{**self.defaults, **given})

    def kept(self, **given):
        """The tools that were made first: their grants are always the same in one test."""
        self.made = self.made or self(**given)
        return self.made

    def do(self, *statements):
        """What the last statement finds, by the database's own means."""
        is_sqlite = self.dialect == "sqlite"
        with contextlib.closing(
            sqlite3.connect(self.folder / "shop.db") if is_sqlite else psycopg.connect(self.address)
        ) as connection:
            for statement in statements:
                found = connection.execute(statement)
            rows = found.fetchall() if found.description else []
            connection.commit()
            return rows


@pytest.fixture(params=fast_first(["sqlite", "postgresql"]))
def shop(request, tmp_path):
    """Makes the tools of the shop; `shop(where="…")` are those with a condition."""
    if request.param == "sqlite":
        return World("sqlite", sqlite_shop(tmp_path), tmp_path)
    address = request.getfixturevalue("server")
    postgres_shop(address)
    return World("postgresql", address, tmp_path)
