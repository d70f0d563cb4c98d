"""render: a finding as a person reads it: what, where, the line with a caret under the place, and the way out.

Nothing of the source reaches the terminal raw: what could steer it is shown as an escape.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import NamedTuple
from unicodedata import category, east_asian_width

from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Span
from agentspec.text.visible import visible

TAB = 4
WIDTH = 110  # columns of source that are shown of a long line
BEFORE = 40  # of these, columns in front of the place
COLOURS = {"error": "1;31", "warning": "1;33", "note": "1;36", "place": "1;34", "message": "1"}
UNSEEN = frozenset(("Mn", "Me", "Cf"))


class Excerpt(NamedTuple):
    """A line of source as it is shown, and the columns of the marks below it."""

    text: str
    start: int
    width: int


def render(diagnostic: Diagnostic, *, colour: bool = False) -> str:
    """A finding in full, over several lines, without a line end at the end.

    Carets stand below the characters they mean, also behind tabs, wide characters and escapes; a long line is cut
    around its place. `colour` adds terminal colours, which change no character of the text.
    """
    kind = diagnostic.severity
    title = f"{_paint(f'{kind}[{diagnostic.code}]', kind, colour)}: "
    lines = [title + _paint(visible(diagnostic.message), "message", colour)]
    gutter = len(str(max(span.first.line for span in _spans(diagnostic))))
    lines += _place(diagnostic.span, "-->", "", gutter, _Marks("^", kind, colour))
    for related in diagnostic.related:
        lines += _place(related.span, ":::", f": {visible(related.message)}", gutter, _Marks("-", "place", colour))
    if diagnostic.help is not None:
        margin = _paint(" " * (gutter + 1) + " =", "place", colour)
        lines.append(f"{margin} help: {visible(diagnostic.help)}")
    return "\n".join(lines)


class _Marks(NamedTuple):
    sign: str
    kind: str
    colour: bool


def _spans(diagnostic: Diagnostic) -> list[Span]:
    return [diagnostic.span, *(related.span for related in diagnostic.related)]


def _paint(text: str, kind: str, colour: bool) -> str:
    return f"\x1b[{COLOURS[kind]}m{text}\x1b[0m" if colour else text


def _place(span: Span, arrow: str, message: str, gutter: int, marks: _Marks) -> list[str]:
    """Where it is, with the line of source and the marks below it; only the file's name where it has no text."""
    source = span.source
    name = visible(source.name)
    pointer = _paint(" " * gutter + arrow, "place", marks.colour)
    if not source.text:
        return [f"{pointer} {name}{message}"]
    line, column = span.first
    excerpt = excerpt_of(span)
    margin = _paint(" " * (gutter + 1) + " |", "place", marks.colour)
    last = span.last.line
    reach = f" to line {last}" if last > line and span.source.line_starts[last - 1] < span.end else ""
    return [
        f"{pointer} {name}:{line}:{column}{message}",
        margin,
        f"{_paint(f' {line:>{gutter}} |', 'place', marks.colour)} {excerpt.text}".rstrip(),
        f"{margin} {' ' * excerpt.start}{_paint(marks.sign * excerpt.width + reach, marks.kind, marks.colour)}",
    ]


def excerpt_of(span: Span) -> Excerpt:
    """The first line of a span as a terminal shows it, with the columns that the span covers."""
    number, column = span.first
    first_of_line, end_of_line = span.source.line_bounds(number)
    skipped = max(0, column - 1 - 2 * BEFORE)
    # Never the whole line: a file may be one line with thousands of findings.
    cells = _cells(span.source.text[first_of_line + skipped : min(end_of_line, first_of_line + column + 2 * WIDTH)])
    start = min(column - 1 - skipped, len(cells))  # a span may begin between CR and LF
    end = min(start + span.end - span.start, len(cells))
    columns = [0, *accumulate(width for _, width in cells)]
    first, last = _window(columns, start)
    before = "…" if first + skipped else ""
    after = "…" if last + skipped < end_of_line - first_of_line else ""
    text = before + "".join(shown for shown, _ in cells[first:last]) + after
    start_column = columns[start] - columns[first]
    width = columns[min(end, last)] - columns[start] if start < end else 1
    return Excerpt(text, len(before) + start_column, max(1, width))


def _window(columns: list[int], start: int) -> tuple[int, int]:
    """Which cells of a long line are shown: from a little before the place, as many as fit."""
    if columns[-1] <= WIDTH:
        return 0, len(columns) - 1
    first = bisect_left(columns, columns[start] - BEFORE)
    return first, bisect_right(columns, columns[first] + WIDTH) - 1


def _cells(text: str) -> list[tuple[str, int]]:
    """Each character as it is shown, with the columns that it takes."""
    cells: list[tuple[str, int]] = []
    column = 0
    for before, character in zip(" " + text, text, strict=False):
        shown = " " * (TAB - column % TAB) if character == "\t" else visible(before + character)[len(visible(before)) :]
        cells.append((shown, _width(shown)))
        column += cells[-1][1]
    return cells


def _width(shown: str) -> int:
    if shown.isascii():
        return len(shown)
    if category(shown) in UNSEEN:
        return 0
    return 2 if east_asian_width(shown) in "WF" else 1
