"""origin: where each effective value came from, and what it hides.

Read from the layers after they are merged: nothing is recorded while merging, so a check pays nothing for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Items
from typing import NamedTuple

from agentspec.syntax.tree import Document, Mapping, Node, Path, Sequence, plain, walk
from agentspec.text.source import Span


class Layer(NamedTuple):
    """One patch of a composition and what people call it.

    Names are `profile:NAME`, `preset:NAME`, `file:PATH`, `spec`, `--model` and `--set`. `document` is the extended
    document that it comes from; the other layers have none.
    """

    name: str
    root: Mapping
    document: Document | None = None


class Origin(NamedTuple):
    """One layer's word on a value: which layer, where it stands, and the plain value."""

    layer: str
    span: Span
    value: object


def origins(tree: Mapping, layers: Items[Layer]) -> dict[Path, tuple[Origin, ...]]:
    """For every effective leaf and list the chain of its values, lowest layer first; the last one holds.

    Leaves are scalars and empty mappings. A list has a chain of its own (for a list that was added to, each value is
    the list so far), and what stands in it comes from the one layer that wrote it.
    """
    found: dict[Path, tuple[Origin, ...]] = {}
    for path, node in _outer(tree, ()):
        sayings = [_Saying(layer.name, *said) for layer in layers if (said := _said(layer.root, path)) is not None]
        chain = tuple(_chain(node, sayings))
        if not chain or chain[-1].span != node.span or chain[-1].value != plain(node):
            chain = (*chain, Origin(_writer(node, sayings), node.span, plain(node)))
        found[path] = chain
        if isinstance(node, Sequence):
            found.update(_inner(node, path, sayings))
    return found


class _Saying(NamedTuple):
    """What a layer itself sets at a path, and whether it adds to what lies below."""

    layer: str
    node: Node
    adds: bool


def _outer(node: Node, path: Path) -> Iterator[tuple[Path, Node]]:
    """The leaves and lists that are reached by names alone."""
    if not isinstance(node, Mapping) or not node.entries:
        yield path, node
        return
    for entry in node.entries:
        yield from _outer(entry.value, (*path, entry.name))


def _inner(node: Sequence, path: Path, sayings: list[_Saying]) -> Iterator[tuple[Path, tuple[Origin, ...]]]:
    """The leaves and lists inside a list."""
    writers: dict[int, str] = {}
    for saying in sayings:
        for _, part in walk(saying.node):
            writers.setdefault(id(part), saying.layer)
    for inner, part in walk(node, path):
        is_leaf = not isinstance(part, Mapping) or not part.entries
        if inner != path and is_leaf:
            layer = writers.get(id(part)) or _writer(node, sayings)
            yield inner, (Origin(layer, part.span, plain(part)),)


def _chain(node: Node, sayings: list[_Saying]) -> Iterator[Origin]:
    """What each layer says, as far as it is of the effective node's kind."""
    so_far: list[object] = []
    for saying in sayings:
        if type(saying.node) is not type(node):
            continue
        value = plain(saying.node)
        if isinstance(value, list):
            value = so_far = [*so_far, *value] if saying.adds else value
        yield Origin(saying.layer, saying.node.span, value)


def _writer(node: Node, sayings: list[_Saying]) -> str:
    """The layer that wrote the node; of a list that was put together, the highest that speaks of it."""
    return next((saying.layer for saying in sayings if saying.node is node), sayings[-1].layer if sayings else "spec")


def _said(root: Mapping, path: Path) -> tuple[Node, bool] | None:
    """The node that a layer itself sets at a path of names, and whether it adds to what lies below."""
    node: Node = root
    adds = False
    for step in path:
        entry = node.entry(step) if isinstance(node, Mapping) and isinstance(step, str) else None
        if entry is None or entry.operation == "unset":
            return None
        node, adds = entry.value, entry.operation == "append"
    return node, adds
