"""diamond: two ways that lead to the same preset, and what they may not disagree about.

A preset that is reached twice is a layer once, at its lowest place; so a disagreement would be settled in silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Items
from itertools import chain
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


class _Told(NamedTuple):
    """What is compared of a branch: what each document was given, and the values that it changes of what it builds on,
    each with the document that has the last word.
    """

    branch: Branch
    given: dict[Ident, str]
    changed: dict[Path, tuple[Ident, Node]]
    set_by: dict[Path, set[Ident]]

    @property
    def itself(self) -> Part:
        return self.branch.parts[-1]

    def builds_on(self, other: _Told) -> bool:
        """Whether the other's document is part of this branch: then this one has the last word."""
        return other.itself.ident in self.given


def look_for_diamonds(branches: Items[Branch], own: Mapping) -> Iterator[Diagnostic]:
    """A finding for each item of `extends` that disagrees with an earlier one about what both build on.

    Branches that share nothing cost nothing but being read once.
    """
    counts = Counter(ident for branch in branches for ident in {part.ident for part in branch.parts})
    if all(count == 1 for count in counts.values()):
        return
    told = [_told(branch) for branch in branches]
    givens = {(ident, given) for each in told for ident, given in each.given.items()}
    varied = {ident for ident, count in Counter(ident for ident, _ in givens).items() if count > 1}
    first_with: dict[tuple[Ident, str], _Told] = {}
    changes: dict[Path, list[tuple[Node, list[_Told]]]] = {}
    for index, later in enumerate(told):
        above = first_with.get((later.itself.ident, later.itself.given))
        if above is not None:
            yield _repeated(above.branch, later.branch, is_same=above.itself.ident == later.itself.ident)
        else:
            problem = _other_inputs(told[:index], later, varied) or _disagreement(changes, later, own)
            yield from () if problem is None else (problem,)
        for ident, given in later.given.items():
            first_with.setdefault((ident, given), later)
        for path, (_, node) in later.changed.items():
            _group(changes.setdefault(path, []), node).append(later)


def _group(groups: list[tuple[Node, list[_Told]]], node: Node) -> list[_Told]:
    """The branches that change a value to the same; those that agree are not compared with each other."""
    found = next((group for value, group in groups if same(value, node)), None)
    if found is None:
        found = []
        groups.append((node, found))
    return found


def _told(branch: Branch) -> _Told:
    owners: dict[int, Ident] = {}
    set_by: dict[Path, set[Ident]] = {}
    for part in branch.parts:
        for path, node in _leaves(part.layer.root).items():
            owners[id(node)] = part.ident
            set_by.setdefault(path, set()).add(part.ident)
    several = {path for path, idents in set_by.items() if len(idents) > 1}
    left = _leaves(_merged(branch.parts)) if several else {}
    changed = {path: (owners[id(left[path])], left[path]) for path in several & left.keys() if id(left[path]) in owners}
    return _Told(branch, {part.ident: part.given for part in branch.parts}, changed, set_by)


def _repeated(earlier: Branch, later: Branch, *, is_same: bool) -> Diagnostic:
    if is_same:
        return _finding(earlier, later, f"`{later.text}` is extended twice", "leave one of them out")
    message = f"`{later.text}` comes after `{earlier.text}`, which extends it already"
    return _finding(earlier, later, message, "leave it out, or put it first")


def _other_inputs(earlier: Items[_Told], later: _Told, varied: set[Ident]) -> Diagnostic | None:
    for part in later.branch.parts:
        for each in earlier if part.ident in varied else ():
            if later.builds_on(each) or each.given.get(part.ident, part.given) == part.given:
                continue
            message = f"`{each.branch.text}` and `{later.branch.text}` give `{part.layer.name}` different inputs"
            way_out = "extend only one of the two, or give the same values"
            return _finding(each.branch, later.branch, message, way_out)
    return None


def _disagreement(changes: dict[Path, list[tuple[Node, list[_Told]]]], later: _Told, own: Mapping) -> Diagnostic | None:
    for path, (owner, right) in later.changed.items():
        if _is_said(own, path):
            continue
        differing = (group for value, group in changes.get(path, ()) if not same(value, right))
        for earlier in chain.from_iterable(differing):
            other, left = earlier.changed[path]
            is_shared = any(ident in later.given for ident in earlier.set_by[path])
            is_settled = owner in earlier.given or other in later.given or later.builds_on(earlier)
            if is_shared and not is_settled:
                values = f"{_show(left)} in `{earlier.branch.text}`, {_show(right)} in `{later.branch.text}`"
                related = (Related(left.span, "one value"), Related(right.span, "the other"))
                message = f"`{dotted(path)}` is changed in two ways: {values}"
                return _finding(earlier.branch, later.branch, message, "set it here to choose", related)
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
