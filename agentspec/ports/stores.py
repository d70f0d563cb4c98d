"""stores: where the records and the large outputs of runs are kept. No code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from agentspec.core.record import Record


class Artifacts(Protocol):
    """Large outputs by the SHA-256 of their bytes."""

    def put(self, data: bytes | Path) -> str:
        """Keep bytes, or take over a file; gives its name, the same for the same bytes."""
        ...

    def read(self, artifact: str, offset: int, length: int) -> bytes:
        """At most `length` bytes of it, from `offset` on. Raises `NotFound` where there is no such artifact."""
        ...

    def size(self, artifact: str) -> int:
        """Its bytes. Raises `NotFound` where there is no such artifact."""
        ...


class JournalRecord(Record, frozen=True):
    """One line of a journal: `seq` counts from 1 without gaps within a run."""

    seq: int
    kind: str
    at: float
    body: bytes


class Journal(Protocol):
    """The append-only record of one run, held under a lease by one process."""

    run_id: str

    def append(
        self,
        records: Sequence[tuple[str, float, bytes]],
        *,
        barrier: bool,
        line: Mapping[str, Any] | None = None,
    ) -> int:
        """Append `(kind, at, body)` records atomically and return the last `seq`.

        With `barrier` they are durable on return; else they are in the store at the latest when `flush` returns, and
        nothing may act on them before.

        `line` is what the run's line in `runs` says from then on, as in `describe`: both change together or not at all.
        Raises `JournalError` (the store failed) or its child `LeaseLost` (another process drives the run now).
        """
        ...

    async def flush(self, *, durable: bool) -> None:
        """Return when everything appended is in the store, and with `durable` on the disk; raises `JournalError`.

        Those who wait at once share one commit and one sync.
        """
        ...

    def check_lease(self) -> None:
        """Raise `LeaseLost` unless this process still holds the run; asked right before an external effect."""
        ...

    def read(self) -> list[JournalRecord]:
        """All records of the run, in their order."""
        ...

    def describe(self, fields: Mapping[str, Any]) -> None:
        """Update the run's line in `runs` (status, stop_reason, finished_at, llm, …)."""
        ...

    def close(self) -> None:
        """Give the lease back; what was appended stays."""
        ...
