"""database: one SQLite file of ours, opened safely; what goes wrong with it, in plain words.

Knows the tables, not what they mean.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from agentspec.adapters.stores.barrier import Barrier
from agentspec.errors import JournalError, NotFound
from agentspec.syntax.private import make_private, private_file
from agentspec.text.paths import is_there

FORMAT = 1  # raised when an older program could no longer read what is written
APPLICATION = 0x41535043  # "ASPC" in the file's header (sqlite.org/fileformat2.html, 1.3.13)
# Two hundred runs at once write to two hundred places of one tree. Larger pages are split less often, which halves the
# writes; the cache holds all that is written to, and the log is copied into the file only now and then, since whoever
# commits then waits for the disk (sqlite.org/wal.html, "Performance Considerations").
PAGE = 8192  # bytes, of a new file
CACHE = 8192  # KiB
LOGGED = 2048  # pages

# A record's key is its run's number and its own, so that a run lies together in one tree without a second index.
_TABLES = """
CREATE TABLE runs (
  id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, session_id TEXT, spec TEXT, status TEXT, stop_reason TEXT,
  started_at REAL, finished_at REAL, user TEXT, tenant TEXT, llm TEXT, more TEXT
);
CREATE TABLE heads (
  id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, hash BLOB NOT NULL, epoch INTEGER NOT NULL, wrote_at REAL, holder TEXT
);
CREATE TABLE records (
  place INTEGER PRIMARY KEY, kind TEXT NOT NULL, at REAL NOT NULL, prev BLOB NOT NULL, body TEXT NOT NULL
);
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT);
CREATE VIEW journal AS
  SELECT run_id, place & 0xffffffff AS seq, kind, at, hex(prev) AS prev, body
  FROM records JOIN runs ON id = place >> 32;
"""

_REASONS = {
    "SQLITE_FULL": "the disk is full",
    "SQLITE_BUSY": "another process holds it for too long",
    "SQLITE_LOCKED": "another process holds it for too long",
    "SQLITE_READONLY": "it can't be written to",
    "SQLITE_PERM": "it can't be written to",
    "SQLITE_CANTOPEN": "it can't be opened: the folder is missing or not to be written to",
    "SQLITE_NOTADB": "it is no SQLite database",
    "SQLITE_CORRUPT": "the file is damaged",
    "SQLITE_IOERR": "the disk failed or is full",
}


class Translated:
    """SQLite's errors as `JournalError` with the file and the reason. Without state: entered as often as needed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise JournalError(f"the store `{self._path}` failed: {reason_of(error)}") from error
        if isinstance(error, UnicodeDecodeError):  # a damaged name stands in SQLite's own message or in a column
            raise JournalError(f"the store `{self._path}` failed: the file is damaged") from error


