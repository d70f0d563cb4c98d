"""trees: document trees for tests, made from plain values, with the JSON text that they stand in.

Each node's span is true: it is where the value stands in the text.
"""

from __future__ import annotations

import json

from agentspec.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from agentspec.text.source import Source, Span


def tree(value: object, name: str = "spec.json") -> Node:
    """The tree of a plain value, as if it had been read from one line of JSON."""
    source = Source(name, json.dumps(value, ensure_ascii=False))
    node, _ = _node(value, source, 0)
    return node


def _node(value: object, source: Source, at: int) -> tuple[Node, int]:
    match value:
        case dict():
            return _mapping(value, source, at)
        case list():
            return _sequence(value, source, at)
        case _:
            end = at + len(json.dumps(value, ensure_ascii=False))
            style = "double" if isinstance(value, str) else "plain"
            return Scalar(value=value, span=Span(source, at, end), style=style), end


def _mapping(value: dict[str, object], source: Source, start: int) -> tuple[Node, int]:
    entries, at = [], start + 1
    for name, item in value.items():
        end = at + len(json.dumps(name, ensure_ascii=False))
        key = Scalar(value=name.removeprefix("+"), span=Span(source, at, end), style="double")
        node, at = _node(item, source, end + 2)
        entries.append(Entry(key=key, value=node, operation="append" if name.startswith("+") else "set"))
        at += 2
    end = at - 1 if entries else at + 1
    return Mapping(entries=entries, span=Span(source, start, end), flow=True), end


def _sequence(value: list[object], source: Source, start: int) -> tuple[Node, int]:
    items, at = [], start + 1
    for item in value:
        node, at = _node(item, source, at)
        items.append(node)
        at += 2
    end = at - 1 if items else at + 1
    return Sequence(items=items, span=Span(source, start, end), flow=True), end
