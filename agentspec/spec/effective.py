"""effective: the values of a checked document, with units read and defaults filled in, without pydantic.

The quick reader for the way of a run: the same values as `read.py` gives, as plain dicts. It checks nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentspec.spec.describe import below
from agentspec.spec.schema import FREE_PREFIX, MARK, Form, Node, form, root
from agentspec.spec.structure.fits import fitting
from agentspec.spec.values import is_full_schema, parse_duration, parse_size

OPAQUE = frozenset(("free", "templates", "json_schema"))


def effective(values: Mapping[str, Any], kind: str = "agent") -> dict[str, Any]:
    """The plain values of a checked document: durations as seconds, sizes as bytes, defaults where nothing is written.

    A key that has no default and isn't written is absent. Expressions are texts. Keys that begin with `x-` are gone.

    >>> effective({"name": "a", "execution": {"tool_timeout": "5s"}})["execution"]["tool_timeout"]
    5.0
    """
    return _mapping(dict(values), root(kind))


def _value(value: Any, node: Node) -> Any:
    at = form(node)
    match value:
        case dict() if at.mapping is not None:
            return _mapping(value, at.mapping)
        case list() if at.sequence is not None and "items" in at.sequence:
            return [_value(item, at.sequence["items"]) for item in value]
        case str() | bool() | int() | float():
            return _scalar(value, at)
        case _:
            return value


def _scalar(value: Any, at: Form) -> Any:
    branch = fitting(value, at)
    kind = branch.get(MARK, {}).get("kind") if branch is not None else None
    match kind, value:
        case "duration", str():
            return parse_duration(value)
        case "size", str():
            return parse_size(value)
        case "expression", bool():
            return "true" if value else "false"
        case "expression", int() | float():
            return repr(value)
        case _:
            return value


def _mapping(values: dict[str, Any], node: Node) -> dict[str, Any]:
    if node.get(MARK, {}).get("kind") in OPAQUE or ("else" in node and is_full_schema(values)):
        return dict(values)
    at = form(node)
    found: dict[str, Any] = {}
    for name, value in values.items():
        inside = below(at, name)
        if inside is not None:
            found[name] = _value(value, inside)
        elif not name.startswith(FREE_PREFIX):
            found[name] = value
    for name, inside in node.get("properties", {}).items():
        if name not in found and "default" in inside:
            found[name] = _value(inside["default"], inside)
    return found
