"""offer: the tools of a table, only those that are granted, with parameters that name only granted columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentspec.adapters.tables.actions import ActionTool, read_action
from agentspec.adapters.tables.database import Database
from agentspec.adapters.tables.granted import PARAMETER, Granted, grant
from agentspec.adapters.tables.reading import ORDERED, PAGING, GetTool, SearchTool
from agentspec.adapters.tables.shape import ColumnShape, Shape
from agentspec.adapters.tables.tool import TableTool
from agentspec.adapters.tables.writing import CreateTool, DeleteTool, UpdateTool
from agentspec.core.orders import RepeatClass
from agentspec.core.tools import ToolPlan
from agentspec.ports import Tool

RESERVE = 1024  # bytes of an answer that are kept for what stands beside the rows

_TYPES: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "uuid": {"type": "string", "description": "A UUID."},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "decimal": {"type": "number"},
    "boolean": {"type": "boolean"},
    "time": {"type": "string", "description": "A time, ISO 8601."},
    "date": {"type": "string", "description": "A day, ISO 8601."},
    "clock": {"type": "string", "description": "A time of day, ISO 8601."},
    "json": {"description": "Any JSON."},
}


def offer_table(
    name: str,
    given: Mapping[str, Any],
    shape: Shape,
    database: Database,
    identity: Mapping[str, Any],
    result_max: int,
) -> dict[str, tuple[ToolPlan, Tool]]:
    """The tools of a resource by name. Raises `SpecInvalid` where its grants don't fit the table."""
    granted = grant(name, given, shape, identity)
    most = max(1, result_max - RESERVE)
    said = str(given.get("description") or "").strip()
    made = [
        (f"{verb}_{name}", f"{does} {said}".strip(), parameters, tool)
        for verb in dict.fromkeys(given.get("verbs") or ())
        for does, parameters, tool in (_verb(verb, granted, database, most),)
    ]
    for called, action in (given.get("actions") or {}).items():
        read = read_action(f"capability.resources.{name}.actions.{called}", action)
        made.append(
            (called, str(action.get("description") or ""), read.parameters, ActionTool(granted, database, read))
        )
    return {called: (_plan(called, does, parameters, tool), tool) for called, does, parameters, tool in made}


def _plan(called: str, does: str, parameters: dict[str, Any], tool: TableTool) -> ToolPlan:
    # With an audit table, a call that is made again finds that it was made.
    changing: RepeatClass = "once" if tool.granted.audit is None else "idempotent"
    return ToolPlan(
        name=called,
        description=does,
        parameters=parameters,
        effect="write" if tool.is_write else "read",
        kind="resource",
        repeat=changing if tool.is_write else "read",
        timeout=tool.database.seconds + 5.0,  # its own limit comes first: it alone can say that nothing was changed
    )


def _verb(verb: str, granted: Granted, database: Database, most: int) -> tuple[str, dict[str, Any], TableTool]:
    """What a verb does, what it takes, and the tool that does it."""
    name, key = granted.name, granted.shape.key
    by_key = _object({"id": _typed(granted.key_shape)}, ["id"])
    match verb:
        case "get":
            return f"One row of `{name}`, by its `{key}`.", by_key, GetTool(granted, database)
        case "search":
            does = f"Rows of `{name}` whose columns are equal to what is given, {granted.page} at most."
            return does, _object(_search(granted), []), SearchTool(granted, database, most)
        case "create":
            return f"Add a row to `{name}`.", _create(granted), CreateTool(granted, database)
        case "update":
            does = f"Change columns of one row of `{name}`, named by its `{key}`."
            return does, _update(granted), UpdateTool(granted, database)
        case _:
            return f"Remove one row of `{name}`, named by its `{key}`.", by_key, DeleteTool(granted, database)


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema | {"additionalProperties": False}


def _typed(column: ColumnShape) -> dict[str, Any]:
    if column.kind == "enum":
        return {"enum": list(column.members)} if column.members else {"type": "string"}
    return dict(_TYPES[column.kind])


def _create(granted: Granted) -> dict[str, Any]:
    """A parameter for each column that may be set; needed is what would have no value else."""
    needed = [
        column.name
        for column in granted.write
        if not (column.is_nullable or column.is_given or column.name in granted.defaults)
    ]
    return _object({column.name: _settable(column) for column in granted.write}, needed)


def _update(granted: Granted) -> dict[str, Any]:
    columns = [column for column in granted.write if column.name != granted.shape.key]
    return _object({"id": _typed(granted.key_shape), **{each.name: _settable(each) for each in columns}}, ["id"])


def _settable(column: ColumnShape) -> dict[str, Any]:
    typed = _typed(column)
    return {"anyOf": [typed, {"type": "null"}]} if column.is_nullable and column.kind != "json" else typed


def _search(granted: Granted) -> dict[str, Any]:
    """A parameter for each column that values can be compared with; the words of paging come first."""
    filters = {
        column.name: _typed(column)
        for column in granted.read
        if column.kind in (*ORDERED, "enum") and column.name not in PAGING and PARAMETER.fullmatch(column.name)
    }
    orders = [column.name for column in granted.read if column.kind in ORDERED and not _moves(column, granted)]
    order = {
        "enum": [word for name in orders for word in (name, f"-{name}")],
        "description": f"The column to sort by, with `-` from the largest down; `{granted.shape.key}` if left out.",
    }
    return {
        **filters,
        **({"order": order} if orders else {}),
        "limit": {"type": "integer", "minimum": 1, "maximum": granted.page, "description": "Rows at most."},
        "cursor": {"type": "string", "description": "Of the last answer, to go on behind it."},
    }


def _moves(column: ColumnShape, granted: Granted) -> bool:
    """Whether a value is another one after its way through Python: then no page could begin behind it."""
    return granted.shape.dialect == "postgresql" and column.sql.upper() == "REAL"
