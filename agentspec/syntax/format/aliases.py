"""aliases: anchors, aliases and `<<` of a YAML file that stays YAML: each as it stands, if its anchor is above it."""

from __future__ import annotations

import re

from agentspec.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from agentspec.text.source import Span

_MERGED = re.compile(r"[ \t]*:[ \t]*(\*[^\s,\[\]{}]+|\[[ \t]*\*[^\s,\[\]{}]+(?:[ \t]*,[ \t]*\*[^\s,\[\]{}]+)*[ \t]*\])")
_ANCHOR = re.compile(r"&([^\s,\[\]{}]+)(?:[ \t\r\n]+|#[^\r\n]*|!(?:final|unset))*")
_ALIAS = re.compile(r"\*([^\s,\[\]{}]+)")
Place = tuple[int, int]


class Aliases:
    """What was written of one document, and which of it is repeated."""

    def __init__(self) -> None:
        self._seen: dict[Place, Node] = {}  # what was written already, by its place in the source
        self._by_start: dict[int, Place] = {}
        self._names: dict[Place, str] = {}  # what an alias repeats
        self._offsets: dict[str, list[int]] | None = None  # where what may be an anchor's value begins, by its name

    def anchors(self) -> dict[int, str]:
        """The names of the nodes that are repeated, by the `id` of what was written."""
        return {id(self._seen[place]): name for place, name in self._names.items()}

    def add(self, node: Node, made: Node) -> None:
        """A node was written."""
        place = (node.span.start, node.span.end)
        self._seen[place] = made
        self._by_start[node.span.start] = place

    def alias(self, node: Scalar | Mapping | Sequence) -> Scalar | None:
        """An alias as it stands; None where what it repeats is not written above it."""
        assert node.anchor is not None
        place = (node.anchor.start, node.anchor.end)
        name = _ALIAS.match(node.span.text)
        if name is None or place not in self._seen:
            return None
        self._names[place] = name[1]
        return Scalar(value=name[0], span=node.span, anchor=node.anchor)

    def merge(self, key: Span) -> Entry | None:
        """A `<<` that brings in nothing but aliases, as it stands; None for one that has to be written out."""
        found = _MERGED.match(key.source.text, key.end)
        if found is None:
            return None
        places = {name: self._anchor(key, name) for name in _ALIAS.findall(found[1])}
        names = {place: name for name, place in places.items() if place is not None}
        if len(names) < len(places):
            return None
        self._names.update(names)
        value = Scalar(value=found[1], span=key, anchor=key)
        return Entry(key=Scalar(value="<<", span=key, anchor=key), value=value, merged=key)

    def _anchor(self, alias: Span, name: str) -> Place | None:
        """The place of what an anchor names, as long as it is written already."""
        if self._offsets is None:
            self._offsets = {}
            for found in _ANCHOR.finditer(alias.source.text):
                self._offsets.setdefault(found[1], []).append(found.end())
        starts = self._offsets.get(name, ())
        return next((self._by_start[start] for start in starts if start in self._by_start), None)
