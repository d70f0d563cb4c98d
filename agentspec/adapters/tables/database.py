"""database: one database of a spec: each piece of work has a connection and a transaction of its own, and a deadline.

Works in threads, never on the loop. Passwords stay in the address: no message has them.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from agentspec.adapters.tables.shape import Dialect
from agentspec.errors import Unavailable

T = TypeVar("T")

CONNECTING = 10  # seconds
BUSY = 5.0  # seconds that another writer of a SQLite file is waited for
STEPS = 1000  # instructions of SQLite between two looks at the clock


class Stopped(Exception):
    """The caller gave up, or the time is over: nothing was committed."""


class Database:
    """A SQLite file or a PostgreSQL database. Safe to use from several threads at once."""

    def __init__(self, address: str, project: Path, seconds: float) -> None:
        """Raises `Unavailable` for an address that is none, or of another database. Nothing is opened yet."""
        try:
            url = make_url(address)
        except (ArgumentError, ValueError):
            raise Unavailable(
                "it is no address of a database: write `sqlite:///FILE` or `postgresql://USER@HOST/NAME`"
            ) from None
        self.seconds = seconds
        self.dialect: Dialect
        backend = url.drivername.partition("+")[0]
        if url.drivername in ("sqlite", "sqlite+pysqlite"):
            self.dialect = "sqlite"
            self._engine = self._sqlite(url, project)
        elif url.drivername in ("postgresql", "postgresql+psycopg"):
            self.dialect = "postgresql"
            self._engine = self._postgresql(url)
        else:
            near = "postgresql+psycopg" if backend in ("postgresql", "postgres") else "sqlite` and `postgresql"
            raise Unavailable(f"`{url.drivername}` is no database that tables can be of: write `{near}`")

    def read(self, work: Callable[[Connection], T], stop: threading.Event | None = None) -> T:
        """What `work` finds, in a transaction that can't write."""
        return self._do(work, stop or threading.Event(), is_write=False)

    def write(self, work: Callable[[Connection], T], stop: threading.Event | None = None) -> T:
        """What `work` gives, committed; nothing of it stays where it raises, or where the caller gave up."""
        return self._do(work, stop or threading.Event(), is_write=True)

    def _do(self, work: Callable[[Connection], T], stop: threading.Event, *, is_write: bool) -> T:
        deadline = time.monotonic() + self.seconds
        with self._engine.connect() as connection:
            with _watched(connection, self.dialect, stop, deadline):
                self._begin(connection, is_write=is_write)
                value = work(connection)
            if stop.is_set() or time.monotonic() > deadline:
                raise Stopped
            if is_write:
                connection.commit()
            return value

    def _begin(self, connection: Connection, *, is_write: bool) -> None:
        first: tuple[str, ...]
        if self.dialect == "sqlite":
            first = ("PRAGMA foreign_keys=ON", "BEGIN IMMEDIATE") if is_write else ("PRAGMA query_only=ON", "BEGIN")
        else:
            ms = max(1, int(self.seconds * 1000))
            first = (f"SET LOCAL statement_timeout = {ms}", f"SET LOCAL lock_timeout = {ms}")
            first = first if is_write else ("SET TRANSACTION READ ONLY", *first)
        for statement in first:
            connection.exec_driver_sql(statement)

    def _sqlite(self, url: URL, project: Path) -> Engine:
        if not url.database or url.database == ":memory:" or url.query or url.host:
            raise Unavailable("a SQLite database is a file: write `sqlite:///FILE`, below the project folder")
        path = project / url.database
        if not path.is_file():
            raise Unavailable(f"there is no file `{path}`")
        name = f"file:{quote(str(path.absolute()))}?mode=rw"
        busy = min(BUSY, self.seconds)

        def connect() -> sqlite3.Connection:
            return sqlite3.connect(name, uri=True, timeout=busy, isolation_level=None, check_same_thread=False)

        return create_engine("sqlite://", creator=connect, poolclass=NullPool, hide_parameters=True)

    def _postgresql(self, url: URL) -> Engine:
        try:
            return create_engine(
                url.set(drivername="postgresql+psycopg"),
                poolclass=NullPool,
                hide_parameters=True,
                connect_args={"connect_timeout": CONNECTING},
            )
        except (ModuleNotFoundError, NoSuchModuleError):
            raise Unavailable("PostgreSQL needs `psycopg`: `pip install 'agentspec[sql]'`") from None


@contextlib.contextmanager
def _watched(connection: Connection, dialect: Dialect, stop: threading.Event, deadline: float) -> Any:
    """While it lasts, what the connection does ends soon after `stop` is set or the deadline has passed."""
    driver: Any = connection.connection.driver_connection
    if dialect == "sqlite":
        driver.set_progress_handler(lambda: int(stop.is_set() or time.monotonic() > deadline), STEPS)
        try:
            yield
        finally:
            driver.set_progress_handler(None, 0)
        return
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(0.05):
            if stop.is_set() or time.monotonic() > deadline:
                with contextlib.suppress(Exception):
                    driver.cancel()
                is_over.wait(1.0)

    watcher = threading.Thread(target=watch, name="agentspec-table-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()
