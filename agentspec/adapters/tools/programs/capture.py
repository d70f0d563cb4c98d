"""capture: keep the beginning and the end of a stream in memory, and the rest in a file.

Memory is bounded whatever comes; so is the file.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

from agentspec.adapters.tools.programs.passing import passing_folder

KEEP = 256 * 1024
SPILL_MAX = 256 * 1024 * 1024


class Captured(NamedTuple):
    """What is left of a stream: all of it in `head`, or its two ends and perhaps a `spill` file.

    The file is the reader's to move or remove. It holds the first `spilled` of `size` bytes.
    """

    head: bytes
    tail: bytes = b""
    size: int = 0
    spill: Path | None = None
    spilled: int = 0

    @property
    def is_whole(self) -> bool:
        return self.size == len(self.head)


class Capture:
    """Takes the bytes of one stream as they come. `keep` bytes of each end stay; `spill_max` 0 means no file.

    What has come can be read meanwhile, also by another thread.
    """

    def __init__(self, keep: int = KEEP, spill_max: int = SPILL_MAX) -> None:
        self.size = 0
        self._keep = max(1, keep)
        self._spill_max = spill_max
        self._spilled = 0
        self._head = bytearray()
        self._tail: bytearray | None = None  # None: everything is still in the head
        self._file: int | None = None
        self._path: Path | None = None
        self._lock = threading.Lock()

    def feed(self, chunk: bytes) -> None:
        with self._lock:
            self._take(chunk)

    def read(self, offset: int, length: int) -> bytes:
        """At most `length` bytes from `offset` on, of what has come and was kept."""
        with self._lock:
            if self._tail is None or offset + length <= len(self._head):
                return bytes(self._head[offset : offset + length])
            if offset < self._spilled and self._path is not None:
                with self._path.open("rb") as file:
                    file.seek(offset)
                    return file.read(min(length, self._spilled - offset))
            start = offset - (self.size - len(self._tail))
            return bytes(self._tail[start : start + length]) if start >= 0 else b""

    def discard(self) -> None:
        """Remove the file; only the ends can be read from then on."""
        with self._lock:
            self._drop()

    def _take(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self._tail is None:
            self._head += chunk
            if len(self._head) <= 2 * self._keep:
                return
            self._spill(bytes(self._head))
            self._tail = self._head[self._keep :]
            del self._head[self._keep :]
        else:
            self._spill(chunk)
            self._tail += chunk
        if len(self._tail) > 2 * self._keep:
            del self._tail[: -self._keep]

    def finish(self) -> Captured:
        """What was kept; nothing more can be fed."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        tail = bytes(self._tail[-self._keep :]) if self._tail is not None else b""
        return Captured(bytes(self._head), tail, self.size, self._path, self._spilled)

    def _spill(self, chunk: bytes) -> None:
        if self._spill_max <= 0:
            return
        try:
            if self._path is None:
                self._file, name = tempfile.mkstemp(prefix="output-", dir=passing_folder())
                self._path = Path(name)
            chunk = chunk[: self._spill_max - self._spilled]
            while chunk and self._file is not None:
                written = os.write(self._file, chunk)
                self._spilled += written
                chunk = chunk[written:]
        except OSError:  # a full disk costs the middle of the output, not the call
            self._drop()

    def _drop(self) -> None:
        self._spill_max = 0
        self._spilled = 0
        if self._file is not None:
            os.close(self._file)
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
        self._file = self._path = None
