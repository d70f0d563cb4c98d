"""scalars: what a node of the tree holds as a plain value; None where it holds something else."""

from __future__ import annotations

from agentspec.spec.values import parse_duration
from agentspec.syntax.tree import Node, Scalar, Sequence


def text_of(node: Node | None) -> str | None:
    """The string of a scalar."""
    return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else None


def number_of(node: Node | None) -> float | None:
    """The number of a scalar; a boolean is none."""
    if isinstance(node, Scalar) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value
    return None


def seconds_of(node: Node | None) -> float | None:
    """The duration of a scalar, in seconds."""
    text = text_of(node)
    try:
        return None if text is None else parse_duration(text)
    except ValueError:
        return None


def texts_of(node: Node | None) -> list[Scalar]:
    """The items of a list that are strings."""
    items = node.items if isinstance(node, Sequence) else []
    return [item for item in items if isinstance(item, Scalar) and isinstance(item.value, str)]
