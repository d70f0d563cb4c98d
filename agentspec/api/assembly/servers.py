"""servers: from a spec's settings to its MCP servers: how each is started or reached, and what is chosen of it."""

from __future__ import annotations

import functools
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from agentspec.adapters.mcp.catalogue import Choice, McpTool
from agentspec.adapters.mcp.connection import Authorize, Connection, Server, require_sdk
from agentspec.adapters.mcp.lock import Lock, source_of
from agentspec.adapters.mcp.oauth import Desk, Tokens, oauth
from agentspec.adapters.mcp.results import Keep
from agentspec.adapters.mcp.servers import Servers
from agentspec.adapters.tools.kit import TIMEOUT
from agentspec.adapters.tools.programs.environment import child_environment
from agentspec.adapters.tools.programs.process import Command
from agentspec.api.assembly.assemble import Names, connection_text
from agentspec.api.assembly.equip import equip
from agentspec.api.assembly.own_tools import grace_of
from agentspec.compose.accepted import LOCK_FILE
from agentspec.compose.project import state_folder
from agentspec.core.commands.code_variables import changes_code
from agentspec.errors import NotAllowed, Unavailable
from agentspec.spec.settings import Settings


async def connect(
    settings: Settings,
    project: Path,
    names: Names,
    keep: Keep,
    notice: Callable[[str], None],
    lender: Servers | None = None,
) -> tuple[Servers | None, list[McpTool]]:
    """The servers of a run, open, and the tools that they offer it; nothing where the spec names none.

    Connections of `lender` to the very same servers are used with it.

    Raises `Unavailable` where a server can't be opened or does not offer what the spec calls.
    """
    servers = prepare(settings, project, names, keep, notice, lender)
    if servers is None:
        return None, []
    choices = [
        _pinned(choice_of(name, each, settings), each, project) for name, each in given_servers(settings).items()
    ]
    taken = {plan.name for plan in equip(settings, project, names).plans}
    offered = await servers.open(choices, taken)
    for note in offered.notes:
        notice(note)
    tools = list(offered.tools)
    try:
        _require_named(choices, tools)
    except BaseException:
        await servers.close()
        raise
    return servers, tools


def prepare(
    settings: Settings,
    project: Path,
    names: Names,
    keep: Keep,
    notice: Callable[[str], None],
    lender: Servers | None = None,
) -> Servers | None:
    """The servers of a run, none of them asked yet. Raises `Unavailable` where a variable of a server isn't set."""
    given = given_servers(settings)
    if not given:
        return None
    require_sdk()
    connections: dict[str, Connection] = {}
    borrowed: set[str] = set()
    for name, each in given.items():
        server = _server(name, each, settings, project, names)
        lent = None if lender is None else lender.connections.get(name)
        if lent is not None and _is_same(lent.server, server):
            connections[name] = lent
            borrowed.add(name)
        else:
            connections[name] = Connection(server, _telling(name, notice))
    return Servers(connections, keep, frozenset(borrowed))


def _is_same(one: Server, other: Server) -> bool:
    """Whether two runs mean the same server, started or asked in the same way; whose run it is makes no difference."""
    return _anyone_s(one) == _anyone_s(other)


def _anyone_s(server: Server) -> Server:
    program = None if server.program is None else server.program._replace(run_id="")
    return server._replace(program=program)


def _telling(name: str, notice: Callable[[str], None]) -> Callable[[str], None]:
    return lambda line: notice(f"the MCP server `{name}`: {line}")


def catalogue_as_json(tools: list[McpTool]) -> list[dict[str, Any]]:
    """The tools as a journal keeps them."""
    found: list[dict[str, Any]] = msgspec.to_builtins(tools)
    return found


def catalogue_from(stored: list[dict[str, Any]]) -> list[McpTool]:
    """The tools as a journal kept them."""
    return msgspec.convert(stored, list[McpTool])


def given_servers(settings: Settings) -> Mapping[str, Mapping[str, Any]]:
    """The servers of a spec, by name."""
    return settings.get("capability.mcp") or {}


