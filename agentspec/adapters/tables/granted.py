"""granted: what a spec grants of a table: which verbs, which columns, which rows, and for whom.

Everything that can't be right is refused here, before a run begins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Column, ColumnElement, MetaData, Table, literal, true
from sqlalchemy.types import UserDefinedType

from agentspec.adapters.tables.reflect import require_columns
from agentspec.adapters.tables.shape import SPOKEN, ColumnShape, Shape
from agentspec.adapters.tables.where import clause_of
from agentspec.errors import ExpressionError, SpecInvalid
from agentspec.expressions.places import PLACES
from agentspec.expressions.rows import columns_of, read_rows
from agentspec.expressions.template import Filling, parse_template

PARAMETER = re.compile(r"[A-Za-z0-9_-]{1,64}")
UNWRITABLE = ("bytes", "other")


class Raw(UserDefinedType[Any]):
    """A type that passes values as they are; PostgreSQL is told which type each one has."""

    cache_ok = True
    render_bind_cast = True

    def __init__(self, sql: str) -> None:
        self.sql = sql

    def get_col_spec(self, **_: Any) -> str:
        return self.sql


class Granted(NamedTuple):
    """A table with its grants. Without a condition `where` is true.

    `read` and `write` are columns in the order of the grant; `defaults` fill columns of new rows.
    """

    name: str
    shape: Shape
    table: Table
    where: ColumnElement[bool]
    read: tuple[ColumnShape, ...]
    write: tuple[ColumnShape, ...]
    defaults: Mapping[str, Filling | int | float | bool]
    identity: Mapping[str, Any]
    page: int = 50
    audit: str | None = None

    @property
    def key(self) -> Column[Any]:
        return self.table.c[self.shape.key]

    def bound(self, column: str, value: Any) -> ColumnElement[Any]:
        """A value for a column, bound with its type: never `IS NULL`, never part of a statement's text."""
        return literal(value, self.table.c[column].type)

    @property
    def touched(self) -> tuple[ColumnShape, ...]:
        """The columns of any grant."""
        names = {column.name: column for column in (*self.read, *self.write)}
        return (*(names | {name: self.shape.by_name[name] for name in self.defaults}).values(),)

    @property
    def key_shape(self) -> ColumnShape:
        return self.shape.by_name[self.shape.key]


def grant(name: str, given: Mapping[str, Any], shape: Shape, identity: Mapping[str, Any]) -> Granted:
    """The grants of a resource on a table of this shape. Raises `SpecInvalid` where they don't fit it."""
    place = f"capability.resources.{name}"
    columns: Mapping[str, Any] = given.get("columns") or {}
    read = _columns(columns.get("read"), shape, f"{place}.columns.read")
    write = _columns(columns.get("write") or (), shape, f"{place}.columns.write")
    defaults = given.get("defaults") or {}
    require_columns(defaults, shape.columns, f"{place}.defaults")
    verbs = tuple(given.get("verbs") or ())
    _require_sensible(place, verbs, shape, read, write, bool(defaults))
    table = Table(
        shape.table, MetaData(), *(Column(each.name, Raw(each.sql)) for each in shape.columns), schema=shape.schema
    )
    return Granted(
        name=name,
        shape=shape,
        table=table,
        where=_where(place, given.get("where"), shape, table, identity),
        read=read,
        write=write,
        defaults={column: _default(value, f"{place}.defaults.{column}") for column, value in defaults.items()},
        identity={word: value for word, value in identity.items() if value},  # who was not named has no value
        page=int(given.get("page") or 50),
        audit=given.get("audit"),
    )


def _columns(names: Any, shape: Shape, place: str) -> tuple[ColumnShape, ...]:
    if names is None:
        return shape.columns
    require_columns(names, shape.columns, place)
    return tuple(shape.by_name[name] for name in dict.fromkeys(names))


def _require_sensible(
    place: str,
    verbs: tuple[str, ...],
    shape: Shape,
    read: tuple[ColumnShape, ...],
    write: tuple[ColumnShape, ...],
    has_defaults: bool,
) -> None:
    key = shape.key
    if key not in [column.name for column in read]:
        raise SpecInvalid(f"`{place}.columns.read` leaves out `{key}`, by which rows are named: add it")
    if not shape.is_key_unique:
        raise SpecInvalid(f"`{place}.key`: `{key}` is not unique, so it can't name one row: take a column that is")
    if "update" in verbs and not [column for column in write if column.name != key]:
        raise SpecInvalid(f"`{place}`: nothing can be updated: name columns in `columns.write`, or leave `update` out")
    if "create" in verbs and not write and not has_defaults:
        raise SpecInvalid(
            f"`{place}`: a new row would be empty: name columns in `columns.write`, or leave `create` out"
        )
    for column in write if {"create", "update"} & set(verbs) else ():
        if column.kind in UNWRITABLE:
            raise SpecInvalid(
                f"`{place}.columns.write`: `{column.name}` is {SPOKEN[column.kind]}: a call can't give it"
            )
        if not PARAMETER.fullmatch(column.name):
            raise SpecInvalid(f"`{place}.columns.write`: `{column.name}` can't be the name of a parameter")
        if column.name == "id" and key != "id" and "update" in verbs:
            raise SpecInvalid(f"`{place}.columns.write`: `id` names the row in `update`, which goes by `{key}` here")


def _where(place: str, text: Any, shape: Shape, table: Table, identity: Mapping[str, Any]) -> ColumnElement[bool]:
    if text is None:
        return true()
    try:
        condition = read_rows(str(text))
    except ExpressionError as error:
        raise SpecInvalid(f"`{place}.where`: {error}") from None
    require_columns(sorted(columns_of(condition)), shape.columns, f"{place}.where")
    try:
        return clause_of(condition, shape, table, identity)
    except SpecInvalid as error:
        raise SpecInvalid(f"`{place}.where`: {error}") from None


def _default(value: Any, place: str) -> Filling | int | float | bool:
    if not isinstance(value, str):
        fixed: int | float | bool = value
        return fixed
    try:
        return parse_template(value).compile(PLACES["tools.template"])
    except ExpressionError as error:
        raise SpecInvalid(f"`{place}`: {error}") from None
