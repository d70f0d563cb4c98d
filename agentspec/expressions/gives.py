"""gives: whether what an expression gives is what its place needs, while it is checked and when it has run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from agentspec.errors import ExpressionError
from agentspec.expressions.convert import kind_of
from agentspec.expressions.known import close_member, one_of
from agentspec.expressions.meaning import Meaning
from agentspec.expressions.nodes import Choice, Group, Literal, Node
from agentspec.expressions.operands import as_condition
from agentspec.expressions.places import Place
from agentspec.expressions.problem import Problem, problem, renamed
from agentspec.expressions.results import is_json, show
from agentspec.expressions.scope import Scope
from agentspec.expressions.types import Type, spell
from agentspec.expressions.words import a, base

FITTING: dict[str, frozenset[str]] = {
    "number": frozenset(("double", "int", "uint")),
    "integer": frozenset(("int", "uint")),
    "string": frozenset(("string",)),
    "boolean": frozenset(("bool",)),
    "time": frozenset(("timestamp", "string")),
    "list": frozenset(("list",)),
    "object": frozenset(("map", "record")),
    "record": frozenset(("map", "record")),
    "any": frozenset(("double", "int", "uint", "string", "bool", "timestamp", "duration", "list", "map", "record")),
}


def result_problems(given: str, meaning: Meaning, scope: Scope) -> Iterator[Problem]:
    """The problems of the type that CEL found for a whole expression (`given`, as CEL names it)."""
    given = given.lower()
    kind = base(given).split(".")[0]
    match meaning.place.gives:
        case "boolean":
            yield from _condition(given, kind, meaning)
        case "number":
            yield from _fits(given, kind, Type("number"), "this place needs", meaning)
        case "returns" if scope.returns is not None:
            yield from _fits(given, kind, scope.returns, "the tool returns", meaning)
            yield from _words(meaning.root, scope.returns, meaning)
        case "returns":
            yield from _fits(given, kind, Type("any"), "the tool returns", meaning)
        case "text":
            yield from _scalar(given, kind, meaning)


def _condition(given: str, kind: str, meaning: Meaning) -> Iterator[Problem]:
    root = meaning.root
    span = (root.start, root.end)
    if kind == "dyn":
        message = "this value is free data, and only a boolean will do when it runs"
        yield problem("AS320", span, message, f"write `{meaning.source(root)} == true`")
    elif kind != "bool":
        found = problem("AS307", span, f"this is {a(given)}, and a condition is a boolean")
        way_out = None if isinstance(root, Literal) else as_condition(root, given, meaning)
        yield found._replace(help=f"write `{way_out}`") if way_out else found


def _fits(given: str, kind: str, wanted: Type, who: str, meaning: Meaning) -> Iterator[Problem]:
    if kind == "dyn" or (kind == "null" and (wanted.optional or wanted.kind == "any")):
        return
    if kind in FITTING.get(wanted.kind, FITTING["any"]) and _items_fit(given, wanted):
        return
    message = f"this is {a(given)}, and {who} `{spell(wanted)}`"
    found = problem("AS308", (meaning.root.start, meaning.root.end), message)
    source = meaning.source(meaning.root)
    conversion, kinds = CONVERSIONS.get(wanted.kind, ("", ()))
    way_out = f"{conversion}({source})" if kind in kinds else None
    if kind == "bytes":
        way_out = f"base64.encode({source})"
    if kind == "optional_type":
        way_out = f"{source}.orValue(other)"
    yield found._replace(help=f"write `{way_out}`") if way_out else found


def _items_fit(given: str, wanted: Type) -> bool:
    """Whether the items of a list fit, as far as their type is known."""
    if wanted.kind != "list" or wanted.item is None or "<" not in given:
        return True
    item = base(given.partition("<")[2].removesuffix(">")).split(".")[0]
    return item == "dyn" or item in FITTING.get(wanted.item.kind, FITTING["any"])


def _words(root: Node, wanted: Type, meaning: Meaning) -> Iterator[Problem]:
    """Words of the result that an enum in `returns` does not have."""
    match root:
        case Group():
            yield from _words(root.inner, wanted, meaning)
        case Choice():
            yield from _words(root.yes, wanted, meaning)
            yield from _words(root.no, wanted, meaning)
        case Literal(kind="string", value=word) if wanted.members and word not in wanted.members:
            found = problem("AS309", (root.start, root.end), f"the tool never returns {meaning.source(root)}")
            near = close_member(str(word), wanted.members)
            yield (
                renamed(found, f'"{near[0]}"') if near else found._replace(help=f"it returns {one_of(wanted.members)}")
            )


def _scalar(given: str, kind: str, meaning: Meaning) -> Iterator[Problem]:
    if kind in ("string", "double", "int", "uint", "bool", "timestamp", "duration", "dyn", "null"):
        return
    source = meaning.source(meaning.root)
    found = problem("AS331", (meaning.root.start, meaning.root.end), f"this is {a(given)}, which is no text")
    way_out = f"{source}.join(', ')" if kind == "list" else f"json.encode({source})"
    yield found._replace(help=f"write `{way_out}`")


# What a type can be converted from, and by what.
CONVERSIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "string": ("string", ("double", "int", "uint", "bool", "timestamp", "duration")),
    "integer": ("int", ("double", "string", "timestamp")),
    "number": ("double", ("string",)),
}

Give = Callable[[Any], Any]


def giver(place: Place, scope: Scope) -> Give:
    """What turns the value of an expression into what its place needs, or raises `ExpressionError`."""
    match place.gives:
        case "boolean":
            return _boolean
        case "number":
            return lambda value: float(_number(value))
        case "returns":
            wanted = scope.returns
            return _any if wanted is None else lambda value: returned(value, wanted)
        case "text":
            return _text


def _boolean(value: Any) -> bool:
    if value is True or value is False:
        return bool(value)
    raise ExpressionError(f"a condition gave {kind_of(value)}, not a boolean")


def _number(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ExpressionError(f"a number is expected, not {kind_of(value)}")
    if not math.isfinite(value):
        raise ExpressionError("the result is not a finite number")
    return value


def _text(value: Any) -> str:
    if isinstance(value, dict | list | bytes):
        raise ExpressionError(f"only a scalar can stand in a text, not {kind_of(value)}")
    return show(value)


def _any(value: Any) -> Any:
    """A result as JSON carries it: times and spans as text."""
    match value:
        case datetime() | timedelta():
            return show(value)
        case dict():
            return {key if isinstance(key, str) else show(key): _any(item) for key, item in value.items()}
        case list():
            return [_any(item) for item in value]
        case _ if is_json(value):
            return value
        case float():
            raise ExpressionError("the result is not a finite number")
        case _:
            raise ExpressionError(f"JSON cannot carry {kind_of(value)}")


PYTHON = {"string": str, "boolean": bool, "time": str, "list": list, "object": dict, "record": dict}


def returned(value: Any, wanted: Type) -> Any:
    """A result that fits `returns`. Raises `ExpressionError` that says what came instead."""
    value = _any(value)
    if wanted.kind == "any" or (value is None and wanted.optional):
        return value
    if wanted.kind == "number":
        return _number(value)
    if wanted.kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    fits = _is_integer(value) if wanted.kind == "integer" else isinstance(value, PYTHON[wanted.kind])
    if not fits or (wanted.members and value not in wanted.members):
        what = f'"{value}"' if fits else kind_of(value)
        raise ExpressionError(f"the result is {what}, and the tool returns `{spell(wanted)}`")
    if wanted.kind == "record":
        return _record(value, wanted)
    return [returned(item, wanted.item) for item in value] if wanted.item and wanted.kind == "list" else value


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _record(value: dict[str, Any], wanted: Type) -> dict[str, Any]:
    for name, form in wanted.fields:
        if name not in value and not form.optional:
            raise ExpressionError(f"the result has no `{name}`")
    known = dict(wanted.fields)
    return {name: returned(item, known[name]) if name in known else item for name, item in value.items()}
