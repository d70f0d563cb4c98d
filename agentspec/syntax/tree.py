"""tree: the document tree that both spellings parse to; every node knows its span.

Nodes are compared with `same`, never by identity. What could not be read is `Broken`, not absent. No dataclasses: they
are slow to define, and each check of a file starts a process.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source, Span

Style = Literal[
    "plain", "single", "double", "literal", "folded", "word", "string", "text", "number", "quantity", "expression"
]
Operation = Literal["set", "append", "unset"]
Plain: TypeAlias = bool | int | float | str | None


class Comments:
    """The comments of a node, each with its `#`: above it, on its line, and after its last entry.

    `blank` asks for a blank line above all of it; only what is about to be written says so.
    """

    __slots__ = ("after", "before", "blank", "inline")

    def __init__(
        self,
        before: list[str] | None = None,
        inline: str | None = None,
        after: list[str] | None = None,
        blank: bool = False,
    ) -> None:
        self.before = before if before is not None else []
        self.inline = inline
        self.after = after if after is not None else []
        self.blank = blank


class Scalar:
    """A string, number, boolean or null. `style` tells how it was written; `value` is what it means.

    `word`, `string`, `text`, `number`, `quantity` and `expression` are the DSL's styles, the others YAML's.
    For an anchored value reached through `*alias`, `span` is the alias and `anchor` the span of the value.
    """

    __slots__ = ("anchor", "base_indent", "comments", "span", "style", "value")

    def __init__(
        self,
        *,
        value: Plain,
        span: Span,
        style: Style = "plain",
        anchor: Span | None = None,
        comments: Comments | None = None,
        base_indent: int = 0,
    ) -> None:
        self.value = value
        self.span = span
        self.style = style
        self.anchor = anchor
        self.comments = comments
        self.base_indent = base_indent  # the columns that a block scalar's or raw text's lines lost


class Entry:
    """One `key: value` of a mapping. `key.value` is always a string, without the `+` of an append.

    `merged` is the span of the `<<` key that brought the entry in. An unset entry's value is a null scalar.
    """

    __slots__ = ("comments", "final", "key", "merged", "name", "operation", "value")

    def __init__(
        self,
        *,
        key: Scalar,
        value: Node,
        operation: Operation = "set",
        final: bool = False,
        merged: Span | None = None,
        comments: Comments | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self.operation = operation
        self.final = final
        self.merged = merged
        self.comments = comments
        # Asked for more often than anything else of a document. While the DSL is read, the key may be a part that could
        # not be read; such an entry enters no tree.
        self.name = str(getattr(key, "value", ""))

    @property
    def span(self) -> Span:
        return Span(self.key.span.source, self.key.span.start, max(self.key.span.end, self.value.span.end))

    def with_value(self, value: Node) -> Entry:
        """The same entry with this value; itself where it has it."""
        if value is self.value:
            return self
        return Entry(
            key=self.key,
            value=value,
            operation=self.operation,
            final=self.final,
            merged=self.merged,
            comments=self.comments,
        )


class Mapping:
    """Entries in the order they were written; names are unique.

    Entries may be added while a document is read; none is taken away or renamed.
    """

    __slots__ = ("_index", "anchor", "comments", "entries", "flow", "span")

    def __init__(
        self,
        *,
        entries: list[Entry],
        span: Span,
        flow: bool = False,
        anchor: Span | None = None,
        comments: Comments | None = None,
    ) -> None:
        self.entries = entries
        self.span = span
        self.flow = flow
        self.anchor = anchor
        self.comments = comments
        self._index: dict[str, Entry] = {}

    def get(self, name: str) -> Node | None:
        entry = self.entry(name)
        return None if entry is None or entry.operation == "unset" else entry.value

    def entry(self, name: str) -> Entry | None:
        if len(self._index) != len(self.entries):
            self._index = {entry.name: entry for entry in reversed(self.entries)}
        return self._index.get(name)

    def names(self) -> list[str]:
        return [entry.name for entry in self.entries]

    def with_entries(self, entries: list[Entry]) -> Mapping:
        """A mapping at the same place with these entries."""
        return Mapping(entries=entries, span=self.span, flow=self.flow, anchor=self.anchor, comments=self.comments)


class Sequence:
    """Items in order."""

    __slots__ = ("anchor", "comments", "flow", "items", "span")

    def __init__(
        self,
        *,
        items: list[Node],
        span: Span,
        flow: bool = False,
        anchor: Span | None = None,
        comments: Comments | None = None,
    ) -> None:
        self.items = items
        self.span = span
        self.flow = flow
        self.anchor = anchor
        self.comments = comments

    def with_items(self, items: list[Node]) -> Sequence:
        """A list at the same place with these items."""
        return Sequence(items=items, span=self.span, flow=self.flow, anchor=self.anchor, comments=self.comments)


class Broken:
    """A place whose text could not be read: unknown to every check, never reported as missing or unused."""

    __slots__ = ("comments", "span")

    def __init__(self, *, span: Span, comments: Comments | None = None) -> None:
        self.span = span
        self.comments = comments


Node: TypeAlias = Scalar | Mapping | Sequence | Broken
Path: TypeAlias = tuple[str | int, ...]


class Document:
    """One agent, preset, library or scenario of a file. `root` is a mapping unless the author wrote something else.

    A DSL head lowers into the root: `agent x extends y {…}` has the entries `name: x` and `extends: y` first.
    `has_broken` is true where some part of the document could not be read.
    """

    __slots__ = ("has_broken", "root", "span", "tail_comments")

    def __init__(
        self, *, root: Node, span: Span, has_broken: bool = False, tail_comments: list[str] | None = None
    ) -> None:
        self.root = root
        self.span = span
        self.has_broken = has_broken
        self.tail_comments = tail_comments if tail_comments is not None else []


class Parsed:
    """What reading a file gave: its documents and what was wrong with its text.

    `is_commented` is true where the comments of a YAML file were put into its documents.
    """

    __slots__ = ("diagnostics", "documents", "is_commented", "source", "spelling")

    def __init__(
        self,
        *,
        source: Source,
        spelling: Literal["yaml", "dsl"],
        documents: list[Document],
        diagnostics: list[Diagnostic],
        is_commented: bool = False,
    ) -> None:
        self.source = source
        self.spelling = spelling
        self.documents = documents
        self.diagnostics = diagnostics
        self.is_commented = is_commented


def plain(node: Node) -> object:
    """The plain Python value of a node: dict, list, str, int, float, bool or None (also for what is broken)."""
    match node:
        case Scalar():
            return node.value
        case Mapping():
            return {entry.name: plain(entry.value) for entry in node.entries if entry.operation != "unset"}
        case Sequence():
            return [plain(item) for item in node.items]
        case Broken():
            return None


def same(left: Node, right: Node) -> bool:
    """Whether two nodes mean the same: spans, styles and comments do not count; `2` and `2.0` differ."""
    match left, right:
        case Scalar(), Scalar():
            return type(left.value) is type(right.value) and left.value == right.value
        case Mapping(), Mapping():
            return len(left.entries) == len(right.entries) and all(
                a.name == b.name and a.operation == b.operation and a.final == b.final and same(a.value, b.value)
                for a, b in zip(left.entries, right.entries, strict=True)
            )
        case Sequence(), Sequence():
            return len(left.items) == len(right.items) and all(
                same(a, b) for a, b in zip(left.items, right.items, strict=True)
            )
        case Broken(), Broken():
            return True
        case _:
            return False


def find(node: Node, path: Path) -> Node | None:
    """The node at a path, or None where the document has none."""
    found: Node | None = node
    for step in path:
        if isinstance(found, Mapping):
            found = found.get(step) if isinstance(step, str) else None
        elif isinstance(found, Sequence) and isinstance(step, int):
            found = found.items[step] if 0 <= step < len(found.items) else None
        else:
            return None
    return found


def walk(node: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Every node with its path, parents first. Aliased parts are visited at each place where they are used."""
    waiting = [(path, node)]
    while waiting:
        where, node = waiting.pop()
        yield where, node
        # A generator for each level would pass every node through all those above it.
        if isinstance(node, Mapping):
            waiting += [((*where, entry.name), entry.value) for entry in reversed(node.entries)]
        elif isinstance(node, Sequence):
            waiting += [((*where, index), node.items[index]) for index in range(len(node.items) - 1, -1, -1)]


def mappings(node: Node, path: Path = ()) -> Iterator[tuple[Path, Mapping]]:
    """Every mapping with its path, parents first, as `walk` gives them among all nodes."""
    waiting = [(path, node)]
    while waiting:
        where, node = waiting.pop()
        if isinstance(node, Mapping):
            yield where, node
            inside = [((*where, each.name), each.value) for each in node.entries if not isinstance(each.value, Scalar)]
        else:
            items = node.items if isinstance(node, Sequence) else []
            inside = [((*where, index), item) for index, item in enumerate(items) if not isinstance(item, Scalar)]
        waiting += reversed(inside)


def dotted(path: Path) -> str:
    """A path as people write it: `execution.loop_control[0].when`; odd names are quoted."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.replace("_", "a").replace("-", "a").isalnum():
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text


def holder(place: str) -> str:
    """The dotted place of what a dotted place stands in: that of its mapping or list, `""` at the top.

    >>> holder("execution.loop_control[0]"), holder('capability.tools["a b"]'), holder("model")
    ('execution.loop_control', 'capability.tools', '')
    """
    if place.endswith('"]'):
        return place[: place.rindex('["')]
    if place.endswith("]"):
        return place[: place.rindex("[")]
    return place.rpartition(".")[0]
