"""tape: a scalar read character by character, each with where it came from, for every way to write a scalar.

A second reading beside the parser's own: whoever uses it compares the two.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from agentspec.syntax.tree import Style

BREAK = re.compile(r"\r\n|\n|\r")
BLANK_LINE = re.compile(r"[ \t]+(?:[\r\n]|\Z)")
BLANKS = re.compile(r"[ \t\r\n]+")
SPECIAL = {"plain": " \t\r\n", "single": " \t\r\n'", "double": " \t\r\n\\", "string": "\\"}
# YAML 1.2.2, 5.7; JSON's escapes are among them.
ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
HEX_ESCAPES = {"x": 2, "u": 4, "U": 8}
QUOTED: frozenset[Style] = frozenset(("single", "double", "string"))
BLOCK: frozenset[Style] = frozenset(("literal", "folded"))


class Tape:
    """A scalar's value, each of its characters with the stretch of the source that it was read from."""

    def __init__(self, text: str, begin: int) -> None:
        self.text = text
        self.begin = begin  # where the content begins, behind a quote or a block's header
        self.parts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    @property
    def value(self) -> str:
        return "".join(self.parts)

    def copy(self, start: int, end: int) -> None:
        """Characters that stand for themselves."""
        self.parts.append(self.text[start:end])
        self.starts.extend(range(start, end))
        self.ends.extend(range(start + 1, end + 1))

    def put(self, character: str, start: int, end: int) -> None:
        """One character that a stretch of the source stands for."""
        self.parts.append(character)
        self.starts.append(start)
        self.ends.append(end)

    def put_breaks(self, breaks: list[tuple[int, int]]) -> None:
        for start, end in breaks:
            self.put("\n", start, end)


@lru_cache(maxsize=4)  # a long prompt is asked for once per `${…}`
def read_tape(text: str, start: int, end: int, style: Style, base_indent: int) -> Tape:
    """The value of the scalar that stands at `start` to `end`; half a surrogate pair stays what it is."""
    if style in QUOTED:
        tape = Tape(text, start + 1)
        _read_flow(tape, start + 1, end - 1, style)
    elif style in BLOCK:
        header = BREAK.search(text, start)
        tape = Tape(text, header.end() if header else end)
        _read_block(tape, text[start : tape.begin], end, base_indent)
    elif style == "text":
        tape = _read_raw(text, start, end, base_indent)
    elif style == "expression":
        tape = Tape(text, start)
        _read_lines(tape, start, end)
    else:
        tape = Tape(text, start)
        _read_flow(tape, start, end, "plain" if style == "plain" else "word")
    return tape


def _read_flow(tape: Tape, start: int, end: int, style: Style) -> None:
    """A plain or quoted scalar: lines are folded (YAML 1.2.2, 7.3), escapes are read."""
    text, special = tape.text, SPECIAL.get(style, "")
    at = copied = start
    while at < end:
        if text[at] not in special:
            at += 1
            continue
        tape.copy(copied, at)
        if text[at] == "\\":
            at = _read_escape(tape, at, end)
        elif text[at] == "'":
            tape.put("'", at, at + 2)
            at += 2
        else:
            at = _read_blanks(tape, at, end)
        copied = at
    tape.copy(copied, end)


def _read_blanks(tape: Tape, at: int, end: int, *, is_escaped: bool = False) -> int:
    found = BLANKS.match(tape.text, at, end)
    if found is None:
        return at
    breaks = [match.span() for match in BREAK.finditer(tape.text, at, found.end())]
    if is_escaped:
        tape.put_breaks(breaks)
    elif not breaks:
        tape.copy(at, found.end())
    elif len(breaks) == 1:
        tape.put(" ", at, found.end())
    else:
        tape.put_breaks(breaks[1:])
    return found.end()


def _read_escape(tape: Tape, at: int, end: int) -> int:
    text = tape.text
    letter = text[at + 1 : at + 2]
    if letter in HEX_ESCAPES:
        return _read_number(tape, at, HEX_ESCAPES[letter])
    line_end = BREAK.match(text, at + 1, end)
    if line_end is not None:
        return _read_blanks(tape, line_end.end(), end, is_escaped=True)
    tape.put(ESCAPES.get(letter, letter), at, at + 2)
    return at + 2


