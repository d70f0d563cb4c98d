"""source: the text of one file, and where in it something stands.

Offsets count Unicode code points from 0; lines and columns count from 1; the end of a span is exclusive.
"""

from __future__ import annotations

import bisect
import re
from functools import cached_property
from typing import NamedTuple

LINE_END = re.compile(r"\r\n|\n|\r")
BLANK_LINE = re.compile(r"(?:\n|\r\n?)[ \t]*[\n\r]")  # to be looked for between what stands above and below


class Position(NamedTuple):
    """A place in a text: line and column from 1, in code points."""

    line: int
    column: int


class Source:
    """The text of one file, decoded, without its byte-order mark and otherwise as it stands on disk."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text

    def __repr__(self) -> str:
        return f"Source({self.name!r})"

    @cached_property
    def line_starts(self) -> list[int]:
        return [0, *(match.end() for match in LINE_END.finditer(self.text))]

    def position(self, offset: int) -> Position:
        line = bisect.bisect_right(self.line_starts, offset)
        return Position(line, offset - self.line_starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """The text of a line without its line end."""
        start, end = self.line_bounds(number)
        return self.text[start:end]

    def line_bounds(self, number: int) -> tuple[int, int]:
        """Where a line begins, and where it ends without its line end."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return start, end


class Span(NamedTuple):
    """A stretch of a source: `start` inclusive, `end` exclusive, both offsets in code points."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def first(self) -> Position:
        return self.source.position(self.start)

    @property
    def last(self) -> Position:
        return self.source.position(self.end)

    def part(self, start: int, end: int) -> Span:
        """The stretch from `start` to `end`, counted from this span's own start."""
        return Span(self.source, self.start + start, self.start + end)
