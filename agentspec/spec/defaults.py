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

DEFAULT_ITERATIONS = 50  # of the profile `tool_using`, which holds where a spec names none
ADAPTIVE_ITERATIONS = 16  # of an adaptive budget without a maximum


def default_of(path: str | Path, kind: str = "agent") -> Any:
    """The default of a key as it would be written, or None where it has none. A dotted path has no quoted names.

    >>> default_of("execution.tool_timeout")
    '120s'
    """
    steps = tuple(path.split(".")) if isinstance(path, str) else path
    node, _ = find(steps, kind)
    return None if node is None else copy.deepcopy(_default(node))


def defaults(kind: str = "agent") -> dict[str, Any]:
    """All defaults of the fixed keys of a document, by section; a new dict each time."""
    return copy.deepcopy(_defaults(kind))


@cache
def _defaults(kind: str) -> dict[str, Any]:
    return _inside(root(kind))


def _default(node: Node) -> Any:
    default = node.get("default")
    mapping = form(node).mapping
    if default == {} and mapping is not None and "properties" in mapping:
        return _inside(mapping)
    return default


def _inside(mapping: Node) -> dict[str, Any]:
    found = {name: _default(value) for name, value in mapping.get("properties", {}).items()}
    return {name: value for name, value in found.items() if value is not None}
