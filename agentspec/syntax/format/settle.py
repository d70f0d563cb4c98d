"""settle: a document as it is written out: keys in canonical order, comments and blank lines where both spellings
have a place for them.

The given tree is left as it is; what comes back is new. Nothing here knows how either spelling looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agentspec.syntax.format.aliases import Aliases
from agentspec.syntax.format.order import KINDS, Order, head_of
from agentspec.syntax.format.remarks import (
    comments_of,
    copied,
    gaps,
    is_empty,
    lines_above,
    set_apart,
    set_groups_apart,
    settle_item,
    settle_toolkit,
    take,
)
from agentspec.syntax.tree import Broken, Comments, Document, Entry, Mapping, Node, Path, Scalar, Sequence
from agentspec.text.source import Span


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
    key = head_of(document.root)
    order, aliases = Order(key), Aliases()
    root = _Settler(order, aliases if keeps_aliases else None).node(document.root, ())
    made = Document(root=root, span=document.span)
    own = root.comments or Comments()
    made.tail_comments = [*own.after, *document.tail_comments]
    lead = 0
    if isinstance(root, Mapping) and root.entries:
        first = comments_of(root.entries[0])
        take(first, [*own.before, *first.before], own.inline)
        _set_header_apart(document, root)
        root.comments = None
        lead = set_apart(root.entries, order.head)
    return Settled(made, KINDS[key] if key is not None else None, lead, aliases.anchors())


def _set_header_apart(document: Document, root: Mapping) -> None:
    """Comments that a blank line sets apart from the first entry of a file are about the file: they stay at its top."""
    given = document.root
    assert isinstance(given, Mapping)
    written = root.entry(given.entries[0].name)
    if written is None or written.comments is None:
        return
    own = written.comments
    header = own.before[: max(0, len(own.before) - lines_above(document.root.span))]
    if header:
        own.before = own.before[len(header) :]
        first = comments_of(root.entries[0])
        first.before = [*header, "", *first.before]


class _Settler:
    """Copies the nodes of one document. What stands for another (`is_copy`) has no comments: those stay there."""

    def __init__(self, order: Order, aliases: Aliases | None) -> None:
        self._order = order
        self._aliases = aliases

    def node(self, node: Node, path: Path, *, is_copy: bool = False) -> Node:
        """The settled copy of a node."""
        if isinstance(node, Broken):
            return node
        is_alias = node.anchor is not None
        alias = self._aliases.alias(node) if self._aliases is not None and is_alias else None
        made = alias or self._copy(node, path, is_copy=is_copy or is_alias)
        if not is_copy:
            made.comments = copied(node.comments)
            if self._aliases is not None and not is_alias:
                self._aliases.add(node, made)
        return made

    def _copy(self, node: Scalar | Mapping | Sequence, path: Path, *, is_copy: bool) -> Scalar | Mapping | Sequence:
        match node:
            case Scalar():
                return Scalar(value=node.value, span=node.span, style=node.style)
            case Sequence():
                return self._sequence(node, path, is_copy=is_copy)
            case Mapping():
                return self._mapping(node, path, is_copy=is_copy)

    def _sequence(self, node: Sequence, path: Path, *, is_copy: bool) -> Sequence:
        items = [self.node(item, (*path, index), is_copy=is_copy) for index, item in enumerate(node.items)]
        for item, is_apart in zip(items, gaps([item.span for item in node.items]), strict=True):
            settle_item(item)
            if path == ("capability", "toolkits"):
                settle_toolkit(item)
            if is_apart and not is_copy and self._order.takes_blanks(path):
                comments_of(item).blank = True
        return Sequence(items=items, span=node.span)

    def _mapping(self, node: Mapping, path: Path, *, is_copy: bool) -> Mapping:
        apart = dict(zip(node.names(), gaps([entry.merged or entry.span for entry in node.entries]), strict=True))
        entries: list[Entry] = []
        for entry in self._entries(node, path):
            is_whole = entry.merged is not None and entry.key.anchor is not None
            made = entry if is_whole else self._entry(entry, path, is_copy=is_copy or entry.merged is not None)
            is_apart = apart.get(entry.name, False) and entry.merged is None and bool(entries)
            if is_apart and not is_copy and self._order.takes_blanks(path):
                comments_of(made).blank = True
            entries.append(made)
        if path == ("capability",):
            set_groups_apart(entries)
        return Mapping(entries=entries, span=node.span)

    def _entries(self, node: Mapping, path: Path) -> Iterator[Entry]:
        """The entries in order; those that a `<<` brings in as that `<<`, where it can stay."""
        whole: dict[Span, Entry | None] = {}
        for entry in self._order.ordered(node, path):
            if entry.merged is None or self._aliases is None:
                yield entry
                continue
            is_first = entry.merged not in whole
            merge = whole.setdefault(entry.merged, self._aliases.merge(entry.merged) if is_first else None)
            if merge is None:
                yield entry
            elif is_first:
                yield merge

    def _entry(self, entry: Entry, path: Path, *, is_copy: bool) -> Entry:
        value = self.node(entry.value, (*path, entry.name), is_copy=is_copy)
        key = Scalar(value=entry.key.value, span=entry.key.span, style=entry.key.style)
        made = Entry(key=key, value=value, operation=entry.operation, final=entry.final)
        if not is_copy:
            made.comments = copied(entry.comments)
        inner = value.comments
        if inner is not None:
            own = comments_of(made)
            take(own, [*own.before, *inner.before], inner.inline)
            inner.before, inner.inline = [], None
            if not isinstance(value, Mapping | Sequence) or is_empty(value):
                own.before += inner.after
                inner.after = []
        if made.comments is not None:
            made.comments.before += made.comments.after
            made.comments.after = []
        return made
