"""mcp: look at the servers of a spec beside any run, and accept what they offer."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Unpack

from agentspec.adapters.mcp.catalogue import Catalogue, read_catalogue
from agentspec.adapters.mcp.connection import Failed
from agentspec.adapters.mcp.lock import Change, source_of
from agentspec.api.assembly.called import blueprint_of
from agentspec.api.assembly.run_names import names_of
from agentspec.api.assembly.servers import choice_of, given_servers, lock_of, prepare
from agentspec.api.options import RunKeywords, options_of
from agentspec.api.run import as_spec
from agentspec.api.spec import Spec
from agentspec.errors import NotFound, Unavailable
from agentspec.text.suggest import nearest


class Look(NamedTuple):
    """A server as it is now: what a run would be offered, and how its tools differ from what was accepted."""

    server: str
    catalogue: Catalogue
    changes: list[Change]
    is_pinned: bool


async def look_at_servers(
    spec: Spec | str | os.PathLike[str],
    only: Sequence[str] = (),
    *,
    accept: bool = False,
    **options: Unpack[RunKeywords],
) -> list[Look]:
    """Start or reach the servers of a spec, all or those that are named, and read what they offer.

    With `accept` that is written down, for those that are pinned. Raises `SpecInvalid` where the spec has errors,
    `NotFound` where it has no such server, `Unavailable` where a server can't be asked.
    """
    chosen = options_of("mcp", options)
    blueprint = blueprint_of(as_spec(spec, chosen), chosen)
    settings, project = blueprint.settings, Path(blueprint.project)
    names = names_of(blueprint, "", "", "", time.time())
    given = given_servers(settings)
    for name in only:
        if name not in given:
            near = nearest(name, given)
            raise NotFound(f"this spec has no MCP server `{name}`" + (f"; did you mean `{near[0]}`?" if near else ""))
    servers = prepare(settings, project, names, _dropped, chosen.notice)
    if servers is None:
        return []
    wanted = [name for name in given if not only or name in only]
    lock = lock_of(project)
    try:
        answers = await asyncio.gather(*(servers.connections[name].tools() for name in wanted))
    except Failed as failure:
        raise Unavailable(str(failure)) from None
    finally:
        await servers.close()
    looks: list[Look] = []
    for name, listed in zip(wanted, answers, strict=True):
        found = read_catalogue(listed, choice_of(name, given[name], settings), set())
        looks.append(Look(name, found, lock.changes(name, listed), given[name].get("pin") is True))
        if accept:
            lock.accept(name, source_of(given[name]), listed)
    return looks


def _dropped(_: bytes) -> str:
    return ""  # nothing is called here, so that nothing has to be kept
