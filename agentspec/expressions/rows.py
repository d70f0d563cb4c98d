"""rows: the part of CEL that a condition on rows may use, read into a small tree that a database can carry out.

Only what means the same in CEL and in SQL, unknown values included, is read; all else is a problem at its place. A
missing value is unknown in both: neither the condition nor its negation holds, and the row is not visible.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from agentspec.errors import ExpressionError
from agentspec.expressions.nodes import (
    Binary,
    Call,
    Group,
    Index,
    Items,
    Literal,
    Logic,
    Name,
    Node,
    Select,
    Unary,
)
from agentspec.expressions.parse import parse
from agentspec.expressions.problem import Problem, problem

AFFIXES: Final = ("startsWith", "endsWith", "contains")
COMPARING: Final = ("==", "!=", "<", "<=", ">", ">=")
WORDS: Final = (
    "a condition on rows has `==`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `&&`, `||`, `!`, `has`, `startsWith`, "
    "`endsWith`, `contains`, columns (`row.x`), `identity.user`, `identity.tenant`, `identity.roles` and literals"
)


class Column(NamedTuple):
    """`row.name`."""

    name: str


class Person(NamedTuple):
    """`identity.name`; with `is_whole` as the integer that stands in it."""

    name: str
    is_whole: bool = False


class Constant(NamedTuple):
    """A literal."""

    value: str | int | float | bool | None


Operand: TypeAlias = Column | Person | Constant


class Compare(NamedTuple):
    """`left op right`."""

    op: str
    left: Operand
    right: Operand


class Within(NamedTuple):
    """`operand in items`, where the items are literals or `identity.roles`."""

    operand: Operand
    items: tuple[Constant, ...] | Person


class Affix(NamedTuple):
    """`operand.startsWith(text)` and its like."""

    op: str
    operand: Operand
    text: Operand


class Present(NamedTuple):
    """`has(row.name)`: it holds a value."""

    column: Column


class Truth(NamedTuple):
    """A column or a literal that is a condition by itself."""

    operand: Operand


class Both(NamedTuple):
    """All of them hold."""

    parts: tuple[Condition, ...]


class Either(NamedTuple):
    """One of them holds."""

    parts: tuple[Condition, ...]


class Not(NamedTuple):
    """It does not hold, for certain."""

    part: Condition


Condition: TypeAlias = Compare | Within | Affix | Present | Truth | Both | Either | Not


def rows_problems(root: Node) -> Iterator[Problem]:
    """What of an expression no database could carry out."""
    reader = _Reader()
    reader.condition(root)
    yield from reader.problems


def read_rows(text: str) -> Condition:
    """The condition of a text that was checked. Raises `ExpressionError` where it is none for a database.

    >>> read_rows("row.owner == identity.user")
    Compare(op='==', left=Column(name='owner'), right=Person(name='user', is_whole=False))
    """
    parsed = parse(text)
    reader = _Reader()
    found = reader.condition(parsed.root) if parsed.root is not None and not parsed.problems else None
    if found is None or reader.problems:
        first = next(iter([*parsed.problems, *reader.problems]), None)
        raise ExpressionError(f"{first.message if first else 'the expression is not valid'} in `{text}`")
    return found


def columns_of(condition: Condition) -> frozenset[str]:
    """The columns that a condition reads.

    >>> sorted(columns_of(read_rows("row.a == 1 || !has(row.b)")))
    ['a', 'b']
    """
    found: set[str] = set()
    stack: list[Any] = [condition]
    while stack:
        match stack.pop():
            case Column(name):
                found.add(name)
            case tuple() as parts:
                stack.extend(parts)
    return frozenset(found)


class _Reader:
    """Reads the tree of CEL; each reader gives None where it has told a problem."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def condition(self, node: Node) -> Condition | None:
        match node:
            case Group(inner):
                return self.condition(inner)
            case Logic(op, operands):
                parts = [part for part in map(self.condition, operands) if part is not None]
                return Both(tuple(parts)) if op == "&&" else Either(tuple(parts))
            case Unary("!", operand):
                part = self.condition(operand)
                return part if part is None or node.count % 2 == 0 else Not(part)
            case Binary("in", left, right):
                return self._within(left, right)
            case Binary(op, left, right) if op in COMPARING:
                return self._compare(op, left, right)
            case Call(None, "has", [argument]):
                return self._present(argument)
            case Call(Node() as target, op, [argument]) if op in AFFIXES:
                return self._affix(op, target, argument)
            case _:
                truth = self.operand(node)
                return None if truth is None else Truth(truth)

    def operand(self, node: Node) -> Operand | None:
        match node:
            case Group(inner):
                return self.operand(inner)
            case Literal(kind, str() | int() | float() | bool() | None as value) if kind not in ("bytes", "unsigned"):
                return Constant(value)
            case Unary("-", Literal(_, int() | float() as value)) if not isinstance(value, bool) and node.count == 1:
                return Constant(-value)
            case Call(None, "int", [argument]) if isinstance(found := _field(argument), Person):
                return found._replace(is_whole=True)
            case _:
                field = _field(node)
                if field is None:
                    self._tell(node)
                return field

    def _tell(self, node: Node) -> None:
        self.problems.append(
            problem("AS326", (node.start, node.end), "no database can carry this part of the condition out", WORDS)
        )

    def _compare(self, op: str, left: Node, right: Node) -> Condition | None:
        one, other = self.operand(left), self.operand(right)
        if one is None or other is None:
            return None
        if isinstance(one, Constant) and one.value is None:
            one, other = other, one
        if isinstance(other, Constant) and other.value is None:
            if not isinstance(one, Column) or op not in ("==", "!="):
                self._tell(left)
                return None
            return Not(Present(one)) if op == "==" else Present(one)
        if any(isinstance(each, Person) and each.name == "roles" for each in (one, other)):
            self._tell(left)
            return None
        return Compare(op, one, other)

    def _within(self, left: Node, right: Node) -> Condition | None:
        operand = self.operand(left)
        while isinstance(right, Group):
            right = right.inner
        if isinstance(right, Items):
            items = [self.operand(item) for item in right.items]
            for item, node in zip(items, right.items, strict=True):
                if item is not None and not (isinstance(item, Constant) and item.value is not None):
                    self._tell(node)
            constants = tuple(item for item in items if isinstance(item, Constant))
            return None if operand is None else Within(operand, constants)
        found = _field(right)
        if isinstance(found, Person) and found.name == "roles":
            return None if operand is None else Within(operand, found)
        self._tell(right)
        return None

    def _affix(self, op: str, target: Node, argument: Node) -> Condition | None:
        operand, text = self.operand(target), self.operand(argument)
        if operand is None or text is None:
            return None
        if isinstance(text, Column):
            self._tell(argument)
            return None
        return Affix(op, operand, text)

    def _present(self, argument: Node) -> Condition | None:
        found = _field(argument)
        if isinstance(found, Column):
            return Present(found)
        self._tell(argument)
        return None


def _field(node: Node) -> Column | Person | None:
    """A column, also as `row["odd name"]`, or a field of the identity."""
    match node:
        case Select(Name("row"), field) if not node.optional:
            return Column(field)
        case Index(Name("row"), Literal("string", str() as field)):
            return Column(field)
        case Select(Name("identity"), field) if not node.optional:
            return Person(field)
        case _:
            return None