def _read_number(tape: Tape, at: int, digits: int) -> int:
    number = _hexadecimal(tape.text[at + 2 : at + 2 + digits], digits)
    after = at + 2 + digits
    if number is None:
        tape.put("\\", at, at + 1)
        return at + 1
    if 0xD800 <= number <= 0xDBFF and tape.text.startswith("\\u", after):
        low = _hexadecimal(tape.text[after + 2 : after + 6], 4)
        if low is not None and 0xDC00 <= low <= 0xDFFF:  # JSON writes U+10000 and up as a pair (RFC 8259, 7)
            number = 0x10000 + ((number - 0xD800) << 10) + (low - 0xDC00)
            after += 6
    tape.put(chr(number), at, after)
    return after


def _hexadecimal(text: str, digits: int) -> int | None:
    try:
        number = int(text, 16)
    except ValueError:
        return None
    return number if len(text) == digits and number <= 0x10FFFF else None


def _read_block(tape: Tape, header: str, end: int, indent: int) -> None:
    """A literal or folded block (YAML 1.2.2, 8.1), step for step as libyaml reads it."""
    indicators = re.split(r"[ \t#]", header, maxsplit=1)[0]
    text = tape.text
    first: list[tuple[int, int]] = []
    at, more = _blank_lines(text, tape.begin, indent)
    was_blank = False
    while at < end or _is_deeper_blank(text, at, indent):
        line = at + indent
        is_blank = text[line : line + 1] in (" ", "\t")
        if header[0] == ">" and first and not was_blank and not is_blank:
            if not more:
                tape.put(" ", *first[0])
        else:
            tape.put_breaks(first)
        tape.put_breaks(more)
        was_blank = is_blank
        line_end = BREAK.search(text, line)
        stop, at = (line_end.span()) if line_end else (len(text), len(text))
        tape.copy(line, stop)
        first = [(stop, at)] if line_end else []
        at, more = _blank_lines(text, at, indent)
    if "-" not in indicators:
        tape.put_breaks(first)
    if "+" in indicators:
        tape.put_breaks(more)


def _is_deeper_blank(text: str, at: int, indent: int) -> bool:
    """A blank line longer than the indentation is content, also behind the last line with anything to see."""
    return text.startswith(" " * indent, at) and BLANK_LINE.match(text, at + indent) is not None


def _blank_lines(text: str, at: int, indent: int) -> tuple[int, list[tuple[int, int]]]:
    """The line ends of the blank lines that follow, and where the next line with content begins."""
    breaks: list[tuple[int, int]] = []
    while True:
        stop = at
        while stop < at + indent and text[stop : stop + 1] == " ":
            stop += 1
        line_end = BREAK.match(text, stop)
        if line_end is None:
            return at, breaks
        breaks.append(line_end.span())
        at = line_end.end()


def _read_raw(text: str, start: int, end: int, indent: int) -> Tape:
    """The DSL's raw text: from the line after the opening quotes, without the common indent, to the same quotes."""
    quotes = len(text[start:end]) - len(text[start:end].lstrip('"'))
    quotes = quotes if end - start >= 2 * quotes else (end - start) // 2
    opened, closed = start + quotes, end - quotes
    first = BREAK.search(text, opened, closed)
    tape = Tape(text, first.end() if first else opened)
    lines = [tape.begin, *(match.end() for match in BREAK.finditer(text, tape.begin, closed)), closed]
    for at, after in pairwise(lines):
        _read_raw_line(tape, at, after, indent, is_last=after == closed)
    return tape


def _read_raw_line(tape: Tape, at: int, after: int, indent: int, *, is_last: bool) -> None:
    line = tape.text[at:after]
    body = line.rstrip("\r\n")
    if is_last and not body.strip(" \t"):
        return
    lost = min(indent, len(body) - len(body.lstrip(" \t")))
    tape.copy(at + lost, at + len(body))
    if len(body) < len(line):
        tape.put("\n", at + len(body), after)


def _read_lines(tape: Tape, start: int, end: int) -> None:
    """Text as it stands; each line end is one character."""
    at = start
    for found in BREAK.finditer(tape.text, start, end):
        tape.copy(at, found.start())
        tape.put("\n", *found.span())
        at = found.end()
    tape.copy(at, end)
