"""settle: a document as it is written out: keys in canonical order, comments and blank lines where both spellings
have a place for them.

The given tree is left as it is; what comes back is new. Nothing here knows how either spelling looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from agentspec.syntax.tree import Broken, Comments, Document, Entry, Mapping, Node, Path, Scalar, Sequence
from agentspec.text.source import Span

KINDS = {"scenario": "scenario", "library": "library", "preset": "preset", "name": "agent"}  # by the head's key
FIRST = {"scenario": ("scenario", "for"), "library": ("library", "version")}
OF_A_TOOL = ("description", "parameters", "returns")
_BLANK_LINE = re.compile(r"(?:\n|\r\n?)[ \t]*(?:\n|\r)")
_MERGE_OF_ALIASES = re.compile(
    r"[ \t]*:[ \t]*(\*[^\s,\[\]{}]+|\[[ \t]*\*[^\s,\[\]{}]+(?:[ \t]*,[ \t]*\*[^\s,\[\]{}]+)*[ \t]*\])"
)
_ANCHOR = re.compile(r"&([^\s,\[\]{}]+)(?:[ \t\r\n]+|#[^\r\n]*|!(?:final|unset))*")
_ALIAS = re.compile(r"\*([^\s,\[\]{}]+)")
Place = tuple[int, int]


class Settled(NamedTuple):
    """A document to write: its kind (None for what is neither agent, preset, library nor scenario), and the anchors.

    `lead` is how many entries make its head. `anchors` has the name for each node that an alias repeats, by the node's
    `id`; an alias is a scalar with an `anchor`, whose value is its text.
    """

    document: Document
    kind: str | None
    lead: int
    anchors: dict[int, str]

    @property
    def root(self) -> Node:
        return self.document.root


def settle(document: Document, *, keeps_aliases: bool) -> Settled:
    """The document in canonical form. Without `keeps_aliases` what an alias repeats is written out."""
    kind = kind_of(document.root)
    settler = _Settler(kind, keeps_aliases=keeps_aliases)
    root = settler.node(document.root, ())
    made = Document(root=root, span=document.span)
    own = root.comments or Comments()
    made.tail_comments = [*own.after, *document.tail_comments]
    lead = 0
    if isinstance(root, Mapping) and root.entries:
        first = comments_of(root.entries[0])
        _take(first, [*own.before, *first.before], own.inline)
        root.comments = None
        lead = _set_apart(root.entries, settler.head())
    return Settled(made, kind, lead, settler.anchors())


def kind_of(root: Node) -> str | None:
    """What a document is: the first of its keys that can be a head."""
    if not isinstance(root, Mapping):
        return None
    return next((KINDS[key] for key in KINDS if root.entry(key) is not None), None)


def comments_of(keeper: Entry | Node) -> Comments:
    """The comments of a settled entry or node, to be changed."""
    if keeper.comments is None:
        keeper.comments = Comments()
    return keeper.comments


def is_noted(node: Node) -> bool:
    """Whether anything inside a node has comments or a blank line above it."""
    match node:
        case Mapping():
            return _says(node.comments) or any(_says(each.comments) or is_noted(each.value) for each in node.entries)
        case Sequence():
            return _says(node.comments) or any(_says(each.comments) or is_noted(each) for each in node.items)
    return False


def is_bare(entry: Entry) -> bool:
    """Whether an entry is a plain `key: value` without a comment."""
    return entry.operation == "set" and not entry.final and not _says(entry.comments)


def _says(comments: Comments | None) -> bool:
    return comments is not None and bool(comments.before or comments.inline or comments.after or comments.blank)


def _take(comments: Comments, before: Iterable[str], inline: str | None) -> None:
    """Add what another keeper had; of two comments beside one line the second goes above."""
    comments.before = [*before]
    if inline is not None and comments.inline is not None:
        comments.before.append(inline)
    elif inline is not None:
        comments.inline = inline


class _Settler:
    def __init__(self, kind: str | None, *, keeps_aliases: bool) -> None:
        self._kind = kind
        self._keeps_aliases = keeps_aliases
        self._seen: dict[Place, Node] = {}  # what was written out already, by its place in the source
        self._names: dict[Place, str] = {}  # what is repeated by an alias
        self._by_start: dict[int, Place] = {}
        self._offsets: dict[str, list[int]] | None = None  # where what may be an anchor's value begins, by its name

    def anchors(self) -> dict[int, str]:
        return {id(self._seen[place]): name for place, name in self._names.items()}

    def node(self, node: Node, path: Path, *, is_copy: bool = False) -> Node:
        """The settled copy of a node; one that stands for another (`is_copy`) has no comments: those stay there."""
        if not isinstance(node, Broken) and node.anchor is not None:
            return self._alias(node, path, is_copy=is_copy)
        match node:
            case Mapping():
                made: Node = self._mapping(node, path, is_copy=is_copy)
            case Sequence():
                made = self._sequence(node, path, is_copy=is_copy)
            case Scalar():
                made = Scalar(value=node.value, span=node.span, style=node.style)
            case Broken():
                return node
        if not is_copy:
            place = node.span.start, node.span.end
            self._seen[place] = made
            self._by_start[node.span.start] = place
            made.comments = _copy(node.comments)
        return made

    def _alias(self, node: Scalar | Mapping | Sequence, path: Path, *, is_copy: bool) -> Node:
        """An alias as it stands, as long as its anchor is written above it; else a copy of what it repeats."""
        assert node.anchor is not None
        place = (node.anchor.start, node.anchor.end)
        name = _ALIAS.match(node.span.text)
        if self._keeps_aliases and place in self._seen and name:
            self._names[place] = name[1]
            said = None if is_copy else _copy(node.comments)
            return Scalar(value=name[0], span=node.span, anchor=node.anchor, comments=said)
        match node:
            case Mapping():
                made: Node = self._mapping(node, path, is_copy=True)
            case Sequence():
                made = self._sequence(node, path, is_copy=True)
            case Scalar():
                made = Scalar(value=node.value, span=node.span, style=node.style)
        made.comments = None if is_copy else _copy(node.comments)
        return made

    # Lists.

    def _sequence(self, node: Sequence, path: Path, *, is_copy: bool) -> Sequence:
        gaps = _gaps([item.span for item in node.items])
        items = [self.node(item, (*path, index), is_copy=is_copy) for index, item in enumerate(node.items)]
        for item, is_apart in zip(items, gaps, strict=True):
            _settle_item(item)
            if is_apart and not is_copy:
                comments_of(item).blank = not self._is_run_on(path)
        return Sequence(items=items, span=node.span)

    # Mappings.

    def _mapping(self, node: Mapping, path: Path, *, is_copy: bool) -> Mapping:
        ordered = self._ordered(node, path)
        is_moved = [entry for entry in ordered if entry.merged is None] != [e for e in node.entries if e.merged is None]
        entries: list[Entry] = []
        gaps = dict(zip(map(id, node.entries), _gaps([entry.span for entry in node.entries]), strict=True))
        merged: Span | None = None
        for entry in ordered:
            if entry.merged is not None and self._keeps_aliases and not is_moved:
                if entry.merged is not merged:
                    merge = self._merge(entry.merged)
                    merged = entry.merged if merge is not None else None
                    entries += [merge] if merge is not None else []
                if merged is not None:
                    continue
            made = self._entry(entry, path, is_copy=is_copy or entry.merged is not None)
            if gaps[id(entry)] and not is_copy and entry.merged is None and entries:
                comments_of(made).blank = not self._is_run_on(path)
            entries.append(made)
        return Mapping(entries=entries, span=node.span)

    def _entry(self, entry: Entry, path: Path, *, is_copy: bool) -> Entry:
        value = self.node(entry.value, (*path, entry.name), is_copy=is_copy)
        key = Scalar(value=entry.key.value, span=entry.key.span, style=entry.key.style)
        made = Entry(key=key, value=value, operation=entry.operation, final=entry.final)
        if not is_copy:
            made.comments = _copy(entry.comments)
        inner = value.comments
        if inner is not None:
            own = comments_of(made)
            _take(own, [*own.before, *inner.before], inner.inline)
            inner.before, inner.inline = [], None
            if not isinstance(value, Mapping | Sequence) or _is_empty(value):
                own.before += inner.after
                inner.after = []
        if made.comments is not None:
            made.comments.before += made.comments.after
            made.comments.after = []
        return made

    def _merge(self, key: Span) -> Entry | None:
        """A `<<` that brings in nothing but aliases, as it stands; None for one that has to be written out."""
        found = _MERGE_OF_ALIASES.match(key.source.text, key.end)
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

    def _ordered(self, node: Mapping, path: Path) -> list[Entry]:
        first = self._first(node, path)
        if not first:
            return node.entries
        leading = [entry for name in first if (entry := node.entry(name)) is not None]
        return [*leading, *(entry for entry in node.entries if entry.name not in first)]

    def _first(self, node: Mapping, path: Path) -> tuple[str, ...]:
        if path == ():
            return self.head()
        if self._is_tool(path):
            return OF_A_TOOL
        return ("when",) if isinstance(path[-1], int) and node.entry("when") is not None else ()

    def head(self) -> tuple[str, ...]:
        if self._kind is None:
            return ()
        key = next(key for key, kind in KINDS.items() if kind == self._kind)
        return (*FIRST.get(key, (key,)), "extends")

    def _is_tool(self, path: Path) -> bool:
        return self._kind in ("agent", "preset") and len(path) == 3 and path[:2] == ("capability", "tools")

    def _is_run_on(self, path: Path) -> bool:
        """Whether the entries of a mapping stand on one line in one of the spellings, so that none is set apart."""
        if path and isinstance(path[-1], int):
            return True
        has_types = self._kind in ("agent", "preset") and (
            (len(path) >= 2 and path[0] == "inputs")
            or (len(path) >= 4 and path[:2] == ("capability", "tools") and path[3] in OF_A_TOOL)
        )
        return has_types or self._is_tool(path)


def _copy(comments: Comments | None) -> Comments | None:
    if comments is None:
        return None
    return Comments(before=[*comments.before], inline=comments.inline, after=[*comments.after])


def _gaps(spans: list[Span]) -> list[bool]:
    """For each of the neighbours whether a blank line stands above it."""
    gaps = [False] * len(spans)
    for index in range(1, len(spans)):
        last, here = spans[index - 1], spans[index]
        if last.end < here.start:
            gaps[index] = _BLANK_LINE.search(here.source.text, last.end, here.start) is not None
    return gaps


def _set_apart(entries: list[Entry], head: tuple[str, ...]) -> int:
    """Set the long entries of a document apart by blank lines, but for its head and the next one; the head's length."""
    lead = next((index for index, entry in enumerate(entries) if entry.name not in head), len(entries))
    was_long = False
    for index, entry in enumerate(entries):
        is_long = _is_long(entry.value)
        said = entry.comments
        if index <= lead and said is not None:
            said.blank = False
        elif index > lead and (is_long or was_long or (said is not None and said.before)):
            comments_of(entry).blank = True
        was_long = is_long
    return lead


