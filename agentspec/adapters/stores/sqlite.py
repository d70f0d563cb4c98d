"""sqlite: the store of runs in one SQLite file: which there are, who may drive one, and how one is forgotten.

Used from one thread, by any number of runs at once; other processes may use the same file.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from agentspec.adapters.stores import export, journal, lease
from agentspec.adapters.stores.answers import KeptAnswers
from agentspec.adapters.stores.artifacts import FileArtifacts
from agentspec.adapters.stores.chain import START
from agentspec.adapters.stores.database import Database
from agentspec.adapters.stores.journal import COLUMNS, Held, SqliteJournal
from agentspec.errors import JournalError, LeaseLost, NotAllowed, NotFound
from agentspec.ports import JournalRecord
from agentspec.text.suggest import nearest

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}\Z")
_ARTIFACT = re.compile(r'"([0-9a-f]{64})"')
_NAMING = 1.0  # seconds that whoever locked a run may take to write down who it is
_FILTERS = ("session_id", "spec", "user", "tenant")


class SqliteStore:
    """The store in the file `path`, made if it isn't there; artifacts lie in a folder beside it.

    Raises `JournalError` where the file can't be used, and `NotFound` where it has to exist (`create` false) and
    doesn't. `patience` is how many seconds another process may hold the file.
    """

    def __init__(
        self, path: Path, *, create: bool = True, patience: float = 5.0, written_by: str = "agentspec"
    ) -> None:
        self.path = path
        self.artifacts = FileArtifacts(path.parent / "artifacts")
        self._database = Database(path, create=create, patience=patience, written_by=written_by)
        self.answers = KeptAnswers(self._database)

    def create_run(self, run_id: str, fields: Mapping[str, Any]) -> SqliteJournal:
        """Begin a run and hold its lease. Raises `NotAllowed` where the id is taken or is none."""
        if not _RUN_ID.match(run_id):
            raise NotAllowed(f"`{run_id[:80]}` is no run id: letters, digits, `.`, `_` and `-`, at most 128")
        self._refuse_if_known(run_id)
        lock = self._locked(run_id, None)
        try:
            with self._database.together():
                number = self._insert(run_id, fields)
            return SqliteJournal(self._database, run_id, Held(number), lock)
        except BaseException:
            lock.release()
            raise

    def open_run(self, run_id: str) -> SqliteJournal:
        """Take a run over. Raises `NotFound`, or `LeaseLost` saying who drives it and since when."""
        number = self._known(run_id)
        lock = self._locked(run_id, number)
        try:
            return SqliteJournal(self._database, run_id, self._take(run_id, number), lock)
        except BaseException:
            lock.release()
            raise

    def read_run(self, run_id: str) -> list[JournalRecord]:
        """The records of a run, whoever drives it. Raises `NotFound`, or `JournalError` naming a damaged record."""
        return journal.read(self._database, run_id, self._known(run_id))

    def find_run(self, run_id: str) -> dict[str, Any]:
        """The line about one run. Raises `NotFound`."""
        self._known(run_id)
        return self._lines("WHERE run_id = :run_id", {"run_id": run_id})[0]

    def list_runs(self, **filters: Any) -> list[dict[str, Any]]:
        """The lines about runs, newest first; `session_id`, `spec`, `user`, `tenant`, `status` and `since` filter.

        A run whose process is gone without a word has the status `crashed`.
        """
        wanted = {name: value for name, value in filters.items() if value is not None}
        unknown = wanted.keys() - {*_FILTERS, "status", "since"}
        if unknown:
            raise NotAllowed(f"runs can't be filtered by `{min(unknown)}`")
        status = wanted.pop("status", None)
        tests = [f"{name} = :{name}" for name in _FILTERS if name in wanted]
        tests += ["started_at >= :since"] if "since" in wanted else []
        lines = self._lines("WHERE " + " AND ".join(tests) if tests else "", wanted)
        return [line for line in lines if status in (None, line["status"])]

    def delete_run(self, run_id: str) -> None:
        """Forget a run, and the artifacts that only it names. Raises `NotFound`, or `LeaseLost` while it is driven."""
        number = self._known(run_id)
        lock = self._locked(run_id, number)
        try:
            with self._database.transaction():
                self._refuse_if_held(run_id, number)
                named = self._artifacts_of(number)
                self._database.execute("DELETE FROM records WHERE place BETWEEN ? AND ?", journal.places(number))
                self._database.execute("DELETE FROM heads WHERE id = ?", (number,))
                self._database.execute("DELETE FROM runs WHERE id = ?", (number,))
                unused = [artifact for artifact in named if not self._is_named(artifact)]
        finally:
            lock.release()
        for artifact in unused:
            self.artifacts.remove(artifact)

    def export_run(self, run_id: str) -> Iterator[str]:
        """The run as JSON lines with a checksum each. Raises `NotFound`, or `JournalError` for a damaged journal."""
        return export.lines_of(self.find_run(run_id), self.read_run(run_id))

    def import_run(self, lines: Iterable[str]) -> str:
        """Take an exported run into this store and return its id.

        Raises `JournalError` naming a line that can't be trusted, and `NotAllowed` where the id is taken.
        """
        run, records = export.read_lines(lines)
        run_id = run.pop("run_id")
        held = self.create_run(run_id, {name: value for name, value in run.items() if value is not None})
        try:
            held.append([(record.kind, record.at, record.body) for record in records], barrier=True)
        except JournalError:
            held.close()
            self.delete_run(run_id)
            raise
        held.close()
        return str(run_id)

    def close(self) -> None:
        """Close the file; journals that are still open can't be used any more."""
        self._database.close()

    def _insert(self, run_id: str, fields: Mapping[str, Any]) -> int:
        now = time.time()
        values = {"run_id": run_id, **journal.columns_of({"status": "running", "started_at": now, **fields})}
        names = ", ".join(values)
        marks = ", ".join(f":{name}" for name in values)
        query = f"INSERT INTO runs ({names}) VALUES ({marks}) ON CONFLICT DO NOTHING"  # noqa: S608 - names from a table
        added = self._database.execute(query, values)
        if not added.rowcount:
            raise self._known_already(run_id)
        number = added.lastrowid or 0
        head = (number, 0, START, 1, now, lease.encode(lease.this_process(now)))
        self._database.execute("INSERT INTO heads VALUES (?, ?, ?, ?, ?, ?)", head)
        return number

    # -- leases

    def _locked(self, run_id: str, number: int | None) -> lease.FileLock:
        lock = lease.FileLock(self.path.parent / "locks" / run_id)
        until = time.monotonic() + _NAMING
        while True:
            try:
                if lock.acquire():
                    return lock
            except OSError as error:
                raise JournalError(
                    f"the run can't be locked in `{self.path.parent / 'locks'}`: {error.strerror}"
                ) from error
            holder, wrote_at = self._holder(number) if number is not None else (None, 0.0)
            if holder is not None and lease.is_alive(holder, wrote_at, time.time()):
                raise self._held(run_id, holder)
            if time.monotonic() > until:
                raise self._held(run_id, None)
            time.sleep(0.01)  # whoever has just locked it is about to say who it is

    def _take(self, run_id: str, number: int) -> Held:
        """Make this process the holder; its epoch ends every earlier one's right to write."""
        with self._database.transaction():
            self._refuse_if_held(run_id, number)
            holder = lease.encode(lease.this_process(time.time()))
            changed = self._database.execute(
                "UPDATE heads SET epoch = epoch + 1, holder = ? WHERE id = ? RETURNING id, epoch, seq, hash",
                (holder, number),
            ).fetchone()
            if changed is None:
                raise NotFound(f"run `{run_id}` was deleted meanwhile")
            return Held(*changed)

    def _refuse_if_held(self, run_id: str, number: int) -> None:
        """The lock is ours, but a lock may not reach other machines: believe a holder that shows life."""
        holder, wrote_at = self._holder(number)
        if holder is not None and not lease.is_me(holder) and lease.is_alive(holder, wrote_at, time.time()):
            raise self._held(run_id, holder)

    def _holder(self, number: int) -> tuple[lease.Holder | None, float]:
        with self._database.translated():
            row = self._database.execute("SELECT holder, wrote_at FROM heads WHERE id = ?", (number,)).fetchone()
        holder = lease.decode(row[0]) if row else None
        return holder, _last_sign(holder, row[1]) if holder else 0.0

    def _held(self, run_id: str, holder: lease.Holder | None) -> LeaseLost:
        return LeaseLost(f"run `{run_id}` is driven by {holder or 'another process'}; stop that one first")

    # -- lines about runs

    def _find(self, run_id: str) -> int | None:
        row = self._database.execute("SELECT id FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        return row[0] if row and isinstance(row[0], int) else None  # a damaged file may hold anything

    def _refuse_if_known(self, run_id: str) -> None:
        with self._database.translated():
            if self._find(run_id) is not None:
                raise self._known_already(run_id)

    def _known_already(self, run_id: str) -> NotAllowed:
        return NotAllowed(f"there is already a run `{run_id}` in `{self.path}`")

    def _known(self, run_id: str) -> int:
        with self._database.translated():
            number = self._find(run_id)
            if number is not None:
                return number
            others = self._database.execute("SELECT run_id FROM runs ORDER BY id DESC LIMIT 1000").fetchall()
        near = nearest(run_id, [str(other) for (other,) in others])
        hint = (
            f"; did you mean `{near[0]}`?"
            if near
            else "; `agentspec runs` lists those of the working directory, `--store` names another folder"
        )
        raise NotFound(f"there is no run `{run_id[:80]}` in `{self.path}`{hint}")

    def _lines(self, where: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        columns = ("run_id", *COLUMNS, "llm", "more", "holder", "wrote_at")
        query = f"SELECT {', '.join(columns)} FROM runs LEFT JOIN heads USING (id) {where} "  # noqa: S608 - fixed names
        with self._database.translated():
            rows = self._database.execute(query + "ORDER BY started_at DESC, id DESC", values).fetchall()
        now = time.time()
        return [_line(dict(zip(columns, row, strict=True)), now) for row in rows]

    def _artifacts_of(self, number: int) -> list[str]:
        query = "SELECT body FROM records WHERE place BETWEEN ? AND ?"
        bodies = self._database.execute(query, journal.places(number))
        return sorted({artifact for (body,) in bodies for artifact in _ARTIFACT.findall(body)})

    def _is_named(self, artifact: str) -> bool:
        query = "SELECT 1 FROM records WHERE instr(body, ?) LIMIT 1"
        return self._database.execute(query, (artifact,)).fetchone() is not None


def _line(row: dict[str, Any], now: float) -> dict[str, Any]:
    """A line about a run as callers see it."""
    holder, wrote_at = lease.decode(row.pop("holder")), row.pop("wrote_at")
    if row["status"] == "running" and not (holder and lease.is_alive(holder, _last_sign(holder, wrote_at), now)):
        row["status"] = "crashed"
    more = _loaded(row.pop("more")) or {}
    return {**row, "llm": _loaded(row["llm"]), **more}


def _last_sign(holder: lease.Holder, wrote_at: Any) -> float:
    """When a holder last showed life, in seconds since the epoch."""
    return max(holder.since, wrote_at) if isinstance(wrote_at, float) else holder.since


def _loaded(text: Any) -> Any:
    """The JSON of a column, or None where it is empty or damaged: only journals are held to be true."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None
