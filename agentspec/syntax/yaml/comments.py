"""comments: give each comment of a YAML file to the entry, item or block that it speaks of.

Not part of reading: the parser knows no comments, and `check` does not need them. Whoever writes a file back (the
formatter, `convert`) calls `attach` on what `parse` gave. No comment is lost.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from agentspec.syntax.offsets import line_start
from agentspec.syntax.tree import Broken, Comments, Document, Entry, Mapping, Node, Parsed, Scalar, Sequence
from agentspec.text.source import Source, Span


class Site(NamedTuple):
    """An entry or item that comments can belong to; `column` is that of its key or its `-`."""

    start: int
    end: int
    column: int
    target: Entry | Node
    parent: Block | None


class Block(NamedTuple):
    """A collection whose end comments can belong to."""

    start: int
    end: int
    column: int
    node: Mapping | Sequence
    parent: Block | None


def find(parsed: Parsed) -> list[Span]:
    """Every comment of a YAML file, from its `#` to the end of its text; what stands inside a value is none."""
    source = parsed.source
    if "#" not in source.text:
        return []
    inside = sorted(span for document in parsed.documents for span in _texts(document.root))
    starts = [start for start, _ in inside]
    found: list[Span] = []
    comment = re.compile(r"(?:(?<=[ \t\r\n\ufeff])|\A)#[^\r\n]*")
    at = 0
    while (match := comment.search(source.text, at)) is not None:
        around = bisect_right(starts, match.start()) - 1
        at = match.end()
        if around < 0 or inside[around][1] <= match.start():
            found.append(Span(source, match.start(), match.start() + len(match.group().rstrip())))
        else:
            at = inside[around][1]  # behind the value, a comment may stand on the same line
    return found


def _texts(node: Node) -> Iterator[tuple[int, int]]:
    """The stretches in which a `#` is text."""
    match node:
        case Scalar(style="literal" | "folded", anchor=None):
            header = re.compile(r"[^\r\n]*").match(node.span.source.text, node.span.start)
            yield (header.end() if header else node.span.start, node.span.end)
        case Scalar(anchor=None) | Broken():
            yield (node.span.start, node.span.end)
        case Mapping(anchor=None):
            for entry in node.entries:
                if entry.merged is None:
                    yield (entry.key.span.start, entry.key.span.end)
                    yield from _texts(entry.value)
        case Sequence(anchor=None):
            for item in node.items:
                yield from _texts(item)


def attach(parsed: Parsed) -> None:
    """Put every comment into the tree: above an entry or item, on its line, or behind the last one of a block.

    A comment on a line of its own belongs to what follows; where it is indented deeper than that, it ends the block at
    its column. A comment behind something belongs to the outermost entry that begins on its line, else to the one that
    ends there; for an item that is a mapping or a list, it goes above the item.
    """
    comments = find(parsed) if not parsed.is_commented else []
    parsed.is_commented = True
    if not comments or not parsed.documents:
        return
    source = parsed.source
    marks = [found.start() for found in re.finditer(r"^---", source.text, re.MULTILINE)]
    bounds = [_begin(marks, document) for document in parsed.documents[1:]]
    places = [_Places(source, document) for document in parsed.documents]
    for comment in comments:
        places[bisect_right(bounds, comment.start)].give(comment)


def _begin(marks: list[int], document: Document) -> int:
    """Where the `---` stands that begins a document: what comes before it belongs to the one above."""
    at = bisect_right(marks, document.span.start) - 1
    return marks[at] if at >= 0 else document.span.start


class _Places:
    """The places of one document that comments can belong to."""

    def __init__(self, source: Source, document: Document) -> None:
        self.source = source
        self.text = source.text
        self.document = document
        self.sites: list[Site] = []
        self._collect(document.root, None)
        self.sites.sort(key=lambda site: (site.start, -site.end))
        self.starts = [site.start for site in self.sites]
        self.by_end = sorted(self.sites, key=lambda site: (site.end, -site.start))  # the outermost last
        self.ends = [site.end for site in self.by_end]

    def _collect(self, node: Node, parent: Block | None) -> None:
        if isinstance(node, Scalar | Broken) or node.anchor is not None:
            return
        column = self._column(node.span.start)
        block = Block(node.span.start, node.span.end, column, node, parent)
        if isinstance(node, Mapping):
            for entry in node.entries:
                if entry.merged is None:
                    start = entry.key.span.start
                    self.sites.append(Site(start, entry.span.end, self._column(start), entry, block))
                    self._collect(entry.value, block)
            return
        before = node.span.start
        for item in node.items:
            start = item.span.start if node.flow else self._dash(before, is_first=before == node.span.start)
            before = item.span.end
            self.sites.append(Site(start, item.span.end, self._column(start), item, block))
            self._collect(item, block)

    def _dash(self, at: int, *, is_first: bool) -> int:
        """Where the `-` of an item stands: the next thing on a line of its own that is no comment."""
        if is_first:
            return at
        found = re.compile(r"[^\r\n]*(?:[\r\n]+[ \t]*(?:#[^\r\n]*)?)*").match(self.text, at)
        return found.end() if found else at

    def _column(self, at: int) -> int:
        return at - line_start(self.text, at)

    def give(self, comment: Span) -> None:
        """Put one comment where it belongs."""
        line = line_start(self.text, comment.start)
        if self.text[line : comment.start].strip() and self._beside(comment, line):
            return
        site = self._following(comment)
        if site is not None:
            _said(site.target).before.append(comment.text)
            return
        block = self._ending(comment)
        if block is None or (block.parent is None and not block.node.flow):
            self.document.tail_comments.append(comment.text)
        else:
            _said(block.node).after.append(comment.text)

    def _beside(self, comment: Span, line: int) -> bool:
        """The comment behind something on its line; False where nothing there can have it."""
        at = bisect_left(self.starts, line)
        if at < len(self.sites) and self.starts[at] < comment.start:
            site = self.sites[at]
            is_hoisted = isinstance(site.target, Mapping | Sequence) and site.target.anchor is None
        else:
            last = bisect_right(self.ends, comment.start) - 1
            if last < 0 or self.ends[last] <= line:
                return False
            site, is_hoisted = self.by_end[last], False
        said = _said(site.target)
        if is_hoisted or said.inline is not None:
            said.before.append(comment.text)
        else:
            said.inline = comment.text
        return True

    def _following(self, comment: Span) -> Site | None:
        """The entry or item that a comment stands above; None where it ends a block."""
        at = bisect_left(self.starts, comment.start)
        site = self.sites[at] if at < len(self.sites) else None
        around = self._around(comment)
        if around is not None:
            return site if site is not None and site.start < around.end else None
        if site is None or self._deeper(comment, site.column) is not None:
            return None
        return site

    def _around(self, comment: Span) -> Block | None:
        """The innermost brackets that a comment stands in."""
        at = bisect_left(self.starts, comment.start)
        blocks: list[Block] = []
        for site in self.sites[max(0, at - 1) : at + 1]:
            block = site.parent
            while block is not None:
                blocks.append(block)
                block = block.parent
        inside = [block for block in blocks if block.node.flow and block.start < comment.start < block.end]
        return max(inside, key=lambda block: block.start, default=None)

    def _above(self, comment: Span) -> list[Block]:
        """The blocks that the last entry before a comment stands in, the innermost first."""
        at = bisect_left(self.starts, comment.start) - 1
        block = self.sites[at].parent if at >= 0 else None
        blocks: list[Block] = []
        while block is not None:
            blocks.append(block)
            block = block.parent
        return [block for block in blocks if not block.node.flow]

    def _deeper(self, comment: Span, column: int) -> Block | None:
        """The block that ends above a comment and stands deeper than what follows, by the comment's own column."""
        own = self._column(comment.start)
        blocks = [block for block in self._above(comment) if column < block.column <= own]
        return blocks[0] if blocks else None

    def _ending(self, comment: Span) -> Block | None:
        around = self._around(comment)
        if around is not None:
            return around
        at = bisect_left(self.starts, comment.start)
        return self._deeper(comment, self.sites[at].column if at < len(self.sites) else -1)


def _said(target: Entry | Node) -> Comments:
    if target.comments is None:
        target.comments = Comments()
    return target.comments
