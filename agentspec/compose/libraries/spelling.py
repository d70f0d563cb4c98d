"""spelling: parts of a document as plain values, whatever their spelling: the order of keys, how values are written.

Which text is an expression, a duration or a type is known by its key; what is handed on as it is has no spelling.
"""

from __future__ import annotations

from typing import Final

from agentspec.compose.rights.narrow import amount
from agentspec.expressions.nodes import Group, Literal
from agentspec.expressions.nodes import Node as Part
from agentspec.expressions.parse import parse
from agentspec.syntax.tree import Entry, Mapping, Node, Scalar, Sequence, plain

EXPRESSIONS: Final = frozenset(("when", "that", "until", "where", "expr", "rank"))
_AMOUNTS = """
    expires timeout per reset background_after progress_interval wake_interval tool_backoff tool_timeout ttl max
    operation_timeout deadline_reserve grace wall_clock working_time idle_timeout base max_wait cpu_time retry_after
    delay max_inline progress_max_inline tool_result_max max_line_bytes memory max_size
"""
AMOUNTS: Final = frozenset(_AMOUNTS.split())
"""The keys of durations and sizes."""
TYPES: Final = frozenset(("inputs", "parameters", "fields"))
"""The keys of names that have types: `{x: number}` is `{x: {type: number}}`."""
_NAMES = """
    actions descriptions effects files libraries mcp models names prompts resources skills subagents tools use
"""
NAMES: Final = frozenset(_NAMES.split())
"""The keys of names that an author chooses: one that begins with `x-` is a name there, and no remark."""
_FREE = """
    args arguments components data default defaults enum env examples headers history next_options options query raw
    result schema usage with
"""
FREE: Final = frozenset(_FREE.split())
"""The keys of what is handed on as it is."""
_PLACES = frozenset(("start", "end", "anchor", "anchors", "name_start", "field_start"))


def normal(node: Node) -> object:
    """The plain value of a part of a document, with what it does to layers below; `1` and `1.0` are one number."""
    match node:
        case Mapping():
            return {entry.name: _entry(entry, normal(entry.value)) for entry in node.entries}
        case Sequence():
            return [normal(item) for item in node.items]
        case _:
            return _whole(plain(node))


def meant(node: Node, key: str = "") -> object:
    """What a part of a document means where it stands at a key: as `normal`, without remarks (`x-` keys), expressions
    as their trees, durations and sizes as numbers, types in their long form.
    """
    if key in FREE:
        return normal(node)
    match node:
        case Mapping():
            kept = [entry for entry in node.entries if key in NAMES | TYPES or not entry.name.startswith("x-")]
            return {entry.name: _entry(entry, _named(entry, key)) for entry in kept}
        case Sequence():
            return [meant(item, key) for item in node.items]
        case _:
            return _value(node, key)


def _named(entry: Entry, key: str) -> object:
    """What stands at a name, or at a key of the language."""
    if key in TYPES and isinstance(entry.value, Scalar):
        return {"type": [plain(entry.value)]}
    return meant(entry.value, "" if key in NAMES | TYPES else entry.name)


def _entry(entry: Entry, value: object) -> list[object]:
    value = None if entry.operation == "unset" else value
    return [value] if entry.operation == "set" and not entry.final else [entry.operation, entry.final, value]


def _value(node: Node, key: str) -> object:
    value = plain(node)
    if isinstance(value, str) and key in AMOUNTS:
        size = amount(node)
        return value if size is None else _whole(size)
    if isinstance(value, str) and key in EXPRESSIONS:
        root = parse(value).root
        return value if root is None else ["expression", _tree(root)]
    return _whole(value)


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _tree(part: object) -> object:
    """An expression without its blanks, parentheses, and spellings of texts and numbers."""
    match part:
        case Group():
            return _tree(part.inner)
        case Literal():
            return [part.kind, repr(part.value)]
        case Part():
            slots = (name for kind in type(part).__mro__ for name in getattr(kind, "__slots__", ()))
            return [type(part).__name__, *(_tree(getattr(part, name)) for name in slots if name not in _PLACES)]
        case tuple() | list():
            return [_tree(each) for each in part]
        case _:
            return part
