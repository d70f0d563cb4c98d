"""actions: several statements of the author as one tool: all of them or none, with arguments bound, never written in.

The statements are the author's own: no condition of the resource filters them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, TextClause
from sqlalchemy import text as statement_of

from agentspec.adapters.tables.audit import answered, record
from agentspec.adapters.tables.cells import Misfit, show, text
from agentspec.adapters.tables.database import Database
from agentspec.adapters.tables.granted import Granted
from agentspec.adapters.tables.tool import TableTool, as_json
from agentspec.core.calls.statements import IDENTITY, foreign_word
from agentspec.core.schema.shorthand import lower_parameters
from agentspec.errors import SpecInvalid
from agentspec.ports import Invocation, Output
from agentspec.text.suggest import nearest


class Action(NamedTuple):
    """One action: its parameters as a JSON Schema, and its statements in order."""

    parameters: dict[str, Any]
    statements: tuple[TextClause, ...]


def read_action(place: str, given: Mapping[str, Any]) -> Action:
    """The action of a spec. Raises `SpecInvalid` where a statement is none that can be part of it."""
    parameters = lower_parameters(given.get("parameters"))
    known = [*(parameters.get("properties") or {}), *IDENTITY]
    taken = next((word for word in IDENTITY if word in (parameters.get("properties") or {})), None)
    if taken is not None:
        raise SpecInvalid(f"`{place}.parameters`: `{taken}` is who the run acts for: take another name")
    statements = tuple(_statement(f"{place}.sql[{at}]", each, known) for at, each in enumerate(given["sql"]))
    return Action(parameters, statements)


def _statement(place: str, written: str, known: Sequence[str]) -> TextClause:
    foreign = foreign_word(written)
    if foreign is not None:
        raise SpecInvalid(f"`{place}`: `{foreign}` can't be part of one transaction: leave it out")
    clause = statement_of(written.rstrip().removesuffix(";"))
    for name in clause._bindparams:  # noqa: SLF001 - the names that `text` has read; there is no other way to them
        if name not in known:
            near = nearest(name, known)
            way = f"did you mean `:{near[0]}`?" if near else "known: " + ", ".join(f"`:{each}`" for each in known)
            raise SpecInvalid(f"`{place}`: unknown parameter `:{name}`; {way}")
    return clause


class ActionTool(TableTool):
    """Carries an action out. The rows of its last statement are its answer, or how many rows each one has changed."""

    is_write = True

    def __init__(self, granted: Granted, database: Database, action: Action) -> None:
        super().__init__(granted, database)
        self.action = action

    def work(self, connection: Connection, invocation: Invocation) -> Output:
        earlier = answered(self.granted, connection, invocation)
        if earlier is not None:
            return _output(earlier)
        answer = self._carried_out(connection, self._values(invocation.arguments))
        change = {"verb": "action", "key": None, "before": None, "after": answer}
        record(self.granted, connection, invocation, change, answer)
        return _output(answer)

    def _carried_out(self, connection: Connection, values: Mapping[str, Any]) -> dict[str, Any]:
        changed: list[int] = []
        answer: dict[str, Any] = {}
        for statement in self.action.statements:
            used: dict[str, Any] = {name: values.get(name) for name in statement._bindparams}  # noqa: SLF001
            result = connection.execute(statement, used)
            if result.returns_rows:
                rows = result.mappings().fetchmany(self.granted.page)
                answer = {"rows": [{name: show(value) for name, value in row.items()} for row in rows]}
            else:
                changed.append(max(result.rowcount, 0))
                answer = {"changed": changed}
        return answer

    def _values(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        who = self.granted.identity
        named = {"identity_user": who.get("user"), "identity_tenant": who.get("tenant")}
        return {**{name: _bound(name, value) for name, value in arguments.items()}, **named}


def _output(answer: dict[str, Any]) -> Output:
    rows = answer.get("rows")
    said = as_json(answer) if rows is None else "\n".join(as_json(row) for row in rows) or "no rows"
    return Output(text=said, data=answer)


def _bound(name: str, value: Any) -> Any:
    """An argument as a statement takes it: lists and mappings as JSON."""
    match value:
        case str():
            return text(name, value)
        case None | bool() | float():
            return value
        case int():
            if not -(2**63) <= value < 2**63:
                raise Misfit(f"`{name}` is an integer of 64 bits, and this one is larger")
            return value
        case _:
            return text(name, as_json(value))
