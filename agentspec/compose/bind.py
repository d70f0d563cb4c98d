"""bind: put the values of a preset's own inputs where its text asks for them.

A preset's inputs are its parameters: they are bound where it is extended and are gone from what extends it. Slots of
other names (`${run.x}`, inputs that the preset does not declare) stay as they are. Sources are never changed.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Iterator
from collections.abc import Mapping as Values
from typing import NamedTuple

from agentspec.syntax.tree import Broken, Mapping, Node, Scalar, Sequence, plain, walk


class Absent(Scalar):
    """The value of an optional input that was not given: an entry or item that is only its slot is left out."""

    __slots__ = ()


MOST_ADDED = 1 << 20  # characters; a node counts as `_NODE` of them
_NODE = 64
_SLOT = r"\$\$\{|\$\{([^{}]*)\}"
_ALONE = r"\s*inputs\.([A-Za-z_][A-Za-z0-9_]*)\s*"
_NAME = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\binputs\.([A-Za-z_][A-Za-z0-9_]*)"""


def bind(node: Node, values: Values[str, Node], oversize: list[Scalar] | None = None) -> Node:
    """The node with every `${inputs.NAME}` of a known name replaced; the same node where there is none.

    A text that is one slot becomes the value itself, with its type and its place; a slot inside a longer text becomes
    the value's text. A `Broken` value makes what asks for it unknown. What would add more than `MOST_ADDED` characters
    in all stays as it is written, and is added to `oversize`.
    """
    if not values:
        return node
    return _Binder(values, [] if oversize is None else oversize).bound(node)


class _Binder:
    """One binding: what it may still add."""

    def __init__(self, values: Values[str, Node], oversize: list[Scalar]) -> None:
        self.values = values
        self.oversize = oversize
        self.left = MOST_ADDED
        self.sizes: dict[str, int] = {}

    def bound(self, node: Node) -> Node:
        match node:
            case Scalar(value=str() as text) if "${" in text:
                return self._text(node, text)
            case Mapping():
                entries = [entry.with_value(self.bound(entry.value)) for entry in node.entries]
                if all(map(operator.is_, entries, node.entries)):
                    return node
                kept = [entry for entry in entries if not isinstance(entry.value, Absent)]
                return node.with_entries(kept)
            case Sequence():
                items = [self.bound(item) for item in node.items]
                if all(map(operator.is_, items, node.items)):
                    return node
                return node.with_items([item for item in items if not isinstance(item, Absent)])
            case _:
                return node

    def _text(self, node: Scalar, text: str) -> Node:
        used = [name for name in _used(text) if name in self.values]
        if not used:
            return node
        self.left -= sum(map(self._size, used))
        if self.left < 0:
            self.oversize.append(node)
            return node
        name = lone_slot(text)
        if name is not None:
            return self.values[name]
        if any(isinstance(self.values[each], Broken) for each in used):
            return Broken(span=node.span)
        new = re.sub(_SLOT, lambda slot: _slot_text(slot, self.values), text)
        return Scalar(value=new, span=node.span, style=node.style, anchor=node.anchor, comments=node.comments)

    def _size(self, name: str) -> int:
        if name not in self.sizes:
            self.sizes[name] = _size(self.values[name])
        return self.sizes[name]


def _size(node: Node) -> int:
    """The characters of a value and its nodes, no further than what may be added: its parts may be shared."""
    size, parts = 0, [node]
    while parts and size <= MOST_ADDED:
        part = parts.pop()
        size += _NODE
        match part:
            case Scalar(value=str() as text):
                size += len(text)
            case Mapping():
                parts += (entry.value for entry in part.entries)
            case Sequence():
                parts += part.items
            case _:
                pass
    return size


class Slots(NamedTuple):
    """A text with slots, and the inputs that they name."""

    node: Scalar
    names: list[str]


def slots(node: Node) -> Iterator[Slots]:
    """Every text in a node that names inputs."""
    for _, each in walk(node):
        if isinstance(each, Scalar) and isinstance(each.value, str) and "${" in each.value:
            yield Slots(each, _used(each.value))


def lone_slot(text: str) -> str | None:
    """The input that a text is, where it is one slot and nothing else.

    >>> lone_slot("${inputs.n}"), lone_slot("about ${inputs.n}")
    ('n', None)
    """
    alone = re.fullmatch(_SLOT, text)
    name = re.fullmatch(_ALONE, alone[1] or "") if alone else None
    return None if name is None else name[1]


def _used(text: str) -> list[str]:
    slots = [match[1] for match in re.finditer(_SLOT, text) if match[1]]
    return [match[1] for slot in slots for match in re.finditer(_NAME, slot) if match[1]]


def _slot_text(slot: re.Match[str], values: Values[str, Node]) -> str:
    """The text of one `${…}`: a value's own text where the slot is one name, else literals inside its expression."""
    if slot[1] is None:
        return slot[0]
    alone = re.fullmatch(_ALONE, slot[1])
    if alone is not None:
        return _spelled(values[alone[1]]) if alone[1] in values else slot[0]
    return "${" + re.sub(_NAME, lambda name: _literal(name, values), slot[1]) + "}"


def _spelled(node: Node) -> str:
    value = plain(node)
    if isinstance(node, Absent):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _literal(name: re.Match[str], values: Values[str, Node]) -> str:
    if name[1] not in values:
        return name[0]
    value = plain(values[name[1]])
    outer = re.fullmatch(_SLOT, value) if isinstance(value, str) else None
    return f"({outer[1]})" if outer is not None and outer[1] else json.dumps(value, ensure_ascii=False)