def _is_long(node: Node) -> bool:
    """Whether a value takes several lines in some spelling."""
    match node:
        case Mapping():
            return bool(node.entries)
        case Sequence():
            return is_noted(node) or any(isinstance(item, Mapping) or _is_long(item) for item in node.items)
        case Scalar(value=str(text)):
            return "\n" in text
    return False


def _is_empty(node: Node) -> bool:
    match node:
        case Mapping():
            return not node.entries
        case Sequence():
            return not node.items
    return False


def _settle_item(item: Node) -> None:
    """What is said on the first line of an item that is a mapping or a list goes above it, in either spelling."""
    if not isinstance(item, Mapping | Sequence):
        return
    first = _first_of(item)
    inner = first.comments if first is not None else None
    if item.comments is None and inner is None:
        return
    own = comments_of(item)
    said = [own.inline] if own.inline is not None else []
    own.inline = None
    if inner is not None:
        said += [*inner.before, *([inner.inline] if inner.inline is not None else [])]
        inner.before, inner.inline = [], None
    if _is_empty(item):
        said += own.after
        own.after = []
    own.before += said


def _first_of(item: Mapping | Sequence) -> Entry | Node | None:
    if isinstance(item, Mapping):
        return item.entries[0] if item.entries else None
    return item.items[0] if item.items else None
