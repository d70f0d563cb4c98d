"""diamond: two ways that lead to the same preset, and what they may not disagree about.

A preset that is reached twice is a layer once, at its lowest place; so a disagreement would be settled in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Items
from typing import NamedTuple

from agentspec.compose.findings import finding
from agentspec.compose.merge import merge
from agentspec.compose.origin import Layer
from agentspec.syntax.tree import Mapping, Node, Path, Scalar, dotted, plain, same
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span


class Ident(NamedTuple):
    """Which document: the identity of its parsed file, and where it begins in it."""

    file: int
    start: int


class Part(NamedTuple):
    """One document as a layer, with the values that it was given, as JSON."""

    ident: Ident
    given: str
    layer: Layer


class Branch(NamedTuple):
    """One item of `extends`, what it is called, and all it brings in: lowest first, itself last."""

    span: Span
    text: str
    parts: tuple[Part, ...]


def look_for_diamonds(branches: Items[Branch], own: Mapping) -> Iterator[Diagnostic]:
    """A finding for each item of `extends` that disagrees with an earlier one about what both build on."""
    for index, later in enumerate(branches):
        for earlier in branches[:index]:
            problem = _conflict(earlier, later, own)
            if problem is not None:
                yield problem
                break


def _conflict(earlier: Branch, later: Branch, own: Mapping) -> Diagnostic | None:
    below = {part.ident: part for part in earlier.parts}
    shared = [part for part in later.parts if part.ident in below]
    if not shared:
        return None
    itself = later.parts[-1]
    is_direct = earlier.parts[-1].ident in {part.ident for part in shared}
    if itself.ident in below and itself.given == below[itself.ident].given:
        if itself.ident == earlier.parts[-1].ident:
            return _finding(earlier, later, f"`{later.text}` is extended twice", "leave one of them out")
        message = f"`{later.text}` comes after `{earlier.text}`, which extends it already"
        return _finding(earlier, later, message, "leave it out, or put it first")
    if is_direct:
        return None
    for part in shared:
        if part.given != below[part.ident].given:
            message = f"`{earlier.text}` and `{later.text}` give `{part.layer.name}` different inputs"
            return _finding(earlier, later, message, "extend only one of the two, or give the same values")
    return _disagreement(earlier, later, {part.ident for part in shared}, own)


def _disagreement(earlier: Branch, later: Branch, shared: set[Ident], own: Mapping) -> Diagnostic | None:
    base = _leaves(_merged(part for part in later.parts if part.ident in shared))
    left = _leaves(_merged(part for part in earlier.parts if part.ident not in shared))
    right = _leaves(_merged(part for part in later.parts if part.ident not in shared))
    for path in base.keys() & left.keys() & right.keys():
        if same(left[path], right[path]) or _is_said(own, path):
            continue
        values = f"{_show(left[path])} in `{earlier.text}`, {_show(right[path])} in `{later.text}`"
        related = (Related(left[path].span, "one value"), Related(right[path].span, "the other"))
        message = f"`{dotted(path)}` is changed in two ways: {values}"
        return _finding(earlier, later, message, "set it here to choose", related)
    return None


def _finding(
    earlier: Branch, later: Branch, message: str, way_out: str, related: tuple[Related, ...] = ()
) -> Diagnostic:
    places = (Related(earlier.span, f"`{earlier.text}` is extended here"), *related)
    return finding("AS405", later.span, message, path=("extends",), help=way_out, related=places)


def _merged(parts: Iterable[Part]) -> Mapping | None:
    tree: Mapping | None = None
    for part in parts:
        tree = part.layer.root if tree is None else merge(tree, part.layer.root, [])
    return tree


def _leaves(node: Node | None, path: Path = ()) -> dict[Path, Node]:
    if node is None:
        return {}
    if not isinstance(node, Mapping):
        return {path: node}
    found: dict[Path, Node] = {}
    for entry in node.entries:
        if entry.operation == "set":
            found.update(_leaves(entry.value, (*path, entry.name)))
    return found


def _is_said(own: Mapping, path: Path) -> bool:
    """Whether the document itself settles what stands at the path."""
    node: Node = own
    for step in path:
        if not isinstance(node, Mapping):
            return True
        entry = node.entry(step) if isinstance(step, str) else None
        if entry is None:
            return False
        if entry.operation == "unset":
            return True
        node = entry.value
    return True


def _show(node: Node) -> str:
    return f"`{plain(node)}`" if isinstance(node, Scalar) else "a list"
