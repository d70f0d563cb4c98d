"""shape: what a table looks like, as plain values: a run keeps it, so that its tools stay as they were.

Nothing of a database library is needed to read one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Dialect = Literal["sqlite", "postgresql"]
ColumnKind = Literal[
    "string",
    "enum",
    "uuid",
    "integer",
    "number",
    "decimal",
    "boolean",
    "time",
    "date",
    "clock",
    "json",
    "bytes",
    "other",
]

SPOKEN: dict[str, str] = {
    "string": "a text",
    "enum": "a text",
    "uuid": "a UUID",
    "integer": "an integer",
    "number": "a number",
    "decimal": "a number",
    "boolean": "a boolean",
    "time": "a time",
    "date": "a date",
    "clock": "a time of day",
    "json": "JSON",
    "bytes": "bytes",
    "other": "of another type",
}


class ColumnShape(NamedTuple):
    """One column. `sql` is its type as the database spells it; `bits` the size of an integer.

    `is_given` tells that the database itself gives new rows a value, `is_odd` that the column compares texts by rules
    of its own.
    """

    name: str
    kind: ColumnKind
    sql: str
    is_nullable: bool = True
    is_given: bool = False
    bits: int = 64
    members: tuple[str, ...] = ()
    is_odd: bool = False


class Shape(NamedTuple):
    """A table: `schema` is None for the database's own default, `key` the column that names a row."""

    dialect: Dialect
    table: str
    schema: str | None
    key: str
    columns: tuple[ColumnShape, ...]
    is_key_unique: bool = True

    @property
    def by_name(self) -> dict[str, ColumnShape]:
        return {column.name: column for column in self.columns}

    def as_json(self) -> dict[str, Any]:
        columns = [{**column._asdict(), "members": list(column.members)} for column in self.columns]
        return {**self._asdict(), "columns": columns}


def shape_from(stored: Mapping[str, Any]) -> Shape:
    """The shape that `as_json` gave."""
    columns = tuple(
        ColumnShape(**{**column, "members": tuple(column.get("members") or ())}) for column in stored["columns"]
    )
    return Shape(**{**stored, "columns": columns})
