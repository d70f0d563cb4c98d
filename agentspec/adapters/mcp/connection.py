"""connection: one server, opened, asked and closed by one task that owns it.

A call is made once: what a lost connection swallowed is told and never sent again. The server may ask, and is refused
at once: nobody here answers for a person or a model.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Literal, NamedTuple, TypeAlias

import agentspec
from agentspec.adapters.mcp.program import Program
from agentspec.adapters.tools.programs.process import Command
from agentspec.adapters.tools.programs.starting import StartFailed
from agentspec.errors import Unavailable

START_TIMEOUT = 120.0  # seconds; a first start may have to fetch the server
SLOW_START = 5.0  # seconds after which it is said what is waited for
STARTS = 4  # how often a server is started in one run at most
PAGES_MAX = 1000
PATIENCE = 600.0  # seconds that a start may take where a person has to agree first
LISTED_MAX = 10_000
WORDS_MAX = 500  # characters of an error that the server words
CONNECTION_CLOSED = -32000  # the SDK's own code for an answer that will not come
ROUNDS = 10  # how often a server may answer a call by asking for more


# Opens the authorisation of a server at an address, for as long as the connection is.
Authorize: TypeAlias = Callable[[Callable[[str], None]], AbstractAsyncContextManager[Any]]
Mode = Literal["auto", "legacy"]


class Server(NamedTuple):
    """Where a server is: a program, or an address with what each request carries. Times in seconds.

    `authorize` opens what authorises requests, where a person has to agree to that first.
    """

    name: str
    program: Command | None = None
    url: str = ""
    headers: Mapping[str, str] = {}
    timeout: float = 120.0
    start_timeout: float = START_TIMEOUT
    authorize: Authorize | None = None


class Failed(Exception):
    """A server could not be asked, or its answer is of no use; `str()` says why in plain words.

    `is_unsure` where it may have acted.
    """

    def __init__(self, category: str, message: str, *, is_unsure: bool = False) -> None:
        super().__init__(message + ("; it may have acted" if is_unsure else ""))
        self.category = category


def require_sdk() -> None:
    """Raise `Unavailable` where the package that speaks the protocol is not installed."""
    if importlib.util.find_spec("mcp") is None:
        raise Unavailable("MCP servers need the package `mcp`: `pip install 'agentspec[mcp]'`")
    for name in ("mcp", "client"):  # the SDK's own log; whoever wants it adds a handler
        logging.getLogger(name).addHandler(logging.NullHandler())


class Connection:
    """A server of a run and its children. Opened when it is first asked, and again, a few times, after it has ended."""

    def __init__(
        self, server: Server, notice: Callable[[str], None], *, mode: Mode = "auto", elicit: Any = None
    ) -> None:
        self.server = server
        self._mode = mode
        self._elicit = elicit
        self._watchers: list[asyncio.Event] = []
        self._notice = notice
        self.starts = 0
        self._owner: asyncio.Task[None] | None = None
        self._client: Any = None
        self._program: Program | None = None
        self._leave = asyncio.Event()
        self._opening = asyncio.Lock()

    def watch(self) -> asyncio.Event:
        """Is set whenever the server says that its list of tools has changed; each one who watches clears their own."""
        event = asyncio.Event()
        self._watchers.append(event)
        return event

    def _announce(self) -> None:
        for event in self._watchers:
            event.set()

    async def tools(self) -> list[dict[str, Any]]:
        """All tools that the server lists, page by page. Raises `Failed`."""
        client = await self._opened()
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        seen: set[str] = set()
        try:
            async with asyncio.timeout(self.server.start_timeout):
                while True:
                    page = await client.list_tools(cursor=cursor, cache_mode="bypass")
                    found += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
                    cursor = page.next_cursor
                    if cursor is None:
                        return found
                    if cursor in seen or len(seen) >= PAGES_MAX or len(found) > LISTED_MAX:
                        raise Failed("listing", f"its list of tools has no end ({len(found)} so far)")
                    seen.add(cursor)
        except TimeoutError:
            raise Failed("listing", f"no list of its tools after {self.server.start_timeout:g} s") from None
        except Failed:
            raise
        except Exception as error:
            raise self._failure(error, is_call=False) from error

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The result of one call as JSON. Raises `Failed`; cancelled, the server is told to leave it."""
        client = await self._opened()
        try:
            result = await client.call_tool(tool, dict(arguments))
        except Exception as error:
            raise self._failure(error, is_call=True) from error
        found: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        return found

    async def close(self) -> None:
        """Leave the server, and end it where it is a program."""
        self._leave.set()
        if self._owner is not None:
            await asyncio.gather(self._owner, return_exceptions=True)
        self._owner = self._client = None

    @property
    def is_open(self) -> bool:
        """Whether the server can be asked without being started."""
        ended = self._program is not None and self._program.has_ended
        return self._client is not None and not ended

    async def _opened(self) -> Any:
        async with self._opening:
            if not self.is_open:
                await self.close()
                await self._open()
            return self._client

    async def _open(self) -> None:
        if self.starts >= STARTS:
            raise Failed("connection", f"the MCP server `{self.server.name}` was lost {STARTS} times and is left alone")
        self.starts += 1
        self._leave = asyncio.Event()
        ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own(ready, self._leave))
        try:
            async with asyncio.timeout(PATIENCE if self.server.authorize else self.server.start_timeout):
                self._client = await self._awaited(ready)
        except TimeoutError:
            self._owner.cancel()
            await self.close()
            raise Failed("connection", f"no answer after {self.server.start_timeout:g} s") from None
        except asyncio.CancelledError:
            self._owner.cancel()
            raise

    async def _awaited(self, ready: asyncio.Future[Any]) -> Any:
        done, _ = await asyncio.wait((ready,), timeout=SLOW_START)
        if not done:
            self._notice("it is slow to start; waiting for it")
        return await ready

    async def _own(self, ready: asyncio.Future[Any], leave: asyncio.Event) -> None:
        """Open the connection and keep it until somebody says to leave it: one task does both."""
        try:
            async with self._transport() as transport, self._session(transport) as client:
                ready.set_result(client)
                await leave.wait()
        except (Exception, asyncio.CancelledError) as error:
            if not ready.done():
                ready.set_exception(self._failure(error, is_call=False))
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            self._client = None

    @asynccontextmanager
    async def _transport(self) -> AsyncIterator[AbstractAsyncContextManager[Any]]:
        server = self.server
        if server.program is not None:
            self._program = Program(server.program, self._notice)
            yield self._program.streams()
            return
        from agentspec.adapters.mcp.web import web_streams  # noqa: PLC0415 - needs the optional `mcp`

        authorized = contextlib.nullcontext() if server.authorize is None else server.authorize(self._notice)
        async with authorized as auth, web_streams(server.url, server.headers, server.timeout, auth) as streams:
            yield streams

    @asynccontextmanager
    async def _session(self, transport: Any) -> AsyncIterator[Any]:
        import mcp_types  # noqa: PLC0415 - optional, and slow to load
        from mcp import Client  # noqa: PLC0415

        async def hear(message: Any) -> None:
            if isinstance(message, mcp_types.ToolListChangedNotification):
                self._announce()

        who = mcp_types.Implementation(name="agentspec", version=agentspec.__version__)
        chosen: Any = Client(
            transport,
            client_info=who,
            message_handler=hear,
            cache=None,
            mode=self._mode,
            elicitation_callback=self._elicit,
            input_required_max_rounds=ROUNDS,
        )
        async with chosen as client:
            # The SDK holds results against the server's schema with Python's `re`, which a pattern can stop for
            # hours, and drops the result of a call that has acted; they are held against it elsewhere.
            client.session.validate_tool_result = _unjudged
            listening = asyncio.create_task(self._listen(client))
            try:
                yield client
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)

    async def _listen(self, client: Any) -> None:
        """Hear of changes where the server tells them to those alone who ask (2026-07-28)."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS  # noqa: PLC0415 - optional, and slow to load

        tools = client.server_capabilities.tools
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS or tools is None or not tools.list_changed:
            return
        with contextlib.suppress(Exception):  # a server that ends the stream tells no more; its tools stay
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self._announce()

    def _failure(self, error: BaseException, *, is_call: bool) -> Failed:
        while isinstance(error, BaseExceptionGroup) and error.exceptions:
            error = error.exceptions[0]
        if isinstance(error, Failed):
            return error
        if isinstance(error, Unavailable):
            return Failed("authorization", f"the MCP server `{self.server.name}`: {error}")
        if isinstance(error, StartFailed):
            return Failed("connection", str(error))
        server = f"the MCP server `{self.server.name}`"
        kind, words = type(error).__name__, str(error)[:WORDS_MAX]
        if self._program is not None and self._program.has_ended:
            return Failed("connection", f"{server} is gone: {self._program.explain()}", is_unsure=is_call)
        if kind == "MCPError" and (getattr(error, "code", 0) == CONNECTION_CLOSED or words == "Session terminated"):
            self._client = None  # the next one that asks opens it anew
            return Failed("connection", f"{server} is gone: {words}", is_unsure=is_call)
        if kind == "MCPError":
            return Failed("server", f"{server} refused: {words} ({getattr(error, 'code', 0)})")
        if kind == "ValidationError":
            return Failed("bad_response", f"{server} answered against the protocol{_where(error)}", is_unsure=is_call)
        return Failed("connection", f"{server} failed: {kind}: {words}", is_unsure=is_call)


def _where(error: Any) -> str:
    """The first thing that is wrong with a message, by the names of its fields."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    return f": `{'.'.join(str(step) for step in found[0]['loc'])}`: {found[0]['msg']}"[:WORDS_MAX] if found else ""


async def _unjudged(name: str, result: Any) -> None:
    """Stands in the place of the SDK's own check."""
