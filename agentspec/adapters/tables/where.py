"""where: a condition on rows as a clause of SQL, for one identity. Values are always bound, never written into SQL.

SQL's unknown is what CEL's missing value is: a row for which nobody knows is not visible. An identity that nobody
named is unknown too beside a column: it is equal to nothing, and unlike nothing either.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, cast, collate, false, func, literal, not_, null, or_, true
from sqlalchemy.types import BigInteger, Boolean, Float, Integer, Text

from agentspec.adapters.tables.cells import Misfit, text
from agentspec.adapters.tables.shape import SPOKEN, Shape
from agentspec.errors import SpecInvalid
from agentspec.expressions.rows import (
    Affix,
    Both,
    Column,
    Compare,
    Condition,
    Constant,
    Either,
    Not,
    Operand,
    Person,
    Present,
    Truth,
    Within,
)

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
AFFIXES: dict[str, Callable[[str, str], bool]] = {
    "startsWith": str.startswith,
    "endsWith": str.endswith,
    "contains": operator.contains,
}
SORTS = {
    **dict.fromkeys(("string", "enum", "uuid"), "a text"),
    **dict.fromkeys(("integer", "number", "decimal"), "a number"),
    "boolean": "a boolean",
}
UNKNOWN: ColumnElement[bool] = cast(null(), Boolean)


def clause_of(condition: Condition, shape: Shape, table: Table, identity: Mapping[str, Any]) -> ColumnElement[bool]:
    """The clause; the columns must exist. Raises `SpecInvalid` where a column is compared with what it can't hold."""
    return _Writer(shape, table, identity).clause(condition)


class _Writer:
    """Writes clauses for one table and one identity."""

    def __init__(self, shape: Shape, table: Table, identity: Mapping[str, Any]) -> None:
        self._shape = shape
        self._table = table
        self._identity = identity

    def clause(self, condition: Condition) -> ColumnElement[bool]:
        match condition:
            case Both(parts):
                return and_(true(), *map(self.clause, parts))
            case Either(parts):
                return or_(false(), *map(self.clause, parts))
            case Not(part):
                return not_(self.clause(part))
            case Present(column):
                return self._table.c[column.name].is_not(None)
            case Truth(operand):
                return self._compare("==", operand, Constant(value=True))
            case Compare(op, left, right):
                return self._compare(op, left, right)
            case Within(operand, items):
                return self._within(operand, items)
            case Affix(op, operand, fix):
                return self._affix(op, operand, fix)

    def _compare(self, op: str, left: Operand, right: Operand) -> ColumnElement[bool]:
        self._require_alike(left, right)
        if not isinstance(left, Column) and not isinstance(right, Column):
            return _known(OPERATORS[op], self._value(left), self._value(right))
        is_ordered = op not in ("==", "!=")
        one, other = self._element(left, is_ordered=is_ordered), self._element(right, is_ordered=is_ordered)
        if one is None or other is None:
            return UNKNOWN
        clause: ColumnElement[bool] = OPERATORS[op](one, other)
        return clause

    def _within(self, operand: Operand, items: tuple[Constant, ...] | Person) -> ColumnElement[bool]:
        if isinstance(items, Person):
            self._require(operand, "a text")
            values: list[Any] = [self._text("identity.roles", role) for role in self._identity.get("roles") or ()]
        else:
            for item in items:
                self._require_alike(operand, item)
            values = [item.value for item in items]
        if not isinstance(operand, Column):
            return _known(lambda value, among: value in among, self._value(operand), values)
        column = self._element(operand)
        assert column is not None
        if not values:
            return and_(column.is_(None), UNKNOWN)
        return or_(false(), *(column == _bound(value) for value in values))

    def _affix(self, op: str, operand: Operand, fix: Operand) -> ColumnElement[bool]:
        self._require(operand, "a text")
        self._require(fix, "a text")
        if not isinstance(operand, Column):
            return _known(AFFIXES[op], self._value(operand), self._value(fix))
        column = self._element(operand)
        words = self._value(fix) or None if isinstance(fix, Person) else self._value(fix)
        if words is None:
            return UNKNOWN
        size = len(words)
        match op:
            case "startsWith":
                return func.substr(column, 1, size) == _bound(words)
            case "endsWith":
                return func.substr(column, func.length(column) - size + 1) == _bound(words)
            case _:
                find = func.instr if self._shape.dialect == "sqlite" else func.strpos
                return find(column, _bound(words), type_=Integer) > 0

    def _element(self, operand: Operand, *, is_ordered: bool = False) -> ColumnElement[Any] | None:
        """The operand in SQL, or None where nobody knows its value."""
        if isinstance(operand, Column):
            return self._column(operand.name, is_ordered=is_ordered)
        value = self._value(operand)
        return None if value is None or (isinstance(operand, Person) and value == "") else _bound(value)

    def _column(self, name: str, *, is_ordered: bool) -> ColumnElement[Any]:
        """A column that compares texts as CEL does: letter by letter, whatever its own rules are."""
        known, column = self._shape.by_name[name], self._table.c[name]
        if SORTS.get(known.kind) != "a text":
            return column
        if self._shape.dialect == "sqlite":
            return collate(column, "BINARY")
        element = cast(column, Text) if known.kind != "string" or known.is_odd else column
        return collate(element, "C") if is_ordered or known.is_odd else element

    def _value(self, operand: Operand) -> Any:
        """The value of a literal or of the identity; None where it is none."""
        if isinstance(operand, Constant):
            return operand.value
        assert isinstance(operand, Person)
        value = self._text(f"identity.{operand.name}", self._identity.get(operand.name) or "")
        if not operand.is_whole:
            return value
        digits = value.removeprefix("-")
        whole = int(value) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None
        return whole if whole is not None and -(2**63) <= whole < 2**63 else None

    def _text(self, name: str, value: Any) -> str:
        try:
            return text(name, value)
        except Misfit as error:
            raise SpecInvalid(str(error)) from None

    def _require_alike(self, left: Operand, right: Operand) -> None:
        one, other = self._sort(left), self._sort(right)
        if one != other:
            raise SpecInvalid(f"{_spelled(left)} is {one}, and {_spelled(right)} is {other}: they are never equal")

    def _require(self, operand: Operand, sort: str) -> None:
        found = self._sort(operand)
        if found != sort:
            raise SpecInvalid(f"{_spelled(operand)} is {found}, and {sort} is needed")

    def _sort(self, operand: Operand) -> str:
        match operand:
            case Column(name):
                kind = self._shape.by_name[name].kind
                if kind not in SORTS:
                    raise SpecInvalid(f"`row.{name}` is {SPOKEN[kind]}, which a condition can only ask `has(…)` of")
                return SORTS[kind]
            case Person(_, is_whole):
                return "a number" if is_whole else "a text"
            case Constant(bool()):
                return "a boolean"
            case Constant(int() | float()):
                return "a number"
            case Constant():
                return "a text"


def _bound(value: Any) -> ColumnElement[Any]:
    match value:
        case bool():
            return literal(value, Boolean)
        case int():
            return literal(value, BigInteger)
        case float():
            return literal(value, Float)
        case _:
            return literal(value, Text)


def _known(decide: Callable[[Any, Any], Any], left: Any, right: Any) -> ColumnElement[bool]:
    """A condition that no row decides."""
    if left is None or right is None:
        return UNKNOWN
    return true() if decide(left, right) else false()


def _spelled(operand: Operand) -> str:
    match operand:
        case Column(name):
            return f"`row.{name}`"
        case Person(name):
            return f"`identity.{name}`"
        case Constant(value):
            return f"`{value}`"
