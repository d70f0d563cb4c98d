"""frames: the messages of a client, cut out of its stream, and ours (LSP 3.17, *Base Protocol*).

No client can break it: what is no header is passed over, and reading goes on at the next one that is.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator
from threading import Thread
from typing import BinaryIO

HEADER = re.compile(rb"Content-Length:[ \t]*([0-9]{1,12})[ \t]*\r?\n\Z", re.IGNORECASE)
MOST_BYTES = 64 * 1024 * 1024  # of one message: sixteen times the largest spec that is read
AT_ONCE = 1 << 16
INPUT = "agentspec-lsp-input"


def stream_of(stdin: BinaryIO) -> asyncio.StreamReader:
    """What comes in on a file, for the running loop. The thread that waits for it keeps no program from ending."""
    stream, loop = asyncio.StreamReader(limit=AT_ONCE), asyncio.get_running_loop()
    Thread(target=_feed, args=(stdin, stream, loop), name=INPUT, daemon=True).start()
    return stream


def _feed(stdin: BinaryIO, stream: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    try:
        # Past the buffer: its lock, held by a thread that waits, would not let the program end.
        while chunk := os.read(stdin.fileno(), AT_ONCE):
            loop.call_soon_threadsafe(stream.feed_data, chunk)
        loop.call_soon_threadsafe(stream.feed_eof)
    except (OSError, ValueError, RuntimeError):  # the input is gone, or the loop is
        return


def framed(message: object) -> bytes:
    """A message as it goes over the wire."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


async def messages(stream: asyncio.StreamReader, most: int = MOST_BYTES) -> AsyncIterator[bytes]:
    """The body of each message, up to the end of the stream; an empty one for a message of more than `most`."""
    length: int | None = None
    while line := await _line(stream):
        # A header is looked for at the end of what was read: a message whose length is wrong ends in the midst of it.
        header = HEADER.search(line)
        if header is not None:
            length = int(header[1])
        elif length is not None and not line.strip():
            body = await _body(stream, length, most)
            if body is None:
                return
            yield body
            length = None


async def _line(stream: asyncio.StreamReader) -> bytes:
    try:
        return await stream.readline()
    except ValueError:  # longer than any header is
        return b"?"


async def _body(stream: asyncio.StreamReader, length: int, most: int) -> bytes | None:
    """The next bytes; nothing of what is too long, None where the stream ends before."""
    try:
        if length <= most:
            return await stream.readexactly(length)
        while length:
            length -= len(await stream.readexactly(min(length, AT_ONCE)))
    except asyncio.IncompleteReadError:
        return None
    return b""
