"""streams: the three standard streams, so that a closed, full or broken one never ends the program or its run.

What can't be written is lost, and that is remembered: the end of the program tells it.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any


class Enduring(io.RawIOBase):
    """A file descriptor that takes whatever is written; `failed` is what first went wrong with it.

    After that everything goes nowhere: a reader that has left, or a disk that is full, must not stop a run.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.failed: OSError | None = None

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, data: Any, /) -> int:
        size = memoryview(data).nbytes
        if self.failed is not None:
            return size
        try:
            return os.write(self._descriptor, data)
        except OSError as error:
            self.failed = error
            return size

    @property
    def reason(self) -> str:
        """Why something that was written is lost; nothing where the reader just had enough (`| head -1`)."""
        if self.failed is None or self.failed.errno in (errno.EPIPE, errno.EIO):  # EIO: the terminal is gone
            return ""
        return self.failed.strerror or str(self.failed)


def take_streams() -> Enduring:
    """Make the standard streams safe to write to; gives what is below standard output.

    UTF-8 whatever the locale says; a lone surrogate of a spec becomes an escape. A stream that was closed is opened on
    nothing: else the next file that is opened would take its number, and be written into.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8", errors="surrogateescape")
    out = Enduring(os.dup(1))
    os.dup2(2, 1)  # a program that a function starts may print as well, and what it says is no answer
    sys.stdout = _text(out, line_buffering=out.isatty())
    sys.stderr = _text(Enduring(2), line_buffering=True)
    return out


def _text(raw: io.RawIOBase, *, line_buffering: bool) -> io.TextIOWrapper:
    buffered = io.BufferedWriter(raw)
    return io.TextIOWrapper(buffered, encoding="utf-8", errors="backslashreplace", line_buffering=line_buffering)
