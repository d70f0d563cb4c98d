"""merge: put one layer of a spec over another.

A layer is a patch: entries that set, append or unset. Merging two patches gives a patch, so layers may be grouped in
any way: `merge(merge(a, b), c)` means `merge(a, merge(b, c))`. `settle` makes the effective tree of the last patch.
Sources are never changed: containers that differ from both layers are new, every scalar and list keeps its identity.
"""

from __future__ import annotations

import operator
from typing import Literal, NamedTuple

from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Path, Scalar, Sequence, same

ClashKind = Literal["final", "append", "item"]


class Clash(NamedTuple):
    """What a higher layer may not do; the lower layer's value stays.

    `final`: it changes what a lower layer closed. `append`: `+key` meets something that is no list. `item`: what `+key`
    adds is itself no list.
    """

    kind: ClashKind
    path: Path
    lower: Entry | None
    upper: Entry


class Whole(Mapping):
    """A mapping that stands for itself: it replaces what lies below instead of merging into it."""

    __slots__ = ()


def merge(lower: Mapping, upper: Mapping, clashes: list[Clash], path: Path = ()) -> Mapping:
    """One patch that does what `lower` and then `upper` do. What `upper` may not do is added to `clashes`.

    Mappings merge key by key, scalars and lists replace, `append` adds to a list, `unset` removes. Entries keep the
    order of the lower layer, new ones follow; a mapping that both have gets the upper one's span.
    """
    entries = {entry.name: entry for entry in lower.entries}
    for entry in upper.entries:
        below = entries.get(entry.name)
        entries[entry.name] = entry if below is None else _entry(below, entry, (*path, entry.name), clashes)
    merged = Whole if isinstance(lower, Whole) else Mapping
    return merged(entries=list(entries.values()), span=upper.span, flow=upper.flow, comments=upper.comments)


def _entry(lower: Entry, upper: Entry, path: Path, clashes: list[Clash]) -> Entry:
    if lower.final:
        if not (upper.operation == "set" and (isinstance(upper.value, Broken) or same(lower.value, upper.value))):
            clashes.append(Clash("final", path, lower, upper))
        return lower
    if upper.operation == "append":
        return _append(lower, upper, path, clashes)
    if upper.operation == "set" and isinstance(upper.value, Mapping) and not isinstance(upper.value, Whole):
        return _mapping(lower, upper, upper.value, path, clashes)
    if holds_final(lower.value):
        clashes.append(Clash("final", path, lower, upper))
        return lower
    return upper


def _mapping(lower: Entry, upper: Entry, value: Mapping, path: Path, clashes: list[Clash]) -> Entry:
    if lower.operation == "set" and isinstance(lower.value, Mapping):
        return _with(upper, merge(lower.value, value, clashes, path))
    if holds_final(lower.value):
        clashes.append(Clash("final", path, lower, upper))
        return lower
    return _with(upper, whole(value))


def _append(lower: Entry, upper: Entry, path: Path, clashes: list[Clash]) -> Entry:
    match lower.value, upper.value:
        case _, Broken():
            return _with(upper, upper.value)
        case _, added if not isinstance(added, Sequence):
            clashes.append(Clash("item", path, lower, upper))
            return lower
        case _, added if lower.operation == "unset":
            return _with(upper, added)
        case Scalar() | Mapping(), _ if lower.operation == "append":  # it adds nothing, wherever brackets stand
            clashes.append(Clash("item", path, None, lower))
            return upper
        case Sequence(), Sequence():
            items = [*lower.value.items, *upper.value.items]
            joined = Sequence(items=items, span=upper.value.span, flow=upper.value.flow, comments=upper.value.comments)
            return Entry(
                key=upper.key, value=joined, operation=lower.operation, final=upper.final, comments=upper.comments
            )
        case Broken(), _:
            return lower
        case _:
            clashes.append(Clash("append", path, lower, upper))
            return lower


def _with(entry: Entry, value: Node) -> Entry:
    """The entry, setting another value."""
    return Entry(key=entry.key, value=value, final=entry.final, merged=entry.merged, comments=entry.comments)


def whole(node: Mapping) -> Whole:
    """The same mapping as one that replaces."""
    return Whole(entries=node.entries, span=node.span, flow=node.flow, anchor=node.anchor, comments=node.comments)


def holds_final(node: Node) -> bool:
    """Whether something inside the node may not be changed by a higher layer."""
    match node:
        case Mapping():
            return any(entry.final or holds_final(entry.value) for entry in node.entries)
        case Sequence():
            return any(holds_final(item) for item in node.items)
        case _:
            return False


def settle(patch: Mapping, clashes: list[Clash], path: Path = ()) -> Mapping:
    """The tree that a patch leaves when nothing lies below: without what is unset, with lists where it appends."""
    entries: list[Entry] = []
    for entry in patch.entries:
        if entry.operation == "unset":
            continue
        if entry.operation == "append" and not isinstance(entry.value, (Sequence, Broken)):
            clashes.append(Clash("item", (*path, entry.name), None, entry))
            continue
        value = entry.value
        if isinstance(value, Mapping):
            value = settle(value, clashes, (*path, entry.name))
        entries.append(entry if entry.operation == "set" and value is entry.value else _with(entry, value))
    is_settled = len(entries) == len(patch.entries) and all(map(operator.is_, entries, patch.entries))
    if is_settled and not isinstance(patch, Whole):
        return patch
    return patch.with_entries(entries)
