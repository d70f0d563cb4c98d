"""defaults: what holds where an author has written nothing, as plain values.

A key without a value of its own (its default is the profile's, the provider's, nothing) is not here.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

from agentspec.spec.describe import find
from agentspec.spec.schema import Node, form, root
from agentspec.syntax.tree import Path

ABSENT = object()


def default_of(path: Path, kind: str = "agent") -> object:
    """The default of the key at a path, as it would be written; `ABSENT` where it has none.

    >>> default_of(("execution", "tool_timeout"))
    '120s'
    """
    node, _ = find(path, kind)
    return ABSENT if node is None else copy.deepcopy(_default(node))


def defaults(kind: str = "agent") -> dict[str, Any]:
    """All defaults of the fixed keys of a document, by section; a new dict each time."""
    return copy.deepcopy(_defaults(kind))


@cache
def _defaults(kind: str) -> dict[str, Any]:
    return _inside(root(kind))


def _default(node: Node) -> object:
    if "default" not in node:
        return ABSENT
    mapping = form(node).mapping
    if node["default"] == {} and mapping is not None and "properties" in mapping:
        return _inside(mapping)
    return node["default"]


def _inside(mapping: Node) -> dict[str, Any]:
    found = {name: _default(value) for name, value in mapping.get("properties", {}).items()}
    return {name: value for name, value in found.items() if value is not ABSENT}
