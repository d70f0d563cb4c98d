"""connection: a client on two files: its messages are read and handed on, and what cannot be read is refused.

Whatever a client sends, the next message is read; only requests are answered, others are told of in its log. The
connection ends with `exit`, with its input or output, or with the client's process.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from typing import Any, BinaryIO

from lsprotocol.types import EXIT, WINDOW_LOG_MESSAGE, MessageType
from pygls.protocol import LanguageServerProtocol

from agentspec.lsp.frames import framed, messages, stream_of
from agentspec.lsp.lifecycle import INVALID_REQUEST, Lifecycle, Refusal

WATCH = 3.0  # seconds between two looks whether the client's process is there
INVALID_PARAMS = -32602  # JSON-RPC 2.0, 5.1
NO_JSON = Refusal(-32700, "this is no JSON")
NO_MESSAGE = Refusal(INVALID_REQUEST, "this is no message of JSON-RPC 2.0")


class Connection:
    """The way to and from a client. pygls writes to it as to its own transports."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self._stdout = stdout
        self._stream = stream_of(stdin)
        self._lifecycle = Lifecycle()
        self._listening: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None

    @property
    def has_shut_down(self) -> bool:
        """Whether the client said `shutdown`, as it should before it leaves."""
        return self._lifecycle.is_over

    def write(self, data: bytes) -> None:
        """Send a message, header and all, at once; to a client that does not read any more nothing is sent."""
        try:
            self._stdout.write(data)
            self._stdout.flush()
        except (OSError, ValueError):
            self._end()

    def close(self) -> None:
        """Standard output is not ours to close."""

    async def listen(self, protocol: LanguageServerProtocol) -> None:
        """Hand on every message, until there are no more."""
        protocol.set_writer(self)
        self._listening = asyncio.create_task(self._listen(protocol))
        with contextlib.suppress(asyncio.CancelledError):
            await self._listening

    def watch(self, process: int) -> None:
        """End with a process, though somebody else may still hold its side of the connection open."""
        self._watching = asyncio.create_task(self._end_with(process))

    def _end(self) -> None:
        if self._listening is not None:
            self._listening.cancel()

    async def _end_with(self, process: int) -> None:
        while is_running(process):  # noqa: ASYNC110 - nobody tells of the end of a process that is not one's own
            await asyncio.sleep(WATCH)
        self._end()

    async def _listen(self, protocol: LanguageServerProtocol) -> None:
        async for body in messages(self._stream):
            message = _read(body)
            if isinstance(message, Refusal):
                self._answer(None, message)
            elif message.get("method") == EXIT:
                return
            else:
                self._hand_on(message, protocol)

    def _hand_on(self, message: dict[str, Any], protocol: LanguageServerProtocol) -> None:
        method = message.get("method", "")
        refusal = self._lifecycle.refusal(method)
        if refusal is not None:
            self._refuse(message, refusal)
            return
        if protocol.get_message_type(method) is None:
            message.setdefault("params", None)  # of what is not known nothing is asked
        try:
            protocol.handle_message(protocol.structure_message(message))
        except Exception:  # noqa: BLE001 - a client may send anything: it is told, and the next message is read
            self._refuse(message, Refusal(INVALID_PARAMS, f"`{method}` takes other parameters"))
            return
        self._lifecycle.take(method)

    def _refuse(self, message: dict[str, Any], refusal: Refusal) -> None:
        """Answer a request; of what is none the client's log tells, once it may be written to."""
        if "method" in message and "id" in message:
            self._answer(message["id"], refusal)
        elif self._lifecycle.is_ready:
            params = {"type": MessageType.Error, "message": refusal.sentence}
            self.write(framed({"jsonrpc": "2.0", "method": WINDOW_LOG_MESSAGE, "params": params}))

    def _answer(self, number: object, refusal: Refusal) -> None:
        error = {"code": refusal.code, "message": refusal.sentence}
        self.write(framed({"jsonrpc": "2.0", "id": number, "error": error}))


def _read(body: bytes) -> dict[str, Any] | Refusal:
    """The message in a body, or what is wrong with it."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return NO_JSON
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return NO_MESSAGE
    match message:
        case {"method": str(), "id": int() | str()}:
            return message
        case {"method": str()} if "id" not in message:
            return message
        case {"result": _} | {"error": _} if "method" not in message:
            return message
        case _:
            return NO_MESSAGE


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
    except (OSError, OverflowError):  # another user's, or no number of a process
        return True
    return True
