"""journal: the append-only record of one run, as this process holds it.

Every append is one transaction, fenced by the lease's epoch: whoever has lost the run can write nothing more.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agentspec.adapters.stores import lease
from agentspec.adapters.stores.chain import START, link, verified
from agentspec.adapters.stores.database import Database
from agentspec.errors import InternalError, JournalError, LeaseLost
from agentspec.ports import JournalRecord

COLUMNS = ("session_id", "spec", "status", "stop_reason", "started_at", "finished_at", "user", "tenant")
OWN_COLUMNS = frozenset((*COLUMNS, "llm"))
PATCH = "more = json_patch(coalesce(more, '{}'), :more)"
_SHIFT = 32


class Held(NamedTuple):
    """A run by its number in the store, as this process has taken it over: its lease's epoch, and where it ends."""

    number: int
    epoch: int = 1
    seq: int = 0
    head: bytes = START


class SqliteJournal:
    """The journal of the run `run_id`; made by the store, which has taken the lease."""

    def __init__(self, database: Database, run_id: str, held: Held, lock: lease.FileLock) -> None:
        self.run_id = run_id
        self._database = database
        self._number, self._epoch, self._seq, self._head = held
        self._lock = lock
        database.writers += 1
        self._is_closed = False

    def append(
        self,
        records: Sequence[tuple[str, float, bytes]],
        *,
        barrier: bool,
        line: Mapping[str, Any] | None = None,
    ) -> int:
        """See `ports.Journal`. Where this raises, nothing of the records is in the store."""
        seq, head, first = self._seq, self._head, place(self._number, 0)
        rows: list[tuple[int, str, float, bytes, str]] = []
        last, told = None, ""
        for kind, at, body in records:
            seq += 1
            if at is not last:
                last, told = at, repr(at)
            if b"\n" in body:
                raise InternalError(f"the body of a `{kind}` record spans lines; a record is one line of JSON")
            rows.append((first | seq, kind, at, head, body.decode()))
            head = link(self.run_id, head, seq, kind, told, body)
        wrote_at = records[-1][1] if records else None
        with self._database.transaction(durable=True) if barrier else self._database.together():
            changed = self._database.execute(
                "UPDATE heads SET seq = ?, hash = ?, wrote_at = coalesce(?, wrote_at) "
                "WHERE id = ? AND epoch = ? AND seq = ?",
                (seq, head, wrote_at, self._number, self._epoch, self._seq),
            )
            if not changed.rowcount:
                raise lost(self._database, self.run_id, self._number)
            self._database.connection.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?)", rows)
            if line is not None:
                describe(self._database, self._number, line)
        self._seq, self._head = seq, head
        return seq

    async def flush(self, *, durable: bool) -> None:
        """See `ports.Journal`."""
        await self._database.stored()
        if durable:
            await self._database.barrier.wait()

    def check_lease(self) -> None:
        """See `ports.Journal`."""
        with self._database.translated():
            row = self._database.execute("SELECT epoch FROM heads WHERE id = ?", (self._number,)).fetchone()
        if row != (self._epoch,):
            raise lost(self._database, self.run_id, self._number)

    def read(self) -> list[JournalRecord]:
        """The whole journal, checked. Raises `JournalError` naming the first record that is missing or was changed."""
        return read(self._database, self.run_id, self._number)

    def describe(self, fields: Mapping[str, Any]) -> None:
        """See `ports.Journal`; what has no column of its own is kept as JSON beside the others."""
        with self._database.together():
            self.check_lease()
            describe(self._database, self._number, fields)

    def close(self) -> None:
        """Give the lease back. Where the store fails, the lock is given back all the same."""
        self._database.writers -= not self._is_closed
        self._is_closed = True
        with contextlib.suppress(JournalError), self._database.together():
            self._database.execute(
                "UPDATE heads SET holder = NULL WHERE id = ? AND epoch = ?", (self._number, self._epoch)
            )
        self._lock.release()


def place(number: int, seq: int) -> int:
    """The key of a record: its run's number, then its own."""
    return number << _SHIFT | seq


def places(number: int) -> tuple[int, int]:
    """The first and the last key that a run can have."""
    return place(number, 0), place(number + 1, 0) - 1


def read(database: Database, run_id: str, number: int) -> list[JournalRecord]:
    """The records of a run, whoever holds it. Raises `JournalError` naming the first that can't be trusted."""
    found: list[JournalRecord] = []
    try:
        with database.snapshot():
            row = database.execute("SELECT seq, hash FROM heads WHERE id = ?", (number,)).fetchone() or (0, START)
            for record in verified(run_id, _rows(database, number), *row):
                found.append(record)  # noqa: PERF402 - how far it came is told where the file is damaged
    except (sqlite3.Error, TypeError, ValueError) as error:
        raise JournalError(f"record {len(found) + 1} of run `{run_id}` can't be read: {error}") from error
    return found


def _rows(database: Database, number: int) -> Iterator[tuple[JournalRecord, bytes]]:
    query = "SELECT place, kind, at, prev, CAST(body AS BLOB) FROM records WHERE place BETWEEN ? AND ? ORDER BY place"
    for key, kind, at, prev, body in database.execute(query, places(number)):
        yield JournalRecord(seq=key & 0xFFFFFFFF, kind=kind, at=at, body=body), prev


def describe(database: Database, number: int, fields: Mapping[str, Any]) -> None:
    """Update the line about a run, inside a transaction of the caller."""
    values = columns_of(fields)
    if not values:
        return
    changes = [PATCH if name == "more" else f"{name} = :{name}" for name in values]
    values["id"] = number
    database.execute(f"UPDATE runs SET {', '.join(changes)} WHERE id = :id", values)  # noqa: S608 - names from a table


def columns_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What the line about a run has in its columns."""
    values: dict[str, Any] = {name: fields[name] for name in fields if name in COLUMNS}
    if "llm" in fields:
        values["llm"] = json.dumps(fields["llm"])
    if more := {name: value for name, value in fields.items() if name not in OWN_COLUMNS}:
        values["more"] = json.dumps(more)
    return values


def lost(database: Database, run_id: str, number: int) -> LeaseLost:
    """Who drives the run instead of us, as an error."""
    with database.translated():
        row = database.execute("SELECT holder FROM heads WHERE id = ?", (number,)).fetchone()
    if row is None:
        return LeaseLost(f"run `{run_id}` was deleted meanwhile")
    holder = lease.decode(row[0])
    return LeaseLost(f"run `{run_id}` is driven by {holder or 'somebody else'} now; nothing more was written here")
