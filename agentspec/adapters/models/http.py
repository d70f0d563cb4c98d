"""http: the project's one HTTP stack, a small HTTP/1.1 client over asyncio.

Chosen by measurement (docs/decisions/0010-http-stack.md). It sends one request and hands back one response: it never
repeats a request, never follows a redirect (a key must not travel to another host) and never trusts a certificate
that does not verify. Every wait has a limit. What goes wrong is an `HttpError`.
"""

from __future__ import annotations

import asyncio
import os
import re
import select
import socket
import ssl
from collections.abc import Mapping
from typing import Literal, NamedTuple

from agentspec.adapters.models.http_address import Hop, Proxy, Target, make_target
from agentspec.adapters.models.http_parse import Body, Head, Inflate, Malformed, Sized, body_of, find_head, inflater
from agentspec.adapters.models.http_parse import parse_head as parse

KEEP_IDLE = 30.0  # seconds that a connection waits for its next request
DISCARD_FOR = 1.0  # seconds that the rest of a response may take when nobody waits for it
PAUSE_AT = 1 << 20  # bytes that may wait for the reader before the server is made to wait

Trouble = Literal["connect", "tls", "timeout", "closed", "malformed", "too_large"]
Origin = tuple[Hop, Proxy | None]


class HttpError(Exception):
    """A request that got no whole response: `kind` for programs, the text for people, without secrets."""

    def __init__(self, kind: Trouble, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Limits(NamedTuple):
    """How long each part may take, in seconds (None: only `total` counts), and how large a body may be, in bytes.

    `idle` is the silence between two moments of progress; what counts as progress is the reader's to say
    (`Response.progress`), since comments and pings keep a dead stream warm.
    """

    connect: float = 10.0
    first_byte: float | None = None
    idle: float | None = None
    total: float | None = None
    body: int = 64 << 20


class Connection(asyncio.Protocol):
    """One connection; it belongs to at most one response at a time."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport | None = None
        self.response: Response | None = None
        self.idle_since = 0.0

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

    def drop(self) -> None:
        """Close at once; nothing is waited for."""
        if self.transport is not None and not self.loop.is_closed():
            self.transport.abort()
        self.transport = None

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

    def __init__(self, client: HttpClient, connection: Connection, limits: Limits, started: float) -> None:
        self.head: Head | None = None
        self._client = client
        self._connection = connection
        self._limits = limits
        self._loop = connection.loop
        self._buffer = bytearray()
        self._body: Body = Sized(0)
        self._inflate: Inflate | None = None
        self._parts: list[bytes] = []
        self._waiting_bytes = 0
        self._size = 0
        self._paused = False
        self._discarding = False
        self._done = False
        self._error: HttpError | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._total_at = None if limits.total is None else started + limits.total
        self._patience = limits.idle
        self._silent_at = None if limits.first_byte is None else self._loop.time() + limits.first_byte
        self._timer: asyncio.TimerHandle | None = None
        self.origin: Origin | None = None  # where the connection goes back to; None: nowhere
        self._arm()

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

    async def read(self) -> bytes:
        """The whole body. Raises `HttpError`."""
        parts = []
        while part := await self.chunk():
            parts.append(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def progress(self) -> None:
        """Say that something real came: the idle limit counts from now."""
        if self._patience is not None:
            self._silent_at = self._loop.time() + self._patience

    def hurry(self, seconds: float) -> None:
        """Wait no longer than this for what is left; what was needed has come."""
        if self._patience is None or seconds < self._patience:
            self._patience = seconds
        self._silent_at = self._loop.time() + self._patience
        self._arm()

    def discard(self) -> None:
        """Let go of a response whose rest doesn't matter: if it ends soon, its connection is kept."""
        self._discarding = True
        self._parts.clear()
        self._waiting_bytes = 0
        if not self._done:
            self._client.discarded.add(self)
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
        """Bytes from the connection."""
        try:
            self._take(data)
        except Malformed as problem:
            self._fail("malformed", f"the server's answer cannot be read: {problem}")

    def _take(self, data: bytes) -> None:
        if self.head is None:
            self._buffer += data
            while self.head is None:
                length = find_head(self._buffer)
                if not length:
                    return
                head = parse(bytes(self._buffer[:length]))
                del self._buffer[:length]
                if head.status >= 200 or head.status == 101:
                    self._begin(head)
            data = bytes(self._buffer)
            self._buffer.clear()
        if data:
            self._add(self._body.feed(data))
        if self._body.done:
            self._complete()
        elif self._parts:
            self._wake()

    def _begin(self, head: Head) -> None:
        self.head = head
        self._body = body_of(head)
        self._inflate = inflater(head, self._limits.body)
        self._silent_at = None
        self.progress()
        self._arm()
        self._wake()

    def _add(self, content: bytes) -> None:
        if self._inflate is not None:
            content = self._inflate.feed(content)
        if not content or self._discarding:
            return
        self._size += len(content)
        if self._size > self._limits.body:
            self._fail("too_large", f"the server's answer is longer than {self._limits.body} bytes")
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
        assert self.head is not None
        self._finish(reuse=self.head.keeps_alive and not self._body.spare)

    def ended(self) -> None:
        """The server closed the connection."""
        if self._done:
            return
        if self.head is None:
            self._fail("closed", "the server closed the connection before it answered")
        elif not self._body.end_is_whole():
            self._fail("closed", "the server closed the connection in the middle of its answer")
        else:
            self._body.done = True
            self._complete()
        self._connection.drop()

    def _fail(self, kind: Trouble, message: str) -> None:
        if self._done:
            return
        self._error = HttpError(kind, message)
        self._finish(reuse=False)

    def _finish(self, *, reuse: bool) -> None:
        self._done = True
        self._client.discarded.discard(self)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        connection = self._connection
        connection.response = None
        transport = connection.transport
        if reuse and self.origin is not None and transport is not None and not transport.get_write_buffer_size():
            if self._paused:
                self._paused = False
                transport.resume_reading()
            self._client.keep(self.origin, connection)
        elif self.origin is not None or self._error is not None:
            connection.drop()
        self._wake()

    # --- time: one timer that is moved lazily, so that progress costs one assignment

    def _due(self) -> float | None:
        limits = [at for at in (self._total_at, self._silent_at) if at is not None]
        return min(limits) if limits else None

    def _arm(self) -> None:
        due = self._due()
        if self._timer is not None:
            if due is not None and self._timer.when() <= due:
                return
            self._timer.cancel()
            self._timer = None
        if due is not None:
            self._timer = self._loop.call_at(due, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        due = self._due()
        if due is None or due > self._loop.time() + 0.001:
            self._arm()
            return
        if due == self._total_at:
            message = f"no whole answer within {self._limits.total:g} s"
        elif self.head is None:
            message = f"no answer within {self._limits.first_byte:g} s"
        else:
            message = f"nothing came for {self._patience or 0:g} s in the middle of the answer"
        self._fail("timeout", message)


def _reason(problem: OSError) -> str:
    """The system's own words; asyncio puts its own, with addresses, in their place."""
    number = problem.errno
    if number is None:  # several addresses failed in different ways: the first of them
        found = re.search(r"\[Errno (\d+)\]", str(problem))
        number = int(found[1]) if found else None
    return type(problem).__name__ if number is None else os.strerror(number)


class HttpClient:
    """Connections that are kept and shared by all runs of a process; safe to use from one event loop at a time.

    There is no limit of connections and no queue in here: who may call how often is a matter of the spec.
    `environment` is asked for proxies (`HTTPS_PROXY`, `NO_PROXY`, …); OpenSSL itself reads `SSL_CERT_FILE`.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, tls: ssl.SSLContext | None = None) -> None:
        self._environment = dict(environment or {})
        self._idle: dict[Origin, list[Connection]] = {}
        self._tls = tls
        self._sweeper: asyncio.TimerHandle | None = None
        self.connections_made = 0
        self.discarded: set[Response] = set()  # answers whose last bytes nobody waits for

    def target(self, url: str, headers: Mapping[str, str], method: str = "POST") -> Target:
        """Prepare requests to `url`. Raises `BadAddress`."""
        return make_target(method, url, headers, self._environment)

    async def send(self, target: Target, body: bytes, limits: Limits) -> Response:
        """Send one request and wait for the head of its response. Raises `HttpError`; close the response.

        >>> async def ask(client: HttpClient) -> bytes:
        ...     target = client.target("http://127.0.0.1:8080/v1", {"content-type": "application/json"})
        ...     response = await client.send(target, b"{}", Limits(total=5.0))
        ...     try:
        ...         return await response.read()
        ...     finally:
        ...         response.close()
        """
        started = asyncio.get_running_loop().time()
        connection = self._reuse(target.origin) or await self._connect(target.origin, limits)
        response = Response(self, connection, limits, started)
        response.origin = target.origin
        connection.response = response
        head = target.head + b"content-length: %d\r\n\r\n" % len(body)
        if connection.transport is None:
            response.ended()
        else:
            connection.transport.write(head + body)
        try:
            await response.wait_head()
        except BaseException:
            response.close()
            raise
        return response

    def keep(self, origin: Origin, connection: Connection) -> None:
        """Take back a connection whose response has come whole."""
        connection.idle_since = connection.loop.time()
        self._idle.setdefault(origin, []).append(connection)
        if self._sweeper is None:
            self._sweeper = connection.loop.call_later(KEEP_IDLE, self._sweep, connection.loop)

    async def close(self) -> None:
        """Drop all connections that wait; those in use are dropped by whoever uses them."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            self._sweeper = None
        for connections in self._idle.values():
            for connection in connections:
                connection.drop()
        self._idle.clear()
        for response in list(self.discarded):
            response.abandon()
        await asyncio.sleep(0)  # lets the transports call back, so that nothing is left open behind us

    def _reuse(self, origin: Origin) -> Connection | None:
        loop = asyncio.get_running_loop()
        waiting = self._idle.get(origin)
        while waiting:
            connection = waiting.pop()  # the one used last: the least likely to have been closed
            if connection.is_fresh(loop):
                return connection
            connection.drop()
        return None

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        self._sweeper = None
        oldest = loop.time() - KEEP_IDLE
        for origin, connections in list(self._idle.items()):
            kept = []
            for connection in connections:
                if connection.transport is not None and connection.idle_since > oldest:
                    kept.append(connection)
                else:
                    connection.drop()
            if kept:
                self._idle[origin] = kept
            else:
                del self._idle[origin]
        if self._idle:
            self._sweeper = loop.call_later(KEEP_IDLE, self._sweep, loop)

    # --- making connections

    async def _connect(self, origin: Origin, limits: Limits) -> Connection:
        hop, proxy = origin
        limit = limits.connect if limits.total is None else min(limits.connect, limits.total)
        where = f"the proxy `{proxy.hop.host}:{proxy.hop.port}`" if proxy else f"`{hop.host}:{hop.port}`"
        self.connections_made += 1
        try:
            async with asyncio.timeout(limit):
                if proxy is None:
                    return await self._open(hop)
                connection = await self._open(proxy.hop)
                if hop.tls:
                    await self._tunnel(connection, hop, proxy, limits)
                return connection
        except TimeoutError:
            raise HttpError("timeout", f"no connection to {where} within {limit:g} s") from None
        except socket.gaierror:
            raise HttpError("connect", f"the host of {where} was not found") from None
        except ssl.SSLCertVerificationError as problem:
            reason = problem.verify_message or "it does not verify"
            way_out = "for a private authority set `SSL_CERT_FILE`"
            raise HttpError("tls", f"the certificate of {where} is not trusted ({reason}); {way_out}") from None
        except ssl.SSLError as problem:
            raise HttpError("tls", f"no TLS connection to {where} ({problem.reason or 'handshake failed'})") from None
        except OSError as problem:
            raise HttpError("connect", f"no connection to {where} ({_reason(problem)})") from None

    async def _open(self, hop: Hop) -> Connection:
        tls = self._context() if hop.tls else None
        _, connection = await asyncio.get_running_loop().create_connection(
            Connection, hop.host, hop.port, ssl=tls, happy_eyeballs_delay=0.25
        )
        return connection

    async def _tunnel(self, connection: Connection, hop: Hop, proxy: Proxy, limits: Limits) -> None:
        """Ask the proxy for a tunnel and speak TLS through it (RFC 9110, 9.3.6)."""
        loop = asyncio.get_running_loop()
        host = f"[{hop.host}]" if ":" in hop.host else hop.host
        response = Response(self, connection, limits, loop.time())
        connection.response = response
        try:
            assert connection.transport is not None
            line = f"CONNECT {host}:{hop.port} HTTP/1.1\r\nhost: {host}:{hop.port}\r\n".encode("ascii")
            connection.transport.write(line + proxy.authorization + b"\r\n")
            head = await response.wait_head()
        except BaseException:
            response.close()
            connection.drop()
            raise
        response.close()
        if not 200 <= head.status < 300 or connection.transport is None:
            connection.drop()
            raise HttpError("connect", f"the proxy gave no tunnel to `{host}:{hop.port}` (HTTP {head.status})")
        try:
            connection.transport = await loop.start_tls(
                connection.transport, connection, self._context(), server_hostname=hop.host
            )
        except BaseException:
            connection.drop()
            raise

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls
