"""offsets: from a place in a scalar's value to its place in the file, for every way to write a scalar.

The value is read a second time from the source, with the origin of each character. Where both readings should ever
differ, the whole scalar is the answer: never a wrong place.
"""

from __future__ import annotations

from agentspec.syntax.tape import BLANKS, BREAK, QUOTED, Tape, read_tape
from agentspec.syntax.tree import Scalar, Style
from agentspec.text.source import Span


def span_in(scalar: Scalar, start: int, end: int) -> Span:
    """The place in the source of `scalar.value[start:end]`, also through escapes, folded lines and lost indentation.

    For an aliased value it is the place in the anchored text. A number, boolean or null counts as its own spelling.
    """
    span = scalar.anchor or scalar.span
    value = scalar.value
    if not isinstance(value, str):
        return span.part(min(start, len(span.text)), min(end, len(span.text)))
    text = span.source.text
    if scalar.style == "expression":  # as it stands, but for comments, which became as many blanks, and line ends
        is_long = len(value) != span.end - span.start
        return (
            _stretch(read_tape(text, span.start, span.end, "expression", 0), span, start, end)
            if is_long
            else span.part(start, end)
        )
    quote = 1 if scalar.style in QUOTED else 0
    if span.end - span.start == len(value) + 2 * quote and text.startswith(value, span.start + quote):
        return span.part(start + quote, end + quote)
    tape = read_tape(text, span.start, span.end, scalar.style, scalar.base_indent)
    if tape.value != value:
        return span
    return _stretch(tape, span, start, end)


def _stretch(tape: Tape, span: Span, start: int, end: int) -> Span:
    count = len(tape.starts)
    if start < end <= count:
        return Span(span.source, tape.starts[start], tape.ends[end - 1])
    if start < count:
        return Span(span.source, tape.starts[start], tape.starts[start])
    last = tape.ends[-1] if count else tape.begin
    return Span(span.source, last, last)


def decoded(text: str, start: int, end: int, style: Style, base_indent: int = 0) -> str:
    """The value of the scalar that stands at `start` to `end`; half a surrogate pair stays what it is."""
    return read_tape(text, start, end, style, base_indent).value


def line_start(text: str, at: int) -> int:
    """Where the line begins that an offset stands in."""
    start = text.rfind("\n", 0, at) + 1
    return max(start, text.rfind("\r", start, at) + 1)


def lost_indent(text: str, start: int, end: int, value: str) -> int:
    """The columns that the lines of a block scalar lose, found by laying its value beside its source."""
    header = BREAK.search(text, start, end)
    if header is None:
        return 0
    lines = BREAK.split(text[header.end() : end])
    for line, content in zip(lines, value.split("\n"), strict=False):
        if content:
            return _spaces(line) - _spaces(content)
    blank = BLANKS.match(text, header.start())  # nothing but blank lines, which the parser's end leaves out in part
    assert blank is not None
    return max(map(_spaces, BREAK.split(blank.group())))


def last_line_end(text: str, start: int, end: int) -> int:
    """Where the last line with content of a block scalar ends: blank lines behind it are not part of its span."""
    last = start + len(text[start:end].rstrip(" \t\r\n"))
    line_end = BREAK.search(text, last, end)
    return line_end.start() if line_end else end


def _spaces(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
