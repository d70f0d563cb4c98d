"""reflect: read from a database what a table looks like. Reads only; what is not there is told with what is near."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, inspect, types
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine.reflection import Inspector
from sqlalchemy.exc import CompileError, NoSuchTableError, SQLAlchemyError

from agentspec.adapters.tables.database import Database, Stopped
from agentspec.adapters.tables.shape import ColumnKind, ColumnShape, Shape
from agentspec.errors import SpecInvalid, Unavailable
from agentspec.text.suggest import nearest

# The first that fits, from the particular to the general.
_KINDS: tuple[tuple[type[types.TypeEngine[Any]], ColumnKind], ...] = (
    (types.Boolean, "boolean"),
    (types.Enum, "enum"),
    (types.Integer, "integer"),
    (types.Float, "number"),
    (types.Numeric, "decimal"),
    (types.Uuid, "uuid"),
    (types.DateTime, "time"),
    (types.Date, "date"),
    (types.Time, "clock"),
    (types.JSON, "json"),
    (types.String, "string"),
    (types.LargeBinary, "bytes"),
)
_BITS: tuple[tuple[type[types.TypeEngine[Any]], int], ...] = ((types.SmallInteger, 16), (types.BigInteger, 64))
# SQLite keeps times as whatever text they were written with.
_IN_SQLITE: dict[ColumnKind, ColumnKind] = {"time": "string", "date": "string", "clock": "string", "uuid": "string"}


def read_shape(database: Database, table: str, key: str | None) -> Shape:
    """The table as it is now. Raises `SpecInvalid` where it or its key is not there, `Unavailable` without a database.

    `table` may have a schema before a dot.
    """
    try:
        return database.read(lambda connection: _shape(connection, database, table, key))
    except NoSuchTableError:
        raise SpecInvalid(f"there is no table `{table}`") from None
    except Stopped:
        raise Unavailable(f"the database can't be read: no answer after {database.seconds:g} s") from None
    except (SQLAlchemyError, OSError) as error:
        origin = getattr(error, "orig", None) or error
        lines = str(origin).strip().splitlines()
        raise Unavailable(f"the database can't be read: {lines[0] if lines else type(origin).__name__}") from None


def _shape(connection: Connection, database: Database, name: str, key: str | None) -> Shape:
    inspector = inspect(connection)
    schema, table = _found(inspector, name)
    columns = tuple(_column(connection, each, database) for each in inspector.get_columns(table, schema))
    primary = list(inspector.get_pk_constraint(table, schema)["constrained_columns"])
    if key is None and len(primary) != 1:
        why = "has no primary key" if not primary else "has a primary key of several columns"
        raise SpecInvalid(f"`{name}` {why}; name the column that names a row with `key`")
    chosen = key or primary[0]
    require_columns((chosen,), columns, "key")
    unique = [primary, *(list(each["column_names"]) for each in inspector.get_unique_constraints(table, schema))]
    indexes = inspector.get_indexes(table, schema)
    unique += [
        [str(column) for column in each["column_names"]]
        for each in indexes
        if each["unique"] and not (each.get("dialect_options") or {}).get(f"{database.dialect}_where")
    ]
    if database.dialect == "sqlite" and primary == [chosen]:
        columns = tuple(
            each._replace(is_given=True) if each.name == chosen and each.kind == "integer" else each for each in columns
        )
    # Of a view nobody can tell: its author is believed, and a change that hits more than one row is taken back.
    is_unique = [chosen] in unique or table in inspector.get_view_names(schema)
    return Shape(database.dialect, table, schema, chosen, columns, is_unique)


def _found(inspector: Inspector, name: str) -> tuple[str | None, str]:
    if inspector.has_table(name):
        return None, name
    schema, _, table = name.rpartition(".")
    if schema and inspector.has_table(table, schema):
        return schema, table
    known = [*inspector.get_table_names(), *inspector.get_view_names()]
    near = nearest(name, known)
    way = (
        f"did you mean `{near[0]}`?" if near else "tables: " + (", ".join(f"`{each}`" for each in known[:20]) or "none")
    )
    raise SpecInvalid(f"there is no table `{name}`; {way}")


def _column(connection: Connection, found: Any, database: Database) -> ColumnShape:
    form = found["type"]
    kind: ColumnKind = next((kind for known, kind in _KINDS if isinstance(form, known)), "other")
    if isinstance(form, postgresql.ARRAY):
        kind = "other"
    if database.dialect == "sqlite":
        kind = _IN_SQLITE.get(kind, kind)
    try:
        spelled = str(form.compile(connection.dialect))
    except CompileError:
        spelled = "text"
    bits = next((bits for known, bits in _BITS if isinstance(form, known)), 32)
    is_given = found.get("default") is not None or bool(found.get("identity")) or bool(found.get("computed"))
    return ColumnShape(
        name=str(found["name"]),
        kind=kind,
        sql=spelled.partition(" COLLATE ")[0],
        is_nullable=bool(found["nullable"]),
        is_given=is_given or found.get("autoincrement") is True,
        bits=64 if database.dialect == "sqlite" else bits,
        members=tuple(getattr(form, "enums", ())),
        is_odd=" COLLATE " in spelled or spelled.upper() == "CITEXT",
    )


def require_columns(names: Any, columns: tuple[ColumnShape, ...], place: str) -> None:
    """Raise `SpecInvalid` for a name that no column has."""
    known = [column.name for column in columns]
    for name in names:
        if name not in known:
            near = nearest(name, known)
            way = f"did you mean `{near[0]}`?" if near else "it has " + ", ".join(f"`{each}`" for each in known[:30])
            raise SpecInvalid(f"`{place}`: the table has no column `{name}`; {way}")
