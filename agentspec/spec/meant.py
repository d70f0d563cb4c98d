"""meant: what an unknown key was meant to be: near in this mapping, the same elsewhere, or a word of another system.

It only looks names up; the finding is made by the caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from agentspec.spec import names
from agentspec.spec.schema import Node, branches, root
from agentspec.spec.words import quoted
from agentspec.text.suggest import nearest

MOST_LISTED = 12


class Meant(NamedTuple):
    """What was likely meant. `rename` is set where the key can simply be renamed where it stands."""

    help: str
    rename: str | None = None


def meant_key(name: str, allowed: list[str], present: list[str], here: str, kind: str) -> Meant:
    """What the unknown key `name` of the mapping at the dotted path `here` most likely stands for."""
    open_names = [key for key in allowed if key not in present]
    foreign = names.KEYS.get(name, ())
    beside = [path.rpartition(".")[2] for path in foreign if path.rpartition(".")[0] == here]
    near = [key for key in beside if key in open_names] or nearest(name, open_names)
    if near:
        return Meant(f"did you mean `{near[0]}`?", near[0])
    twice = nearest(name, present and [key for key in allowed if key in present])
    if twice:
        return Meant(f"did you mean `{twice[0]}`? it is here already")
    return _elsewhere(name, foreign, here, kind) or Meant(_list(allowed))


def _elsewhere(name: str, foreign: tuple[str, ...], here: str, kind: str) -> Meant | None:
    places = _places(kind)
    if name in places:
        return Meant(f"it belongs in {quoted(places[name][:3])}")
    if foreign:
        return Meant(f"here this is called {quoted(path for path in foreign if path != here)}")
    near = nearest(name, places)
    return Meant(f"did you mean {quoted(f'{place}.{near[0]}' for place in places[near[0]][:2])}?") if near else None


def _list(allowed: list[str]) -> str:
    if not allowed:
        return "no key is allowed here but those that begin with `x-`"
    if len(allowed) > MOST_LISTED:
        return f"keys here are {quoted(allowed[:MOST_LISTED], 'and')} and {len(allowed) - MOST_LISTED} more"
    return f"keys here are {quoted(allowed, 'and')}" if len(allowed) > 1 else f"the only key here is `{allowed[0]}`"


@cache
def _places(kind: str) -> dict[str, list[str]]:
    """The places of each key down to the third level: `max_nudges` is in `execution`."""
    found: dict[str, list[str]] = {}
    for place, name in _keys(root(kind), "", 0):
        if place not in found.setdefault(name, []):
            found[name].append(place)
    return found


def _keys(node: Node, place: str, depth: int) -> Iterator[tuple[str, str]]:
    for branch in branches(node):
        for name, value in branch.get("properties", {}).items():
            if place:
                yield place, name
            if depth < 2:
                yield from _keys(value, f"{place}.{name}" if place else name, depth + 1)
