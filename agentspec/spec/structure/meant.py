"""meant: what an unknown key was meant to be: near in this mapping, the same elsewhere, or a word of another system.

It only looks names up; the finding is made by the caller.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from agentspec.spec.schema import Node, branches, record_name, root
from agentspec.spec.structure.foreign_keys import foreign_keys
from agentspec.spec.structure.key_advice import ADVICE, OF_RECORD
from agentspec.spec.structure.words import quoted
from agentspec.syntax.tree import Path
from agentspec.text.alphabet import look_alikes
from agentspec.text.suggest import distance, nearest

MOST_LISTED = 12
MOST_PLACES = 3
HEADS = ("preset", "library", "scenario")  # the keys that make a document something else than an agent
LONG_ENOUGH = 6  # letters of a foreign name that is guessed at


class Meant(NamedTuple):
    """What was likely meant. `rename` is set where the key can simply be renamed where it stands."""

    help: str
    rename: str | None = None
    is_foreign: bool = False  # the name is another system's, so that its value may be another system's too


def meant_key(name: str, wanted: Node, present: Container[str], path: Path, kind: str) -> Meant:
    """What the unknown key `name` of the mapping at `path` most likely stands for. `wanted` is its schema node."""
    allowed = list(wanted.get("properties", ()))
    record = record_name(wanted) or ""
    if (record, name) in ADVICE:
        return Meant(ADVICE[record, name])
    missing = [key for key in allowed if key not in present]
    foreign = foreign_keys().get(name, ())
    beside = [place.rpartition(".")[2] for place in foreign if _stands_in(place.rpartition(".")[0], path)]
    if name in OF_RECORD.get(record, {}):
        beside.append(OF_RECORD[record][name])
    for key in beside:
        if key in missing:
            return Meant(f"did you mean `{key}`?", key, is_foreign=True)
    near = nearest(name, missing)
    if near and (distance(name, near[0]) == 1 or not _is_key_of_a_section(name, kind)):
        return Meant(f"did you mean `{near[0]}`?{look_alikes(name, near[0])}", near[0])
    if not path and kind == "agent" and "name" in missing:  # a document that says with no other key what it is
        head = nearest(name, HEADS)
        if head:
            return Meant(f"did you mean `{head[0]}`?", head[0])
    twice = [key for key in beside if key in present] or nearest(name, [key for key in allowed if key in present])
    if twice:
        return Meant(f"did you mean `{twice[0]}`? it is here already")
    return _elsewhere(name, [place for place in foreign if is_plain(place)], kind) or Meant(_list(allowed))


def _is_key_of_a_section(name: str, kind: str) -> bool:
    return any("." not in place for place in _places(kind).get(name, ()))


def unguessed(wanted: Node) -> Meant:
    """What may stand in a mapping, for a key that nobody guesses at."""
    return Meant(_list(list(wanted.get("properties", ()))))


def is_plain(place: str) -> bool:
    """Whether a place is one key, not one of every tool or of every rule."""
    return "*" not in place and "[]" not in place


def _stands_in(pattern: str, path: Path) -> bool:
    """Whether a path is what a pattern says: `*` is any name and `[]` any index."""
    wanted = pattern.replace("[]", ".[]").split(".") if pattern else []
    return len(wanted) == len(path) and all(
        step == part or (part == "*" and isinstance(step, str)) or (part == "[]" and isinstance(step, int))
        for step, part in zip(path, wanted, strict=True)
    )


def _elsewhere(name: str, foreign: list[str], kind: str) -> Meant | None:
    places = _places(kind)
    exact = places.get(name, [])
    in_sections = [place for place in exact if "." not in place]
    if in_sections:
        return Meant(f"it belongs in {quoted(in_sections)}")
    if foreign:
        return Meant(f"here this is called {quoted(foreign[:MOST_PLACES])}")
    if 0 < len(exact) <= MOST_PLACES:
        return Meant(f"it belongs in {quoted(exact)}")
    return _slip_of_another_place(name, places)


def _slip_of_another_place(name: str, places: dict[str, list[str]]) -> Meant | None:
    """What a key may be a misspelling of elsewhere: of a section's key, then of a foreign name, then of any key."""
    of_sections = {key: [place for place in places[key] if "." not in place] for key in places}
    near = _nearby(name, [key for key, where in of_sections.items() if where])
    if near:
        return _did_you_mean([f"{place}.{near}" for place in of_sections[near]])
    foreign = _nearby(name, foreign_keys()) if len(name) >= LONG_ENOUGH else None
    called = [place for place in foreign_keys().get(foreign or "", ()) if is_plain(place)]
    if called:
        return Meant(f"here this is called {quoted(called[:MOST_PLACES])}")
    near = _nearby(name, places)
    return _did_you_mean([f"{place}.{near}" for place in places[near]]) if near else None


def _nearby(name: str, known: Iterable[str]) -> str | None:
    # All keys of the language are many words: only a slip that is small for its length counts this far away.
    return next((key for key in nearest(name, known) if distance(name, key) <= max(1, len(name) // 4)), None)


def _did_you_mean(found: list[str]) -> Meant | None:
    return Meant(f"did you mean {quoted(found)}?") if 0 < len(found) <= MOST_PLACES else None


def _list(allowed: list[str]) -> str:
    if not allowed:
        return "no key is allowed here but those that begin with `x-`"
    if len(allowed) > MOST_LISTED:
        first = ", ".join(f"`{key}`" for key in allowed[:MOST_LISTED])
        return f"keys here are {first} and {len(allowed) - MOST_LISTED} more"
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
