"""lines: read the lines of a file piece by piece, however long the file or a line is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

BLOCK = 256 * 1024


class Line(NamedTuple):
    """One line with its end, of which at most so many bytes were kept; `size` is its true length."""

    data: bytes
    size: int

    @property
    def is_cut(self) -> bool:
        return self.size > len(self.data)


def blocks(fd: int, offset: int = 0) -> Iterator[bytes]:
    """The bytes of a file from `offset` on, in pieces."""
    while block := os.pread(fd, BLOCK, offset):
        offset += len(block)
        yield block


def read_lines(fd: int, first: int, most_bytes: int) -> Iterator[Line]:
    """The lines from number `first` (from 1) on; of each at most `most_bytes` are kept in memory."""
    skip = first - 1
    kept = bytearray()
    size = 0
    for block in blocks(fd):
        start = 0
        if skip:
            newlines = block.count(b"\n")
            if newlines < skip:
                skip -= newlines
                continue
            for _ in range(skip):
                start = block.index(b"\n", start) + 1
            skip = 0
        while start < len(block):
            end = block.find(b"\n", start) + 1 or len(block)
            kept += block[start : min(end, start + max(0, most_bytes - len(kept)))]
            size += end - start
            start = end
            if block[end - 1 : end] == b"\n":
                yield Line(bytes(kept), size)
                kept.clear()
                size = 0
    if size:
        yield Line(bytes(kept), size)


def count_lines(fd: int) -> int:
    """How many lines a file has; a last one without an end counts."""
    count, last = 0, b""
    for block in blocks(fd):
        count += block.count(b"\n")
        last = block[-1:]
    return count + (last not in (b"", b"\n"))


def tail(fd: int, size: int, lines: int, most_bytes: int) -> bytes:
    """The last lines of a file, at most `most_bytes` of them, whole unless a single one is longer."""
    end = size
    found = b""
    while end > 0 and len(found) < most_bytes and found.count(b"\n") <= lines:
        start = max(0, end - min(BLOCK, most_bytes))
        found = os.pread(fd, end - start, start) + found
        end = start
    wanted = found.splitlines(keepends=True)[-lines:]
    while len(wanted) > 1 and sum(map(len, wanted)) > most_bytes:
        wanted.pop(0)
    return b"".join(wanted)[-most_bytes:]
