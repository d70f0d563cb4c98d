"""writing: `create`, `update` and `delete`: a change, its check against the caller's rows and its audit row are one.

A row that the caller can't see is neither changed nor removed, and no change may move a row out of the caller's sight.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, insert, update

from agentspec.adapters.tables.audit import answered, record
from agentspec.adapters.tables.cells import Misfit, show_cell, take
from agentspec.adapters.tables.reading import find, visible
from agentspec.adapters.tables.shape import ColumnShape
from agentspec.adapters.tables.tool import Refused, TableTool, key_of, missing, row_of, shown
from agentspec.expressions.template import Filling
from agentspec.ports import Invocation, Output


class Change(NamedTuple):
    """What became of a row: its key as JSON has it, and what it was before and after, in the columns of the grants."""

    key: Any
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class WritingTool(TableTool):
    """A change of one row. With an audit table a call that is made again is answered as it was the first time."""

    is_write = True
    verb = ""

    def work(self, connection: Connection, invocation: Invocation) -> Output:
        granted = self.granted
        earlier = answered(granted, connection, invocation)
        if earlier is not None:
            return shown(earlier)
        change = self.change(connection, invocation)
        answer = {"deleted": change.key}
        if change.after is not None:
            answer = {column.name: change.after[column.name] for column in granted.read}
        record(granted, connection, invocation, {"verb": self.verb, **change._asdict()}, answer)
        return shown(answer)

    def change(self, connection: Connection, invocation: Invocation) -> Change:
        """Make the change. Raises `Refused` where it may not be."""
        raise NotImplementedError

    def _before(self, connection: Connection, key: Any) -> dict[str, Any]:
        """The row as it is, held until the transaction ends."""
        columns = self.granted.touched
        found = connection.execute(visible(self.granted, key, columns).with_for_update()).first()
        if found is None:
            raise missing(self.granted, key)
        return row_of(columns, found, self.granted.shape.dialect)

    def _taken(self, given: Mapping[str, Any], *, without: str | None = None) -> dict[str, Any]:
        """The values of the columns that may be written; no other argument gets through."""
        return {
            column.name: self._bound(column, given[column.name])
            for column in self.granted.write
            if column.name in given and column.name != without
        }

    def _bound(self, column: ColumnShape, value: Any) -> Any:
        return self.granted.bound(column.name, take(column, value, self.granted.shape.dialect))

    def _shown_key(self, key: Any) -> Any:
        return show_cell(self.granted.key_shape, key, self.granted.shape.dialect)


class CreateTool(WritingTool):
    """A new row, which has to be one that the caller sees."""

    verb = "create"

    def change(self, connection: Connection, invocation: Invocation) -> Change:
        granted = self.granted
        values = {**self._defaults(invocation), **self._taken(invocation.arguments)}
        statement = insert(granted.table).values(values).returning(granted.key)
        key = connection.execute(statement).scalar_one()
        after = find(granted, connection, key, granted.touched)
        if after is None:
            raise Refused(
                f"the new row would not be among those of `{granted.name}` that you may see; nothing was changed"
            )
        return Change(self._shown_key(key), None, after)

    def _defaults(self, invocation: Invocation) -> dict[str, Any]:
        names = {
            "args": invocation.arguments,
            "identity": self.granted.identity,
            "inputs": invocation.inputs,
            "run": invocation.run,
        }
        columns = self.granted.shape.by_name
        return {
            name: self._bound(columns[name], _read_as(columns[name], value, names))
            for name, value in self.granted.defaults.items()
        }


class UpdateTool(WritingTool):
    """Other values in a row that the caller sees, and sees afterwards."""

    verb = "update"

    def change(self, connection: Connection, invocation: Invocation) -> Change:
        granted = self.granted
        key = key_of(granted, invocation)
        values = self._taken(invocation.arguments, without=granted.shape.key)
        if not values:
            raise Misfit("nothing to change: give at least one column beside `id`")
        before = self._before(connection, key)
        bound = granted.bound(granted.shape.key, key)
        done = connection.execute(update(granted.table).where(granted.key == bound, granted.where).values(values))
        after = find(granted, connection, key, granted.touched)
        if done.rowcount != 1 or after is None:
            raise Refused(f"the row would leave those of `{granted.name}` that you may see; nothing was changed")
        return Change(self._shown_key(key), before, after)


class DeleteTool(WritingTool):
    """A row less, of those that the caller sees."""

    verb = "delete"

    def change(self, connection: Connection, invocation: Invocation) -> Change:
        granted = self.granted
        key = key_of(granted, invocation)
        before = self._before(connection, key)
        bound = granted.bound(granted.shape.key, key)
        done = connection.execute(delete(granted.table).where(granted.key == bound, granted.where))
        if done.rowcount != 1:
            raise Refused(f"the row can't be removed from `{granted.name}`; nothing was changed")
        return Change(self._shown_key(key), before, None)


def _read_as(column: ColumnShape, value: Filling | int | float | bool, names: Mapping[str, object]) -> Any:
    """The value of a default; a text that stands for a number or a boolean is read as one."""
    if not isinstance(value, Filling):
        return value
    said = value.render(names)
    if column.kind == "boolean" and said in ("true", "false"):
        return said == "true"
    if column.kind in ("integer", "number"):
        try:
            return int(said) if column.kind == "integer" and len(said) < 30 else float(said)
        except ValueError:
            return said  # `take` tells that it is no number
    return said
