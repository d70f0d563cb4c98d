"""compare: what another version of a library changes for whoever uses it, and how much that is.

Compared is what each export comes to, not its text. What may be done in addition counts before everything else; then
what may stop a spec from checking; then every other difference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Literal, NamedTuple

from agentspec.compose.authority import CEILING, enforce
from agentspec.compose.files import Files
from agentspec.compose.inputs import Declared, declared_inputs
from agentspec.compose.libraries.find import FOLDERS, ceiling_layer, presets_of
from agentspec.compose.libraries.meaning import meanings
from agentspec.compose.libraries.naming import with_names
from agentspec.compose.libraries.opened import Library
from agentspec.compose.origin import Layer
from agentspec.compose.reference import Target
from agentspec.compose.rights.called import called_trees
from agentspec.compose.rights.change import RightChange, rights_change
from agentspec.compose.rights.of_agents import rights_with_called
from agentspec.compose.rights.rights import Rights
from agentspec.compose.weave import NO_OVERRIDES, Woven, weave
from agentspec.expressions.types import spell
from agentspec.syntax.tree import Mapping, Node, Path, dotted, find, plain

Weight = Literal["none", "patch", "minor", "major", "power"]
WEIGHTS: tuple[Weight, ...] = ("none", "patch", "minor", "major", "power")
"""How much a change is, the least first: the same bytes, the same meaning, another one, one that may stop a spec from
checking, one that lets more be done."""


class Reason(NamedTuple):
    """One difference of an export, in words, and what it makes the change at least."""

    weight: Weight
    export: str
    words: str


class LibraryChange(NamedTuple):
    """What is different in another version of a library."""

    weight: Weight
    reasons: tuple[Reason, ...]


class Side(NamedTuple):
    """One version of a library, with the files that it is read through."""

    library: Library
    files: Files
    bytes: dict[str, str]


def library_change(before: Side, after: Side) -> LibraryChange:
    """What the second version changes for whoever uses the first one."""
    old, new = meanings(before.library, before.files), meanings(after.library, after.files)
    reasons = [*_needs(before.library, after.library)]
    for name in dict.fromkeys((*old, *new)):
        if name not in new:
            reasons.append(Reason("major", name, "is gone"))
        elif name not in old:
            reasons.append(Reason("minor", name, "is new"))
        elif old[name] != new[name]:
            reasons += _of_export(name, before, after)
    least: Weight = "none" if before.bytes == after.bytes else "patch"
    weights = [least, *(reason.weight for reason in reasons)]
    return LibraryChange(max(weights, key=WEIGHTS.index), tuple(sorted(reasons, key=_heaviest_first)))


def _heaviest_first(reason: Reason) -> tuple[int, str]:
    return -WEIGHTS.index(reason.weight), reason.export


def _needs(before: Library, after: Library) -> Iterator[Reason]:
    """What the manifests ask of whoever uses the library."""
    path: Path = ("requires", "authority")
    old, new = find(before.manifest.root, path), find(after.manifest.root, path)
    if new is not None and (old is None or plain(old) != plain(new)):
        yield Reason("power", "requires.authority", "asks for other rights")
    languages = [side.manifest.text("requires", "agentspec") for side in (before, after)]
    words = [said[0] if said is not None else "any" for said in languages]
    if words[0] != words[1]:
        yield Reason("minor", "requires.agentspec", f"{words[0]} → {words[1]}")


def _of_export(name: str, before: Side, after: Side) -> Iterator[Reason]:
    kind, _, word = name.partition(".")
    sides = [next(presets_of(side.library, word, side.files), None) for side in (before, after)]
    old, new = sides
    if kind not in FOLDERS or old is None or new is None:
        yield Reason("minor", name, "says something else")
        return
    found = [*_inputs(name, old, new), *_rights(name, old, new, before, after)]
    found += [] if found else [Reason("minor", name, "says something else")]
    yield from found


def _inputs(name: str, old: Target, new: Target) -> Iterator[Reason]:
    known, now = declared_inputs(old.root), declared_inputs(new.root)
    for each in dict.fromkeys((*known, *now)):
        if each not in now:
            yield Reason("major", name, f"the input `{each}` is gone")
        elif each not in known:
            is_needed = now[each].is_required
            yield Reason(
                "major" if is_needed else "minor", name, f"the input `{each}` is new{' and needed' * is_needed}"
            )
        elif _form(known[each]) != _form(now[each]):
            yield Reason("major", name, f"the input `{each}` is of another type")
        elif now[each].is_required and not known[each].is_required:
            yield Reason("major", name, f"the input `{each}` is needed now")


def _form(declared: Declared) -> tuple[str, tuple[object, ...]]:
    return spell(declared.type._replace(optional=False)), declared.members


def _rights(name: str, old: Target, new: Target, before: Side, after: Side) -> Iterator[Reason]:
    was, now = _woven(old, before), _woven(new, after)
    change = rights_change(_all_rights(was, old, before), _all_rights(now, new, after))
    for each in change.more if change.is_wider else ():
        yield Reason("power", name, f"more {each.kind}: {_word(each)}")
    if change.wall is not None and change.is_wider and not change.more:
        yield Reason("power", name, f"the wall around programs: {change.wall[0]} → {change.wall[1]}")
    for each in change.less:
        weight: Weight = "major" if _may_refuse(each) else "minor"
        yield Reason(weight, name, f"less {each.kind}: {_word(each)}")
    yield from (
        Reason("power", name, f"`{path}` is not final any more") for path in sorted(_closed(was) - _closed(now))
    )
    for path in sorted(_closed(now) - _closed(was)):
        yield Reason("major", name, f"`{path}` is final now")


def _woven(target: Target, side: Side) -> Woven:
    """What a preset comes to, within the ceiling of its library."""
    woven = weave(target, side.files, NO_OVERRIDES)
    ceiling = ceiling_layer(side.library)
    tree = woven.tree if ceiling is None else enforce(woven.tree, [ceiling, Layer("", woven.tree)])[0]
    return woven._replace(tree=tree)


def _all_rights(woven: Woven, target: Target, side: Side) -> Rights:
    """What a preset may do, with the agents that it calls."""
    tree = with_names(woven.tree, side.library.project, FilePath(target.folder), side.files)
    return rights_with_called(tree, called_trees(woven.tree, target, side.files))


def _may_refuse(change: RightChange) -> bool:
    """Whether what is no longer there, or new, may keep a spec from checking that did: a bound of a ceiling, a tool."""
    right = change.after or change.before
    is_bound = right is not None and right.path[: len(CEILING)] == CEILING
    return change.kind in ("tools", "gates", "ceiling") or is_bound


def _word(change: RightChange) -> str:
    sides = change.before, change.after
    if change.kind == "limits":
        return f"{change.name} {' → '.join(right.name for right in sides if right is not None)}"
    if change.kind == "reach":
        return f"{change.name} {' → '.join('none' if right is None else _shown(right.node) for right in sides)}"
    return change.name


def _shown(node: Node) -> str:
    value = plain(node)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _closed(woven: Woven) -> set[str]:
    return {dotted(path) for layer in woven.layers for path in _finals(layer.root, ())}


def _finals(node: Mapping, path: Path) -> Iterator[Path]:
    for entry in node.entries:
        here = (*path, entry.name)
        if entry.final:
            yield here
        elif isinstance(entry.value, Mapping):
            yield from _finals(entry.value, here)
