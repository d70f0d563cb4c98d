"""origin: where each effective value came from, and what it hides.

Read from the layers after they are merged: nothing is recorded while merging, so a check pays nothing for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Items
from typing import Literal, NamedTuple

from agentspec.syntax.tree import Broken, Document, Entry, Mapping, Node, Path, Sequence, plain, walk
from agentspec.text.source import Span


class Layer(NamedTuple):
    """One patch of a composition and what people call it.

    Names are `profile:NAME`, `preset:NAME`, `library:NAME.PRESET`, `file:PATH`, `spec`, `--model` and `--set`.
    `document` is the extended document that it comes from; the other layers have none. `library` is the folder of the
    library that it is read from.
    """

    name: str
    root: Mapping
    document: Document | None = None
    library: str = ""


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
        found[path] = _ended(list(_chain(node, sayings)), Origin(_writer(node, sayings), node.span, plain(node)))
        if isinstance(node, Sequence):
            found.update(_inner(node, path, sayings))
    return found


class Word(NamedTuple):
    """What one layer does to a path: `sets` a value there, `adds` to the list, or `removes` it."""

    does: Literal["sets", "adds", "removes"]
    origin: Origin


def history(path: Path, layers: Items[Layer]) -> list[Word]:
    """What every layer does to a path of names, the lowest first, whether or not it holds in the end."""
    found: list[Word] = []
    for layer in layers:
        entry, is_removed = said(layer.root, path)
        if entry is None:
            continue
        if is_removed:
            found.append(Word("removes", Origin(layer.name, entry.key.span, None)))
        else:
            does: Literal["sets", "adds"] = "adds" if entry.operation == "append" else "sets"
            found.append(Word(does, Origin(layer.name, entry.value.span, plain(entry.value))))
    return found


def closed_by(path: Path, layers: Items[Layer]) -> Origin | None:
    """The lowest layer that forbids to change what stands at a path of names, by `final` there or above."""
    for layer in layers:
        node: Node = layer.root
        for step in path:
            entry = node.entry(step) if isinstance(node, Mapping) and isinstance(step, str) else None
            if entry is None:
                break
            if entry.final:
                return Origin(layer.name, entry.value.span, plain(entry.value))
            node = entry.value
    return None


def said(root: Mapping, path: Path) -> tuple[Entry | None, bool]:
    """The entry by which a layer speaks about a path: at it, or above it where the layer removes or replaces all of
    that; and whether it removes what lies below.
    """
    node: Node = root
    entry: Entry | None = None
    for index, step in enumerate(path):
        entry = node.entry(str(step)) if isinstance(node, Mapping) else None
        if entry is None:
            return None, False
        is_last = index == len(path) - 1
        if entry.operation == "unset" or not (is_last or isinstance(entry.value, (Mapping, Broken))):
            return entry, True
        node = entry.value
    return entry, False


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


def _ended(chain: list[Origin], holds: Origin) -> tuple[Origin, ...]:
    """The chain with what holds at its end: a refused override stands below it, one that says the same is left out."""
    while len(chain) > 1 and chain[-1].span != holds.span and chain[-1].value == holds.value:
        chain.pop()
    is_last = bool(chain) and (chain[-1].span, chain[-1].value) == (holds.span, holds.value)
    return tuple(chain) if is_last else (*chain, holds)


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
