"""json_path: the parts of a JSON value that a JSONPath query names (RFC 9535), in bounded time.

Names, wildcards, indices, slices, `..`, filters and the five functions of the standard; patterns of `match` and
`search` are RE2. A query that would look at too many values is refused.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, assert_never

from agentspec.adapters.tools.pure.json_path_parse import parse_query
from agentspec.adapters.tools.pure.json_path_parts import (
    Call,
    Compare,
    Filter,
    Index,
    Junction,
    Literal,
    Name,
    Negation,
    Operand,
    Query,
    Selector,
    Slice,
    Test,
    Wildcard,
)
from agentspec.adapters.tools.pure.patterns import compile_pattern
from agentspec.adapters.tools.pure.pure import Unfit
from agentspec.core.calls.cap import encodable

MOST_VALUES = 200_000  # that one query may look at
_ORDERED: dict[str, Callable[[Any, Any], bool]] = {"<": operator.lt, ">": operator.gt}


class _Nothing:
    """What a query or function gives where there is no value; equal to itself alone (RFC 9535, 2.4.1)."""


NOTHING = _Nothing()
Value: TypeAlias = Any


def query_json(document: Value, query: str) -> list[Value]:
    """The values that a query finds, in the order of the document. Raises `Unfit`.

    >>> query_json({"a": [{"n": 1}, {"n": 2}]}, "$.a[?@.n > 1].n")
    [2]
    """
    return list(_Search(document).nodes(parse_query(query), document))


class _Search:
    """One query over one document, with what it may still look at."""

    def __init__(self, document: Value) -> None:
        self._document = document
        self._left = MOST_VALUES
        self._patterns: dict[str, Any] = {}

    def nodes(self, query: Query, current: Value) -> Sequence[Value]:
        found: list[Value] = [self._document if query.from_root else current]
        for segment in query.segments:
            bases = [inner for value in found for inner in self._below(value)] if segment.is_deep else found
            found = [one for value in bases for select in segment.selectors for one in self._select(select, value)]
        return found

    def _below(self, value: Value) -> Iterator[Value]:
        """A value and everything within it, itself first."""
        waiting = [value]
        while waiting:
            here = waiting.pop()
            yield self._looked_at(here)
            waiting.extend(reversed(children(here)))

    def _looked_at(self, value: Value) -> Value:
        self._left -= 1
        if self._left < 0:
            raise Unfit(f"the query looks at more than {MOST_VALUES} values; ask for less")
        return value

    def _select(self, select: Selector, value: Value) -> Iterator[Value]:
        match select, value:
            case Name(name), Mapping() if name in value:
                yield self._looked_at(value[name])
            case Index(index), list() if -len(value) <= index < len(value):
                yield self._looked_at(value[index])
            case Slice(start, end, step), list() if step:
                yield from map(self._looked_at, value[start:end:step])
            case Wildcard(), _:
                yield from map(self._looked_at, children(value))
            case Filter(test), _:
                yield from (child for child in children(value) if self._holds(test, self._looked_at(child)))

    # --- filters

    def _holds(self, test: Test, current: Value) -> bool:
        match test:
            case Junction(is_all, parts):
                return (all if is_all else any)(self._holds(part, current) for part in parts)
            case Negation(inner):
                return not self._holds(inner, current)
            case Compare(sign, left, right):
                return self._compare(sign, self._value(left, current), self._value(right, current))
            case Query():
                return bool(self.nodes(test, current))
            case Call():
                return bool(self._call(test, current))
            case _:
                assert_never(test)

    def _value(self, operand: Operand, current: Value) -> Value:
        match operand:
            case Literal(value):
                return value
            case Query():
                found = self.nodes(operand, current)
                return found[0] if len(found) == 1 else NOTHING
            case Call():
                return self._call(operand, current)
            case _:
                assert_never(operand)

    def _compare(self, sign: str, left: Value, right: Value) -> bool:
        match sign:
            case "==":
                return self._same(left, right)
            case "!=":
                return not self._same(left, right)
            case "<=" | ">=":
                return _ordered(sign[0], left, right) or self._same(left, right)
            case _:
                return _ordered(sign, left, right)

    def _same(self, left: Value, right: Value) -> bool:
        """Equal as JSON has it: `1` is `1.0` and never `true`."""
        self._looked_at(left)
        match left, right:
            case dict(), dict():
                return left.keys() == right.keys() and all(self._same(left[key], right[key]) for key in left)
            case list(), list():
                return len(left) == len(right) and all(map(self._same, left, right))
            case _:
                return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)

    def _call(self, call: Call, current: Value) -> Value:
        if call.name == "count":
            return len(self._argument_nodes(call, current))
        values = [self._value(argument, current) for argument in call.arguments]
        match call.name, values:
            case "value", _:
                return values[0]
            case "length", [str() | list() | Mapping() as sized]:
                return len(sized)
            case "match" | "search", [str() as text, str() as pattern]:
                return self._matches(text, pattern, is_whole=call.name == "match")
        return False if call.name in ("match", "search") else NOTHING

    def _argument_nodes(self, call: Call, current: Value) -> Sequence[Value]:
        argument = call.arguments[0]
        return self.nodes(argument, current) if isinstance(argument, Query) else ()

    def _matches(self, text: str, pattern: str, *, is_whole: bool) -> bool:
        if pattern not in self._patterns:
            self._patterns[pattern] = compile_pattern(encodable(pattern))
        compiled, text = self._patterns[pattern], encodable(text)
        return (compiled.fullmatch(text) if is_whole else compiled.search(text)) is not None


def children(value: Value) -> list[Value]:
    """What stands directly in a value, in its order."""
    match value:
        case Mapping():
            return list(value.values())
        case list():
            return value
        case _:
            return []


def _ordered(sign: str, left: Value, right: Value) -> bool:
    """Only two numbers or two texts have an order."""
    if isinstance(left, str) and isinstance(right, str):
        return _ORDERED[sign](left, right)
    return _is_number(left) and _is_number(right) and _ORDERED[sign](left, right)


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
