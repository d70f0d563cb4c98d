"""tool: what every tool of a table shares: work in a thread of its own, and an answer for whatever happens."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from agentspec.adapters.tables.cells import Misfit, show, show_cell, take
from agentspec.adapters.tables.database import Database, Stopped
from agentspec.adapters.tables.granted import Granted
from agentspec.adapters.tables.shape import ColumnShape, Dialect
from agentspec.adapters.tables.troubles import output_of, refused, stopped
from agentspec.adapters.tools.threads import in_thread
from agentspec.errors import ExpressionError
from agentspec.ports import Invocation, Output


class Refused(Exception):
    """A call that may not be carried out; nothing of it stays."""

    def __init__(self, message: str, category: str = "refused") -> None:
        super().__init__(message)
        self.category = category


class TableTool:
    """A verb of a table. `work` runs in a thread, in a transaction of the database."""

    is_write = False

    def __init__(self, granted: Granted, database: Database) -> None:
        self.granted = granted
        self.database = database

    async def call(self, invocation: Invocation) -> Output:
        return await in_thread(lambda stop: self._call(invocation, stop), f"agentspec-{invocation.name}")

    async def close(self) -> None: ...

    def work(self, connection: Any, invocation: Invocation) -> Output:
        raise NotImplementedError

    def _call(self, invocation: Invocation, stop: threading.Event) -> Output:
        do = self.database.write if self.is_write else self.database.read
        try:
            return do(lambda connection: self.work(connection, invocation), stop)
        except Refused as problem:
            return refused(str(problem), problem.category)
        except (Misfit, ExpressionError) as problem:
            return refused(str(problem))
        except Stopped:
            return stopped(self.database.seconds)
        except DBAPIError as error:
            return output_of(error, self.database.seconds)
        except (SQLAlchemyError, OSError) as error:
            return refused(f"the database failed: {type(error).__name__}", "database")


def key_of(granted: Granted, invocation: Invocation) -> Any:
    """The key that a call names."""
    key = take(granted.key_shape, invocation.arguments["id"], granted.shape.dialect)
    if key is None:
        raise Misfit("`id` can't be null")
    return key


def missing(granted: Granted, key: Any) -> Refused:
    """No row by this key, or none that the caller may see: which of the two is not told."""
    return Refused(f"`{granted.name}` has no row with `{granted.shape.key}` {as_json(show(key))}", "not_found")


def row_of(columns: Sequence[ColumnShape], found: Sequence[Any], dialect: Dialect) -> dict[str, Any]:
    """A row of these columns, in their order, as JSON carries it."""
    return {column.name: show_cell(column, value, dialect) for column, value in zip(columns, found, strict=True)}


def as_json(value: Any) -> str:
    """JSON on one line, with the letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def shown(row: dict[str, Any]) -> Output:
    """One row as an answer."""
    return Output(text=as_json(row), data=row)
