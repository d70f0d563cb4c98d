"""audit: the table that keeps who changed which row, written in the transaction of the change itself.

It also tells which calls were made: a call that a crash has swallowed is answered, not made again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, Connection, MetaData, Table, Text, func, insert, inspect, select

from agentspec.adapters.tables.granted import Granted
from agentspec.ports import Invocation

COLUMNS = (
    *("call_key", "at", "run_id", "call_id", "tool", "verb", "resource", "row_key"),
    *("identity_user", "identity_roles", "identity_tenant", "before", "after", "answer"),
)


def audit_table(name: str) -> Table:
    """The table by its name, which may have a schema before a dot. `call_key` is its key: one row a call."""
    schema, _, table = name.rpartition(".")
    columns = [Column(each, Text, primary_key=each == "call_key") for each in COLUMNS]
    return Table(table, MetaData(), *columns, schema=schema or None)


def answered(granted: Granted, connection: Connection, invocation: Invocation) -> dict[str, Any] | None:
    """What this very call was answered when it was made before, or None."""
    if granted.audit is None:
        return None
    table = audit_table(granted.audit)
    if not inspect(connection).has_table(table.name, table.schema):
        return None
    kept = connection.execute(select(table.c.answer).where(table.c.call_key == invocation.key)).scalar()
    found: dict[str, Any] | None = None if kept is None else json.loads(kept)
    return found


def record(
    granted: Granted,
    connection: Connection,
    invocation: Invocation,
    change: Mapping[str, Any],
    answer: Mapping[str, Any],
) -> None:
    """Write the row of a change, where the resource has an audit table; it is made at the first change."""
    if granted.audit is None:
        return
    table = audit_table(granted.audit)
    if not inspect(connection).has_table(table.name, table.schema):
        if granted.shape.dialect == "postgresql":  # two runs may both be the first
            connection.execute(select(func.pg_advisory_xact_lock(func.hashtext(granted.audit))))
        table.create(connection, checkfirst=True)
    who = granted.identity
    row = {
        "call_key": invocation.key,
        "at": datetime.fromtimestamp(invocation.at, tz=UTC).isoformat().replace("+00:00", "Z"),
        "run_id": str(invocation.run.get("id", "")),
        "call_id": invocation.call_id,
        "tool": invocation.name,
        "verb": change["verb"],
        "resource": granted.name,
        "row_key": _json(change["key"]),
        "identity_user": str(who.get("user") or ""),
        "identity_roles": _json(list(who.get("roles") or ())),
        "identity_tenant": str(who.get("tenant") or ""),
        "before": _json(change["before"]),
        "after": _json(change["after"]),
        "answer": _json(answer),
    }
    connection.execute(insert(table).values(row))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