def choice_of(name: str, given: Mapping[str, Any], settings: Settings) -> Choice:
    """What a spec says about the tools of a server, whether they were accepted or not."""
    allow = given.get("allow")
    return Choice(
        server=name,
        allow=None if allow is None else tuple(allow),
        deny=tuple(given.get("deny") or ()),
        effects=dict(given.get("effects") or {}),
        timeout=_timeout(given, settings),
        named=frozenset(tool for server, tool in _named(settings) if server == name),
    )


def _pinned(choice: Choice, given: Mapping[str, Any], project: Path) -> Choice:
    """The same, and only what was accepted where the server is pinned. Raises `NotAllowed` where it never was."""
    if given.get("pin") is not True:
        return choice
    lock = lock_of(project)
    lock.require(choice.server, source_of(given))
    return choice._replace(is_accepted=functools.partial(lock.is_accepted, choice.server))


def lock_of(project: Path) -> Lock:
    """What was accepted of the servers of a project."""
    return Lock(state_folder(project) / LOCK_FILE)


def _named(settings: Settings) -> list[tuple[str, str]]:
    """The tools of servers that the spec calls by names of its own."""
    tools: Mapping[str, Mapping[str, Any]] = settings.get("capability.tools") or {}
    pairs = (str(tool["mcp"]).partition("/") for tool in tools.values() if "mcp" in tool)
    return [(server, tool) for server, _, tool in pairs]


def _require_named(choices: list[Choice], tools: list[McpTool]) -> None:
    for choice in choices:
        offered = {tool.tool for tool in tools if tool.server == choice.server}
        for tool in sorted(choice.named - offered):
            raise Unavailable(f"the MCP server `{choice.server}` offers no tool `{tool}` that a run can use")


def _server(name: str, given: Mapping[str, Any], settings: Settings, project: Path, names: Names) -> Server:
    key = f"capability.mcp.{name}"
    timeout = _timeout(given, settings)
    if given.get("url"):
        headers = {each: connection_text(text, f"{key}.headers.{each}", names) for each, text in _of(given, "headers")}
        url, auth = connection_text(given["url"], f"{key}.url", names), given.get("auth")
        authorize = _authorizing(name, url, project) if auth == "oauth" else None
        if isinstance(auth, Mapping):
            headers["Authorization"] = f"Bearer {_token(auth, key)}"
        return Server(name, url=url, headers=headers, timeout=timeout, authorize=authorize)
    values = {each: connection_text(text, f"{key}.env.{each}", names) for each, text in _of(given, "env")}
    for refused in filter(changes_code, values):
        raise NotAllowed(f"`{key}.env.{refused}` would change what code programs run, and is given to none")
    program = Command(
        argv=[connection_text(text, f"{key}.command", names) for text in given["command"]],
        cwd=project / (given.get("cwd") or "."),
        env=child_environment(os.environ) | values,  # also keys: the spec names them for this server
        grace=grace_of(settings),
        run_id=str(names["run"].get("id", "")),
    )
    return Server(name, program=program, timeout=timeout)


def _token(auth: Mapping[str, Any], key: str) -> str:
    name = str(auth["token_env"])
    token = os.environ.get(name, "").strip()
    if not token:
        raise Unavailable(f"`{key}.auth.token_env`: the environment variable `{name}` is not set")
    return token


def _authorizing(name: str, url: str, project: Path) -> Authorize:
    """What asks a person to agree where no token is kept that holds."""

    @asynccontextmanager
    async def authorize(notice: Callable[[str], None]) -> AsyncIterator[Any]:
        tokens, desk = Tokens(state_folder(project) / "mcp-tokens" / f"{name}.json"), Desk(notice)
        await desk.open(tokens)
        try:
            yield oauth(url, tokens, desk.ask, desk.redirect)
        finally:
            await desk.close()

    return authorize


def _of(given: Mapping[str, Any], key: str) -> list[tuple[str, str]]:
    return [(name, str(text)) for name, text in (given.get(key) or {}).items()]


def _timeout(given: Mapping[str, Any], settings: Settings) -> float:
    return Settings(given).seconds("timeout") or settings.seconds("execution.tool_timeout") or TIMEOUT
