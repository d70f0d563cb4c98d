"""barrier: wait until all that was committed is on the disk, many runs with one sync.

A commit in WAL mode with `synchronous = NORMAL` is in the log's file, but perhaps not on the disk (sqlite.org/wal.html,
"Performance Considerations"). Syncing that file makes it so. The sync runs in a thread: no other run waits for a disk.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from agentspec.errors import JournalError

SYNC = getattr(os, "fdatasync", os.fsync)  # macOS has no `fdatasync`


class Barrier:
    """One log file; those who wait while a sync is under way share the next one."""

    def __init__(self, database: Path) -> None:
        self._path = Path(f"{database}-wal")
        self._current: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def wait(self) -> None:
        """Return when everything committed before this call is durable. Raises `JournalError` where the disk fails."""
        if self._next is None:
            self._next = asyncio.create_task(self._sync_after(self._current))
        await asyncio.shield(self._next)

    async def _sync_after(self, current: asyncio.Task[None] | None) -> None:
        if current is not None:
            await asyncio.wait([current])
        self._current, self._next = self._next, None
        try:
            await asyncio.to_thread(self._sync)
        except OSError as error:
            raise JournalError(f"the store can't be written to the disk: `{self._path}`: {error.strerror}") from error

    def _sync(self) -> None:
        # A second descriptor is safe here: SQLite locks the database and its index, never the log.
        file = os.open(self._path, os.O_RDWR)
        try:
            SYNC(file)
        finally:
            os.close(file)
