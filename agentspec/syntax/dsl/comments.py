"""comments: give each comment of a DSL file to the entry, item or block that it speaks of.

A comment on a line of its own belongs to what comes next inside the innermost braces, else to the end of that block.
One that a blank line sets apart from the first `tool` of several (or `toolkit`, `mcp`, …) speaks of them all.
A comment behind something belongs to the outermost entry that starts on its line, or else ends there; a second one
behind the same entry goes to the end of its block. A comment in the middle of an entry goes above it. None is lost, as
long as the file has a document at all.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator

from agentspec.syntax.dsl.lower import Site
from agentspec.syntax.tree import Comments, Document, Entry, Mapping, Node, Sequence
from agentspec.text.source import BLANK_LINE, Source

Place = tuple[int, int]


def attach(
    source: Source, comments: list[Place], sites: list[Site], groups: dict[int, Entry], documents: list[Document]
) -> None:
    """Put the text of each comment into the tree; `groups` has what heads have joined into, by the first of them."""
    if not comments or not documents:
        return
    places = _Places(source, sites, groups)
    for (start, end), around in zip(sorted(comments), _around(sorted(comments), sites), strict=True):
        text = re.sub("^//", "#", source.text[start:end].rstrip())
        if not _inline(places, text, start) and not _above(places, text, start, around):
            documents[-1].tail_comments.append(text)


class _Places:
    """The sites that are no containers, by their start (outermost first) and by their end (outermost last)."""

    def __init__(self, source: Source, sites: list[Site], groups: dict[int, Entry]) -> None:
        self.source = source
        self.groups = groups
        self.text = source.text
        points = [site for site in sites if not site.is_container]
        self.by_start = sorted(points, key=lambda site: (site.start, -site.end))
        self.by_end = sorted(points, key=lambda site: (site.end, -site.start))
        self.starts = [site.start for site in self.by_start]
        self.ends = [site.end for site in self.by_end]

    def line_start(self, at: int) -> int:
        return self.source.line_starts[self.source.position(at).line - 1]

    def beside(self, at: int) -> Site | None:
        """The outermost site that starts on the line before `at`, or else the outermost that ends there."""
        line = self.line_start(at)
        first = bisect.bisect_left(self.starts, line)
        if first < len(self.starts) and self.starts[first] < at:
            return self.by_start[first]
        last = bisect.bisect_right(self.ends, at) - 1
        return self.by_end[last] if last >= 0 and self.ends[last] > line else None

    def keeper(self, at: int, site: Site) -> Entry | Node:
        """What has a comment that stands above a site: the group that begins there, if a blank line is between."""
        group = self.groups.get(site.start)
        is_apart = group is not None and BLANK_LINE.search(self.text, at, site.start) is not None
        return group if group is not None and is_apart else site.keeper

    def following(self, at: int) -> Site | None:
        index = bisect.bisect_left(self.starts, at)
        return self.by_start[index] if index < len(self.starts) else None


def _inline(places: _Places, text: str, at: int) -> bool:
    if not places.text[places.line_start(at) : at].strip():
        return False
    site = places.beside(at)
    if site is None:
        return False
    said = _comments(site.keeper)
    if said.inline is None:
        said.inline = text
        return True
    # A second one, behind the end of the same entry.
    value = site.keeper.value if isinstance(site.keeper, Entry) else site.keeper
    if isinstance(value, Mapping | Sequence):
        _comments(value).after.append(text)
    else:
        said.before.append(text)
    return True


def _above(places: _Places, text: str, at: int, around: tuple[Site | None, Site | None]) -> bool:
    """Above what the comment stands in or before; at the end of its block where nothing follows."""
    innermost, container = around
    if innermost is not None and not innermost.is_container:
        _comments(innermost.keeper).before.append(text)
        return True
    following = places.following(at)
    if following is not None and (container is None or following.start < container.end):
        _comments(places.keeper(at, following)).before.append(text)
        return True
    if container is not None:
        _comments(container.keeper).after.append(text)
        return True
    return False


def _comments(keeper: Entry | Node) -> Comments:
    if keeper.comments is None:
        keeper.comments = Comments()
    return keeper.comments


def _around(comments: list[Place], sites: list[Site]) -> Iterator[tuple[Site | None, Site | None]]:
    """For each comment the innermost site that it stands in, and the innermost container."""
    waiting = sorted(sites, key=lambda site: (site.start, -site.end, site.is_container))
    stack: list[tuple[Site, Site | None]] = []
    index = 0
    for start, _ in comments:
        while index < len(waiting) and waiting[index].start <= start:
            site = waiting[index]
            index += 1
            while stack and stack[-1][0].end <= site.start:
                stack.pop()
            stack.append((site, site if site.is_container else stack[-1][1] if stack else None))
        while stack and stack[-1][0].end <= start:
            stack.pop()
        yield stack[-1] if stack else (None, None)
