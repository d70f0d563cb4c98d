"""servers: the MCP servers of one run: opened together, watched for changes of their tools, closed together.

A tool that is no more what the run was told of it is not called: its words were what somebody agreed to.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from agentspec.adapters.mcp.catalogue import TOOLS_MAX, Choice, McpTool, digest_of, read_catalogue
from agentspec.adapters.mcp.connection import Connection, Failed
from agentspec.adapters.mcp.results import Keep, failed, output_of
from agentspec.core.schema.validate import compile_schema
from agentspec.errors import Unavailable
from agentspec.ports import Invocation, Output


class Offered(NamedTuple):
    """What servers offer a run: the tools, and what has to be said to people."""

    tools: tuple[McpTool, ...]
    notes: tuple[str, ...]


class Difference(NamedTuple):
    """How what a server offers differs from what it offered before, by the server's own names."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


class Servers:
    """The connections of a run, by the names of their servers. `on_change` hears when one offers something else.

    Those of `borrowed` servers are another run's, which closes them.
    """

    def __init__(
        self, connections: Mapping[str, Connection], keep: Keep, borrowed: frozenset[str] = frozenset()
    ) -> None:
        self.connections = connections
        self._borrowed = borrowed
        self._changed = {server: connection.watch() for server, connection in connections.items()}
        self._starts: dict[str, int] = {}  # by server: which start of it the list is of
        self.keep = keep
        self.on_change: Callable[[str, Difference], None] | None = None
        self._listed: dict[str, dict[str, str]] = {}  # by server: digests by tool, as they are now
        self._listing = {server: asyncio.Lock() for server in connections}
        self._watchers: list[asyncio.Task[None]] = []

    async def open(self, choices: Sequence[Choice], taken: set[str]) -> Offered:
        """Open every server at once and read what it offers; `taken` are names of the run's other tools.

        Raises `Unavailable` where one can't be opened: then all are closed.
        """
        asked = [self._list(choice.server) for choice in choices]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        problems = [answer for answer in answers if isinstance(answer, BaseException)]
        if problems:
            await self.close()
            for problem in problems:
                if not isinstance(problem, Unavailable):
                    raise problem
            raise Unavailable("; ".join(str(problem) for problem in problems))
        tools: list[McpTool] = []
        notes: list[str] = []
        for choice, listed in zip(choices, answers, strict=True):
            assert not isinstance(listed, BaseException)
            found = read_catalogue(listed, choice, taken)
            if len(found.tools) > TOOLS_MAX:
                await self.close()
                raise Unavailable(
                    f"`capability.mcp.{choice.server}`: the server offers {len(found.tools)} tools, and a run takes "
                    f"{TOOLS_MAX} of one: choose them with `allow`"
                )
            tools += found.tools
            notes += found.notes
        self._watchers = [asyncio.create_task(self._watch(server)) for server in self.connections]
        return Offered(tuple(tools), tuple(notes))

    async def call(self, tool: McpTool, invocation: Invocation) -> Output:
        """Call a tool that is what it was; a failure is an output that says whether it may have acted."""
        connection = self.connections[tool.server]
        try:
            refusal = await self._refusal(tool)
            if refusal is not None:
                return failed("changed", refusal)
            result = await connection.call(tool.tool, invocation.arguments)
        except Failed as failure:
            return failed(failure.category, str(failure))
        return _held_against(tool, output_of(result, self.keep))

    async def close(self) -> None:
        for watcher in self._watchers:
            watcher.cancel()
        await asyncio.gather(*self._watchers, return_exceptions=True)
        own = (connection for server, connection in self.connections.items() if server not in self._borrowed)
        await asyncio.gather(*(connection.close() for connection in own))

    async def _list(self, server: str) -> list[dict[str, Any]]:
        connection = self.connections[server]
        try:
            listed = await connection.tools()
        except Failed as failure:
            raise Unavailable(f"`capability.mcp.{server}`: {failure}") from None
        self._take(server, listed)
        return listed

    def _take(self, server: str, listed: list[dict[str, Any]]) -> None:
        self._starts[server] = self.connections[server].starts
        found: dict[str, str] = {}
        for each in listed:
            found.setdefault(str(each.get("name", "")), digest_of(each))
        before, self._listed[server] = self._listed.get(server, found), found
        if before != found and self.on_change is not None:
            self.on_change(server, _difference(before, found))

    async def _watch(self, server: str) -> None:
        """Look again whenever the server announces a change; where it can't be asked, the next call will say so."""
        while True:
            await self._changed[server].wait()
            with contextlib.suppress(Failed):
                await self._refresh(server)

    async def _refresh(self, server: str) -> None:
        """Know what a server offers now, where it was started since, or has announced a change."""
        connection = self.connections[server]
        async with self._listing[server]:  # a call that comes while the list is read waits for it
            is_known = server in self._listed and connection.is_open and self._starts.get(server) == connection.starts
            if self._changed[server].is_set() or not is_known:
                self._changed[server].clear()
                self._take(server, await connection.tools())

    async def _refusal(self, tool: McpTool) -> str | None:
        """Why a tool is not called now."""
        await self._refresh(tool.server)
        now = self._listed[tool.server].get(tool.tool)
        if now is None:
            return f"the MCP server `{tool.server}` does not offer `{tool.tool}` any more"
        if now != tool.digest:
            return (
                f"the MCP server `{tool.server}` has changed `{tool.tool}` since this run was told what it does: "
                "it is not called before a person has accepted the change"
            )
        return None


def _difference(before: Mapping[str, str], now: Mapping[str, str]) -> Difference:
    return Difference(
        added=tuple(sorted(now.keys() - before.keys())),
        changed=tuple(sorted(name for name in now.keys() & before.keys() if now[name] != before[name])),
        removed=tuple(sorted(before.keys() - now.keys())),
    )


class ServerTool:
    """One tool of a server, as a run calls it."""

    def __init__(self, servers: Servers, tool: McpTool) -> None:
        self._servers, self._tool = servers, tool

    async def call(self, invocation: Invocation) -> Output:
        return await self._servers.call(self._tool, invocation)

    async def close(self) -> None: ...


class Uncallable:
    """A tool of a server that is not open: of a run that is only looked at."""

    def __init__(self, server: str) -> None:
        self._server = server

    async def call(self, invocation: Invocation) -> Output:
        return failed("connection", f"`{invocation.name}`: the MCP server `{self._server}` is not open")

    async def close(self) -> None: ...


def _held_against(tool: McpTool, output: Output) -> Output:
    """The output with a word about data that the server promised otherwise; the call has acted and stays what it is."""
    if output.error is not None or tool.returns is None:
        return output
    problems = compile_schema(tool.returns, noun="field").check(output.data)
    if not problems:
        return output
    note = f"[the data is not what the server says that it returns: {problems[0]}]"
    return Output(text=f"{output.text}\n{note}", data=output.data)
