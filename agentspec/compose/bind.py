"""bind: put the values of a preset's own inputs where its text asks for them.

A preset's inputs are its parameters: they are bound where it is extended and are gone from what extends it. Slots of
other names (`${run.x}`, inputs that the preset does not declare) stay as they are. Sources are never changed.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Mapping as Values

from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Scalar, Sequence, plain


class Absent(Scalar):
    """The value of an optional input that was not given: an entry or item that is only its slot is left out."""

    __slots__ = ()


_SLOT = re.compile(r"\$\$\{|\$\{([^{}]*)\}")
_ALONE = re.compile(r"\s*inputs\.([A-Za-z_][A-Za-z0-9_]*)\s*")
_NAME = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\binputs\.([A-Za-z_][A-Za-z0-9_]*)""")


def bind(node: Node, values: Values[str, Node]) -> Node:
    """The node with every `${inputs.NAME}` of a known name replaced; the same node where there is none.

    A text that is one slot becomes the value itself, with its type and its place; a slot inside a longer text becomes
    the value's text. A `Broken` value makes what asks for it unknown.
    """
    if not values:
        return node
    match node:
        case Scalar(value=str() as text) if "${" in text:
            return _bound(node, text, values)
        case Mapping():
            entries = [_bound_entry(entry, values) for entry in node.entries]
            if all(map(operator.is_, entries, node.entries)):
                return node
            entries = [entry for entry in entries if not isinstance(entry.value, Absent)]
            return Mapping(entries=entries, span=node.span, flow=node.flow, anchor=node.anchor, comments=node.comments)
        case Sequence():
            items = [bind(item, values) for item in node.items]
            if all(map(operator.is_, items, node.items)):
                return node
            items = [item for item in items if not isinstance(item, Absent)]
            return Sequence(items=items, span=node.span, flow=node.flow, anchor=node.anchor, comments=node.comments)
        case _:
            return node


def _bound_entry(entry: Entry, values: Values[str, Node]) -> Entry:
    value = bind(entry.value, values)
    if value is entry.value:
        return entry
    return Entry(
        key=entry.key,
        value=value,
        operation=entry.operation,
        final=entry.final,
        merged=entry.merged,
        comments=entry.comments,
    )


def _bound(node: Scalar, text: str, values: Values[str, Node]) -> Node:
    alone = _SLOT.fullmatch(text)
    name = _ALONE.fullmatch(alone[1] or "") if alone else None
    if name is not None and name[1] in values:
        return values[name[1]]
    if any(isinstance(values[used], Broken) for used in _used(text) if used in values):
        return Broken(span=node.span)
    new = _SLOT.sub(lambda slot: _slot_text(slot, values), text)
    if new == text:
        return node
    return Scalar(value=new, span=node.span, style=node.style, anchor=node.anchor, comments=node.comments)


def _used(text: str) -> list[str]:
    slots = [match[1] for match in _SLOT.finditer(text) if match[1]]
    return [match[1] for slot in slots for match in _NAME.finditer(slot) if match[1]]


def _slot_text(slot: re.Match[str], values: Values[str, Node]) -> str:
    """The text of one `${…}`: a value's own text where the slot is one name, else literals inside its expression."""
    if slot[1] is None:
        return slot[0]
    alone = _ALONE.fullmatch(slot[1])
    if alone is not None:
        return _spelled(values[alone[1]]) if alone[1] in values else slot[0]
    return "${" + _NAME.sub(lambda name: _literal(name, values), slot[1]) + "}"


def _spelled(node: Node) -> str:
    value = plain(node)
    if isinstance(node, Absent):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _literal(name: re.Match[str], values: Values[str, Node]) -> str:
    if name[1] not in values:
        return name[0]
    value = plain(values[name[1]])
    outer = _SLOT.fullmatch(value) if isinstance(value, str) else None
    return f"({outer[1]})" if outer is not None and outer[1] else json.dumps(value, ensure_ascii=False)