class Database:
    """A connection to the store's file. `patience` in seconds is how long another process may hold it.

    Raises `NotFound` where the file has to exist (`create` false) and doesn't, and `JournalError` for all else.
    """

    def __init__(self, path: Path, *, create: bool, patience: float, written_by: str) -> None:
        self.path = path
        self._is_durable = False
        self._translated = Translated(path)
        if not create and not is_there(path):
            raise NotFound(f"there is no store at `{path}`")
        try:
            make_private(path.parent)
        except OSError as error:
            raise JournalError(f"the folder of the store can't be made: `{path.parent}`: {error.strerror}") from error
        with contextlib.suppress(OSError):  # it is there, or SQLite will say why it can't be made
            private_file(path).close()  # its `-wal` and `-shm` get the same permissions (sqlite.org/wal.html)
        with self.translated():
            connection = sqlite3.connect(path, timeout=patience, isolation_level=None)
            try:
                _prepare(connection, path, patience, written_by)
            except BaseException:
                connection.close()
                raise
        self.connection = connection
        self.execute = connection.execute
        self.barrier = Barrier(path)
        self.writers = 0  # journals that are open here
        self._waiting: list[asyncio.Future[None]] | None = None  # for the transaction that is open for several runs

    def close(self) -> None:
        self._commit_shared()
        with self.translated():
            self.connection.close()

    @contextlib.contextmanager
    def transaction(self, *, durable: bool = False) -> Iterator[None]:
        """All or nothing, with the file to ourselves; with `durable` it is on the disk at the end.

        Anything else is written without waiting: it survives the death of this process, not of the machine.
        """
        self._commit_shared()
        with self.translated():
            if durable is not self._is_durable:
                self.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._is_durable = durable
            self.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """What is read inside belongs together, whatever another process writes meanwhile."""
        if self.connection.in_transaction:
            yield
            return
        self.execute("BEGIN")
        try:
            yield
        finally:
            self.execute("COMMIT")

    def together(self) -> contextlib.AbstractContextManager[None]:
        """All or nothing, in one transaction with the other runs of this turn of the event loop; `stored` waits for it.

        What raises before it has changed a row takes nothing from the others; what raises later undoes them all, and
        each hears of it. A lone writer, and one without a loop, gets a transaction of its own at once.
        """
        loop = _running_loop() if self.writers > 1 else None
        return self.transaction() if loop is None else Shared(self, loop)

    async def stored(self) -> None:
        """Return when what was written `together` is committed. Raises `JournalError` where it is not."""
        if self._waiting is not None:
            committed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(committed)
            await committed

    def begin_shared(self, loop: asyncio.AbstractEventLoop) -> None:
        """Open the transaction that the runs of this turn of the loop have in common, unless it is open."""
        if self._waiting is not None:
            return
        if self._is_durable:
            self.execute("PRAGMA synchronous = NORMAL")
            self._is_durable = False
        self.execute("BEGIN IMMEDIATE")
        self._waiting = []
        loop.call_soon(self._commit_shared)

    def _commit_shared(self) -> None:
        """Commit what several runs have written; whoever waits for it hears whether it is stored."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return
        problem: JournalError | None = None
        try:
            with self.translated():
                if not self.connection.in_transaction:
                    raise sqlite3.OperationalError("the transaction was rolled back")
                self.execute("COMMIT")
        except JournalError as error:
            problem = error
            if self.connection.in_transaction:
                self.execute("ROLLBACK")
        for committed in waiting:
            if committed.done():  # who waited was cancelled
                continue
            if problem is None:
                committed.set_result(None)
            else:
                committed.set_exception(problem)

    def translated(self) -> Translated:
        """SQLite's errors as `JournalError` with the file and the reason."""
        return self._translated


class Shared:
    """A part of the transaction that is open for several runs; a class, since every turn of every run has one."""

    __slots__ = ("_before", "_database", "_loop")

    def __init__(self, database: Database, loop: asyncio.AbstractEventLoop) -> None:
        self._database = database
        self._loop = loop

    def __enter__(self) -> None:
        with self._database.translated():
            self._database.begin_shared(self._loop)
            self._before = self._database.connection.total_changes

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if kind is None:
            return
        with self._database.translated():
            connection = self._database.connection
            if connection.in_transaction and connection.total_changes != self._before:
                self._database.execute("ROLLBACK")
        self._database.translated().__exit__(kind, error, None)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def reason_of(error: sqlite3.Error) -> str:
    """Why SQLite refused, in plain words."""
    name = getattr(error, "sqlite_errorname", "") or ""
    for start, words in _REASONS.items():
        if name.startswith(start):
            return f"{words} ({name})"
    return str(error)


def _prepare(connection: sqlite3.Connection, path: Path, patience: float, written_by: str) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("BEGIN")  # one view for all that is asked: another process may be making the tables
    try:
        is_new = _format(connection, path) == 0
    finally:
        connection.execute("COMMIT")
    connection.execute(f"PRAGMA cache_size = -{CACHE}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {LOGGED}")
    if is_new:
        connection.execute(f"PRAGMA page_size = {PAGE}")
        _use_wal(connection, patience)
        _create(connection, path, written_by)
    connection.execute("PRAGMA synchronous = NORMAL")


def _format(connection: sqlite3.Connection, path: Path) -> int:
    """The format of the file, 0 for an empty one. Raises `JournalError` for any that isn't ours to write."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != APPLICATION and (application or found or tables):
        raise JournalError(f"`{path}` is the database of another program; choose another file for the store")
    if found > FORMAT:
        row = connection.execute("SELECT value FROM about WHERE key = 'written_by'").fetchone()
        writer = f", `{row[0]}`" if row else ""
        raise JournalError(
            f"the store `{path}` was written by a newer version{writer}: its format is {found}, "
            f"this version reads up to {FORMAT}; upgrade agentspec or choose another store"
        )
    return int(found)


def _use_wal(connection: sqlite3.Connection, patience: float) -> None:
    """Turn on write-ahead logging. SQLite doesn't wait for others here by itself (sqlite.org/wal.html, 8)."""
    until = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _create(connection: sqlite3.Connection, path: Path, written_by: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _format(connection, path) == 0:  # another process may just have made the tables
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute("INSERT INTO about VALUES ('written_by', ?)", (written_by,))
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
