"""blocks: a text cut by its indentation: a line, and the lines that are indented below it."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from agentspec.syntax.offsets import line_start


class Line(NamedTuple):
    """A line, or what is left of one behind `- `. `column` counts from the start of the line, from 0."""

    begin: int
    content: int
    column: int
    end: int


class Block(NamedTuple):
    """A line with content and what belongs to it; `fits` is false where its indentation is not its neighbours'."""

    lines: list[Line]
    head: Line
    fits: bool = True

    @property
    def begin(self) -> int:
        return self.lines[0].begin

    @property
    def end(self) -> int:
        return self.lines[-1].end


def lines_of(text: str, begin: int, end: int) -> list[Line]:
    """The lines of a stretch, which may begin within a line."""
    start = line_start(text, begin)
    lines: list[Line] = []
    while begin < end:
        found = _line().match(text, begin, end)
        assert found is not None
        lines.append(Line(begin, found.end(1), found.end(1) - start, found.end()))
        begin = start = found.end()
    return lines


def has_content(text: str, line: Line) -> bool:
    """Whether a line holds more than blanks or a comment."""
    return line.content < line.end and text[line.content] not in "#\r\n"


def is_item(text: str, line: Line) -> bool:
    """Whether a line begins with `- `."""
    return _dash().match(text, line.content, line.end) is not None


def item_of(text: str, block: Block) -> list[Line]:
    """The lines of a block without its `- `."""
    found = _dash().match(text, block.head.content, block.head.end)
    assert found is not None
    after = block.lines[block.lines.index(block.head) + 1 :]
    return lines_of(text, found.end(), block.head.end) + after


def blocks_of(text: str, lines: list[Line]) -> list[Block]:
    """Lines with content, each with what is indented below it. Items stand at the column of the key they belong to."""
    content = [line for line in lines if has_content(text, line)]
    column = content[0].column
    is_sequence = is_item(text, content[0])
    blocks: list[Block] = []
    for line in lines:
        starts = has_content(text, line) and line.column <= column
        is_below = not is_sequence and line.column == column and is_item(text, line)
        if starts and not (is_below and blocks):
            blocks.append(Block([line], line, line.column == column))
        elif blocks:
            blocks[-1].lines.append(line)
    return blocks


@cache
def _line() -> re.Pattern[str]:
    return re.compile(r"([ \t]*)[^\r\n]*(?:\r\n|\n|\r|\Z)")


@cache
def _dash() -> re.Pattern[str]:
    return re.compile(r"-(?:[ \t]+|(?=[\r\n])|\Z)")
