"""client: the project's one HTTP stack, a small HTTP/1.1 client over asyncio.

Chosen by measurement (docs/decisions/0010-http-stack.md). It sends one request and hands back one response: it never
repeats a request, never follows a redirect (a key must not travel to another host) and never trusts a certificate
that does not verify. Every wait has a limit. What goes wrong is an `HttpError`.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache

from agentspec.adapters.http.address import Hop, Proxy, Target, make_target
from agentspec.adapters.http.connection import Connection, HttpError, Origin, Response
from agentspec.adapters.http.waits import Limits

KEEP_IDLE = 30.0  # seconds that a connection waits for its next request
TARGETS = 128  # prepared requests that are kept
ADDRESS = re.compile(r"\d{1,3}(\.\d{1,3}){3}|.*:.*")  # a host that is one address: nothing to choose from


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
    `addresses` gives the addresses of a host that may be connected to, in place of the system's own look-up; it
    may raise an `HttpError`.
    """

    def __init__(
        self,
        environment: Mapping[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
        addresses: Callable[[Hop], Awaitable[Sequence[str]]] | None = None,
    ) -> None:
        self._environment = dict(environment or {})
        self._addresses = addresses
        self._prepared = lru_cache(maxsize=TARGETS)(self._prepare)  # many runs ask at one address
        self._idle: dict[Origin, list[Connection]] = {}
        self._tls = tls
        self._sweeper: asyncio.TimerHandle | None = None
        self.connections_made = 0
        self.discarded: set[Response] = set()  # answers whose last bytes nobody waits for

    def target(self, url: str, headers: Mapping[str, str], method: str = "POST") -> Target:
        """Prepare requests to `url`. Raises `BadAddress`."""
        return self._prepared(method, url, *headers.items())

    def _prepare(self, method: str, url: str, *headers: tuple[str, str]) -> Target:
        return make_target(method, url, dict(headers), self._environment)

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
        loop = asyncio.get_running_loop()
        started = loop.time()
        connection = self._reuse(target.origin, loop) or await self._connect(target.origin, limits)
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

    def _reuse(self, origin: Origin, loop: asyncio.AbstractEventLoop) -> Connection | None:
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
        if self._addresses is not None:
            return await self._open_one(hop, tls, await self._addresses(hop))
        race = None if ADDRESS.fullmatch(hop.host) else 0.25  # seconds that one address is ahead of the next
        _, connection = await asyncio.get_running_loop().create_connection(
            Connection, hop.host, hop.port, ssl=tls, happy_eyeballs_delay=race
        )
        return connection

    async def _open_one(self, hop: Hop, tls: ssl.SSLContext | None, addresses: Sequence[str]) -> Connection:
        """A connection to the first address that takes one; the certificate has to be that of the host's name."""
        problem: OSError = socket.gaierror()
        for address in addresses:
            try:
                _, connection = await asyncio.get_running_loop().create_connection(
                    Connection, address, hop.port, ssl=tls, server_hostname=hop.host if tls else None
                )
            except ssl.SSLError:
                raise
            except OSError as error:
                problem = error
            else:
                return connection
        raise problem

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
