"""reading: `get` and `search`: rows that the caller may see, in an order that pages can follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Select, and_, or_, select

from agentspec.adapters.tables.cells import show_cell, take
from agentspec.adapters.tables.cursor import fingerprint, read_cursor, write_cursor
from agentspec.adapters.tables.database import Database
from agentspec.adapters.tables.granted import Granted
from agentspec.adapters.tables.shape import ColumnShape
from agentspec.adapters.tables.tool import TableTool, as_json, key_of, missing, row_of, shown
from agentspec.ports import Invocation, Output

# A column that rows can be put in order by. `REAL` of PostgreSQL is not among them: its values change on their way.
ORDERED = ("string", "uuid", "integer", "number", "decimal", "boolean", "time", "date", "clock")
PAGING = ("order", "limit", "cursor")


class GetTool(TableTool):
    """One row by its key."""

    def work(self, connection: Connection, invocation: Invocation) -> Output:
        granted = self.granted
        key = key_of(granted, invocation)
        found = find(granted, connection, key, granted.read)
        if found is None:
            raise missing(granted, key)
        return shown(found)


def find(granted: Granted, connection: Connection, key: Any, columns: Sequence[ColumnShape]) -> dict[str, Any] | None:
    """These columns of the row of a key, or None where the caller can't see one."""
    row = connection.execute(visible(granted, key, columns)).first()
    return None if row is None else row_of(columns, row, granted.shape.dialect)


def visible(granted: Granted, key: Any, columns: Sequence[ColumnShape]) -> Select[Any]:
    """The query for one visible row."""
    chosen = [granted.table.c[column.name] for column in columns]
    return select(*chosen).where(granted.key == granted.bound(granted.shape.key, key), granted.where)


class SearchTool(TableTool):
    """Rows by equal values, a page at a time. `most` is how many bytes one answer may have."""

    def __init__(self, granted: Granted, database: Database, most: int) -> None:
        super().__init__(granted, database)
        self.most = most

    def work(self, connection: Connection, invocation: Invocation) -> Output:
        granted, given = self.granted, invocation.arguments
        order = given.get("order") or granted.shape.key
        filters = {name: value for name, value in given.items() if name not in PAGING}
        limit = min(int(given.get("limit") or granted.page), granted.page)
        search = fingerprint(granted.name, order, filters)
        query = self._query(order, filters)
        if given.get("cursor"):
            query = query.where(self._behind(order, read_cursor(given["cursor"], search, len(self._sorting(order)))))
        rows = connection.execute(query.limit(limit + 1)).fetchall()
        return self._page(rows, limit, order, search)

    def _query(self, order: str, filters: dict[str, Any]) -> Select[Any]:
        granted = self.granted
        table, shapes = granted.table, granted.shape.by_name
        columns = [table.c[column.name] for column in granted.read]
        sorting = self._sorting(order)
        query = select(*columns, *(table.c[column.name] for column in sorting)).where(granted.where)
        for name, value in filters.items():
            query = query.where(table.c[name] == granted.bound(name, take(shapes[name], value, granted.shape.dialect)))
        first = table.c[sorting[0].name]
        is_down = order.startswith("-")
        steps: list[Any] = [first.is_(None)] if sorting[0].is_nullable else []
        steps.append(first.desc() if is_down else first.asc())
        return query.order_by(*steps, *(table.c[column.name].asc() for column in sorting[1:]))

    def _sorting(self, order: str) -> list[ColumnShape]:
        """The columns that decide the order: the one asked for, and the key where it isn't that one."""
        granted = self.granted
        first = granted.shape.by_name[order.removeprefix("-")]
        return [first] if first.name == granted.shape.key else [first, granted.key_shape]

    def _behind(self, order: str, place: Sequence[Any]) -> Any:
        """The rows behind a place; those without a value come last."""
        dialect, table = self.granted.shape.dialect, self.granted.table
        sorting = self._sorting(order)
        taken = [take(column, value, dialect) for column, value in zip(sorting, place, strict=True)]
        bound = [self.granted.bound(column.name, value) for column, value in zip(sorting, taken, strict=True)]
        first, value = table.c[sorting[0].name], bound[0]
        after_key = [table.c[column.name] > key for column, key in zip(sorting[1:], bound[1:], strict=True)]
        if taken[0] is None:
            return and_(first.is_(None), *after_key)
        further = first < value if order.startswith("-") else first > value
        ways = [further, *(and_(first == value, after) for after in after_key)]
        return or_(*ways, first.is_(None)) if sorting[0].is_nullable else or_(*ways)

    def _page(self, rows: Sequence[Any], limit: int, order: str, search: str) -> Output:
        """As many rows as fit; what does not fit begins the next page."""
        wide = len(self.granted.read)
        shown_rows: list[dict[str, Any]] = []
        lines: list[str] = []
        size, place = 0, None
        for row in rows[:limit]:
            found = row_of(self.granted.read, row[:wide], self.granted.shape.dialect)
            line = as_json(found)
            size += len(line.encode()) + 1
            if lines and size > self.most:
                break
            shown_rows.append(found)
            lines.append(line)
            place = [
                show_cell(column, value, self.granted.shape.dialect)
                for column, value in zip(self._sorting(order), row[wide:], strict=True)
            ]
        is_more = len(rows) > len(lines)
        cursor = write_cursor(search, place) if is_more and place is not None else None
        data = {"rows": shown_rows, "cursor": cursor}
        return Output(text="\n".join([*lines, *_last_line(lines, cursor)]), data=data)


def _last_line(lines: Sequence[str], cursor: str | None) -> Iterable[str]:
    if cursor is not None:
        yield f"more rows: call again with the same arguments and `cursor` {as_json(cursor)}"
    elif not lines:
        yield "no rows"
