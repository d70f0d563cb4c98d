"""tables: from `capability.resources` to databases, what their tables look like, and the tools on them.

SQLAlchemy is loaded for a run with resources only. Shapes are read once, when a run begins; its journal keeps them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from agentspec.adapters.tables.shape import shape_from
from agentspec.adapters.tools.kit import TIMEOUT, Offered
from agentspec.api.assembly.assemble import Names, connection_text
from agentspec.api.assembly.own_tools import result_max
from agentspec.core.calls.touched import NOTHING
from agentspec.core.tools import ToolPlan
from agentspec.errors import InternalError, SpecInvalid, Unavailable
from agentspec.ports import Invocation, Output
from agentspec.spec.settings import Settings

T = TypeVar("T")

MISSING = "`capability.resources` needs SQLAlchemy: `pip install 'agentspec[sql]'`"
LOOKING = 10.0  # seconds that a look at a table may always take, however short a call is
READING = ("get_", "search_")


def has_tables(settings: Settings) -> bool:
    return bool(settings.get("capability.resources"))


def read_tables(settings: Settings, project: Path, names: Names) -> dict[str, Any]:
    """What the table of each resource looks like, and the tools that it has for that, as plain values.

    Raises `Unavailable` where a database can't be read, `SpecInvalid` where a table is not there.
    """
    return {
        name: _placed(name, partial(_look, name, given, settings, project, names))
        for name, given in _resources(settings)
    }


def table_tools(settings: Settings, project: Path, tables: Mapping[str, Any], names: Names | None) -> Offered:
    """The tools of all resources by name, on tables as `read_tables` gave them.

    Without `names` they are known and can't be called; of a table that nobody has looked at, by their names alone.
    """
    found: Offered = {}
    for name, given in _resources(settings):
        seen = tables.get(name)
        if seen is None:
            found |= _uncallable(_unseen(name, given))
        elif names is None:
            found |= _uncallable(msgspec.convert(plan, ToolPlan) for plan in seen["tools"])
        else:
            found |= _placed(name, partial(_tools, name, given, seen["shape"], settings, project, names))
    # Arguments are values of columns: a column `path` or `command` is neither.
    return {name: (replace(plan, touches=lambda _: NOTHING), tool) for name, (plan, tool) in found.items()}


def _resources(settings: Settings) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from (settings.get("capability.resources") or {}).items()


def _look(name: str, given: Mapping[str, Any], settings: Settings, project: Path, names: Names) -> dict[str, Any]:
    database = _database(name, given, settings, project, names, least=LOOKING)
    shape = _module("reflect").read_shape(database, given["table"], given.get("key")).as_json()
    tools = _tools(name, given, shape, settings, project, names)
    return {"shape": shape, "tools": [msgspec.to_builtins(plan) for plan, _ in tools.values()]}


def _tools(
    name: str,
    given: Mapping[str, Any],
    shape: Mapping[str, Any],
    settings: Settings,
    project: Path,
    names: Names,
) -> Offered:
    identity = settings.get("capability.identity") or {}
    offered: Offered = _module("offer").offer_table(
        name,
        given,
        shape_from(shape),
        _database(name, given, settings, project, names),
        identity,
        result_max(settings),
    )
    return offered


def _database(
    name: str, given: Mapping[str, Any], settings: Settings, project: Path, names: Names, *, least: float = 0.0
) -> Any:
    url = connection_text(str(given["url"]), f"capability.resources.{name}.url", names)
    return _module("database").Database(url, project, max(least, settings.seconds("execution.tool_timeout") or TIMEOUT))


def _module(name: str) -> Any:
    try:
        return importlib.import_module(f"agentspec.adapters.tables.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "sqlalchemy":
            raise
        raise Unavailable(MISSING) from None


def _placed(name: str, make: Callable[[], T]) -> T:
    """What is made, or its error with the place in the spec."""
    place = f"`capability.resources.{name}`"
    try:
        return make()
    except SpecInvalid as error:
        raise error if place[1:-1] in str(error) else SpecInvalid(f"{place}: {error}") from None
    except Unavailable as error:
        raise error if place[1:-1] in str(error) else Unavailable(f"{place}: {error}") from None


def _unseen(name: str, given: Mapping[str, Any]) -> Iterator[ToolPlan]:
    called = [f"{verb}_{name}" for verb in given.get("verbs") or ()]
    for tool in (*called, *(given.get("actions") or {})):
        is_read = tool in called and tool.startswith(READING)
        yield ToolPlan(
            name=tool,
            description="",
            parameters={"type": "object"},
            effect="read" if is_read else "write",
            kind="resource",
            repeat="read" if is_read else "once",
        )


def _uncallable(plans: Iterable[ToolPlan]) -> Offered:
    return {plan.name: (plan, _Uncallable()) for plan in plans}


class _Uncallable:
    """A tool of a table that is not open."""

    async def call(self, invocation: Invocation) -> Output:
        raise InternalError(f"the table of `{invocation.name}` was never opened")

    async def close(self) -> None: ...
