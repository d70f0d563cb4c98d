"""connection: one connection and the one response that comes over it, with a limit for every wait.

A response is never begun twice, and a connection is never used again after anything that was not expected on it.
"""

from __future__ import annotations

import asyncio
import select
import socket
from typing import Literal, Protocol

from agentspec.adapters.http.address import Hop, Proxy
from agentspec.adapters.http.parse import Incoming, Inflate, inflater
from agentspec.adapters.http.plain import Cut, Head, Malformed
from agentspec.adapters.http.waits import Alarm, Limits, Waits

DISCARD_FOR = 1.0  # seconds that the rest of a response may take when nobody waits for it
PAUSE_AT = 1 << 20  # bytes that may wait for the reader before the server is made to wait

Trouble = Literal["connect", "tls", "timeout", "closed", "malformed", "too_large"]
Origin = tuple[Hop, Proxy | None]


class HttpError(Exception):
    """A request that got no whole response: `kind` for programs, the text for people, without secrets."""

    def __init__(self, kind: Trouble, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Home(Protocol):
    """Where connections go back to."""

    discarded: set[Response]

    def keep(self, origin: Origin, connection: Connection) -> None: ...


class Connection(asyncio.Protocol):
    """One connection; it belongs to at most one response at a time."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport | None = None
        self.response: Response | None = None
        self.idle_since = 0.0
        self.alarm = Alarm(self.loop)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self.response is None:
            self.drop()  # nobody asked for anything: whatever this answers, it is not our next request
        else:
            self.response.received(data)

    def eof_received(self) -> None:
        if self.response is not None:
            self.response.ended()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's shape
        self.transport = None
        if self.response is not None:
            self.response.ended()
        self.alarm.stop()

    def drop(self) -> None:
        """Close at once; nothing is waited for."""
        if self.transport is not None and not self.loop.is_closed():
            self.transport.abort()
        self.transport = None
        self.alarm.stop()

    def is_fresh(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether the next request may go here: open, of this loop, and with nothing unread (a close, mostly)."""
        if self.transport is None or self.loop is not loop or self.transport.is_closing():
            return False
        return not _has_unread(self.transport.get_extra_info("socket"))


def _has_unread(sock: socket.socket | None) -> bool:
    if sock is None or not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(sock.fileno(), select.POLLIN)
    return bool(poll.poll(0))


class Response:
    """One response while it comes in. Always `close()` it; closing one that is not finished drops its connection."""

    def __init__(self, home: Home, connection: Connection, limits: Limits, started: float) -> None:
        self.head: Head | None = None
        self._home = home
        self._connection = connection
        self._most = limits.body
        self._loop = connection.loop
        self._incoming = Incoming()
        self._inflate: Inflate | None = None
        self._parts: list[bytes] = []
        self._waiting_bytes = 0
        self._size = 0
        self._paused = False
        self._discarding = False
        self._done = False
        self._error: HttpError | None = None
        self._waiter: asyncio.Future[None] | None = None
        self.origin: Origin | None = None  # where the connection goes back to; None: nowhere
        self._waits = Waits(limits, started, connection.alarm, lambda late: self._fail("timeout", late))

    # --- the reader's side

    async def wait_head(self) -> Head:
        """Status and headers. Raises `HttpError`."""
        while self.head is None:
            if self._error is not None:
                raise self._error
            await self._wait()
        return self.head

    async def chunk(self) -> bytes:
        """What has come since the last call, b"" at the end. Raises `HttpError` after what came before it."""
        while not self._parts:
            if self._error is not None:
                raise self._error
            if self._done:
                return b""
            await self._wait()
        parts = self._parts
        content = parts[0] if len(parts) == 1 else b"".join(parts)
        self._parts = []
        self._waiting_bytes = 0
        if self._paused and self._connection.transport is not None:
            self._paused = False
            self._connection.transport.resume_reading()
        return content

    async def read(self, most: int | None = None) -> bytes:
        """The whole body, or its first `most` bytes; what comes after them is dropped. Raises `HttpError`."""
        parts = []
        size = 0
        while part := await self.chunk():
            parts.append(part)
            size += len(part)
            if most is not None and size >= most:
                self.discard()
                break
        return b"".join(parts)[:most]

    def progress(self) -> None:
        """Say that something real came: the idle limit counts from now."""
        self._waits.progress()

    def hurry(self, seconds: float) -> None:
        """Wait no longer than this for what is left; what was needed has come."""
        self._waits.hurry(seconds)

    def discard(self) -> None:
        """Let go of a response whose rest doesn't matter: if it ends soon, its connection is kept."""
        self._discarding = True
        self._parts.clear()
        self._waiting_bytes = 0
        if not self._done:
            self._home.discarded.add(self)
            self.hurry(DISCARD_FOR)

    def close(self) -> None:
        """Let go; the connection is kept only if the response has come whole, or is discarded and soon will have."""
        if not self._done and not self._discarding:
            self._finish(reuse=False)

    def abandon(self) -> None:
        """Let go of everything at once."""
        if not self._done:
            self._finish(reuse=False)

    async def _wait(self) -> None:
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # --- the connection's side

    def received(self, data: bytes) -> None:
        """Bytes from the connection; none at its end."""
        try:
            for read in self._incoming.feed(data):
                if isinstance(read, Head):
                    self._begin(read)
                else:
                    self._add(read)
                if self._done:
                    return
        except Malformed as problem:
            self._fail("malformed", f"the server's answer cannot be read: {problem}")
            return
        except Cut:
            where = "before it answered" if self.head is None else "in the middle of its answer"
            self._fail("closed", f"the server closed the connection {where}")
            return
        if self._incoming.is_whole:
            self._complete()
        elif self._parts:
            self._wake()

    def _begin(self, head: Head) -> None:
        self.head = head
        self._inflate = inflater(head, self._most)
        self._waits.begin()
        self._wake()

    def _add(self, content: bytes) -> None:
        if self._inflate is not None:
            content = self._inflate.feed(content)
        if not content or self._discarding:
            return
        self._size += len(content)
        if self._size > self._most:
            self._fail("too_large", f"the answer is larger than {self._most / (1 << 20):g} MiB")
            return
        self._parts.append(content)
        self._waiting_bytes += len(content)
        if self._waiting_bytes > PAUSE_AT and not self._paused and self._connection.transport is not None:
            self._paused = True
            self._connection.transport.pause_reading()

    def _complete(self) -> None:
        if self._done:
            return
        if self._inflate is not None and self._size and not self._inflate.complete:
            self._fail("closed", "the server's compressed answer was cut")
            return
        self._finish(reuse=self._incoming.keeps_alive)

    def ended(self) -> None:
        """The server closed the connection."""
        if not self._done:
            self.received(b"")
        self._connection.drop()

    def _fail(self, kind: Trouble, message: str) -> None:
        if self._done:
            return
        self._error = HttpError(kind, message)
        self._finish(reuse=False)

    def _finish(self, *, reuse: bool) -> None:
        self._done = True
        self._home.discarded.discard(self)
        self._waits.end()
        connection = self._connection
        connection.response = None
        transport = connection.transport
        if reuse and self.origin is not None and transport is not None and not transport.get_write_buffer_size():
            if self._paused:
                self._paused = False
                transport.resume_reading()
            self._home.keep(self.origin, connection)
        elif self.origin is not None or self._error is not None:
            connection.drop()
        self._wake()
