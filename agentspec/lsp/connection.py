"""connection: a client on two files: its messages are read and handed on, and what cannot be read is refused.

Whatever a client sends, the next message is read. The connection ends with `exit`, with its input, or with the client's
process.
"""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any, BinaryIO

from pygls.protocol import LanguageServerProtocol

from agentspec.lsp.frames import framed, messages, stream_of

WATCH = 3.0  # seconds between two looks whether the client's process is there
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602  # JSON-RPC 2.0, 5.1
EXIT = "exit"


class Connection:
    """The way to and from a client. pygls writes to it as to its own transports."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self._stdout = stdout
        self._stream = stream_of(stdin)
        self._watching: asyncio.Task[None] | None = None

    def write(self, data: bytes) -> None:
        """Send a message, header and all, at once."""
        self._stdout.write(data)
        self._stdout.flush()

    def close(self) -> None:
        """Standard output is not ours to close."""

    async def listen(self, protocol: LanguageServerProtocol) -> None:
        """Hand on every message, until there are no more."""
        protocol.set_writer(self)
        async for body in messages(self._stream):
            message = self._read(body)
            if message is None:
                continue
            if message.get("method") == EXIT:
                return
            try:
                structured = protocol.structure_message(message)
            except Exception:  # noqa: BLE001 - a client may send anything: it is told, and the next message is read
                self._refuse(message.get("id"), INVALID_PARAMS, f"`{message.get('method')}` takes other parameters")
                continue
            protocol.handle_message(structured)

    def watch(self, process: int) -> None:
        """End with a process, though somebody else may still hold its side of the connection open."""
        self._watching = asyncio.create_task(self._end_with(process))

    async def _end_with(self, process: int) -> None:
        while is_running(process):  # noqa: ASYNC110 - nobody tells of the end of a process that is not one's own
            await asyncio.sleep(WATCH)
        self._stream.feed_eof()

    def _read(self, body: bytes) -> dict[str, Any] | None:
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            self._refuse(None, PARSE_ERROR, "this is no JSON")
            return None
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._refuse(None, INVALID_REQUEST, "this is no message of JSON-RPC 2.0")
            return None
        return message

    def _refuse(self, number: object, code: int, sentence: str) -> None:
        self.write(framed({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": sentence}}))


def is_running(process: int) -> bool:
    """Whether there is such a process; on Windows, where asking would end it, it is taken for granted.

    >>> is_running(os.getpid())
    True
    """
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's, or no number of a process
        return True
    return True
