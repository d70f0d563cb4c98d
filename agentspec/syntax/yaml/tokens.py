"""tokens: a rough cut of unreadable YAML, good enough to say what is wrong with it.

Only broken stretches come here. Nothing is decided from it but the words and the place of an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from agentspec.syntax.offsets import line_start

Kind = Literal["plain", "double", "single", "open", "close", "comma", "colon", "dash", "block", "mark"]
BLANK = frozenset(" \t\r\n")
FLOW = frozenset(",[]{}")
PAIRS = {"[": "]", "{": "}"}
SINGLES: dict[str, Kind] = {"[": "open", "{": "open", "]": "close", "}": "close", ",": "comma"}


class Token(NamedTuple):
    """A piece of text. `is_open` is true for a quote that nothing closes; `level` counts the brackets around it."""

    kind: Kind
    start: int
    end: int
    level: int = 0
    is_open: bool = False


class Cutter:
    """Cuts one stretch of a text."""

    def __init__(self, text: str, begin: int, end: int) -> None:
        self.text = text
        self.begin = begin
        self.end = end
        self.level = 0
        self.is_behind_quote = False

    def tokens(self) -> Iterator[Token]:
        at = self.begin
        while at < self.end:
            character = self.text[at]
            if character in BLANK:
                at += 1
            elif character == "#" and (at == self.begin or self.text[at - 1] in BLANK):
                at = self._line_end(at)
            else:
                token = self._token(at, character)
                self.is_behind_quote = token.kind in ("double", "single")
                yield token
                at = token.end

    def _token(self, at: int, character: str) -> Token:
        if character in "[{":
            self.level += 1
            return Token("open", at, at + 1, self.level)
        if character in "]}":
            self.level = max(0, self.level - 1)
            return Token("close", at, at + 1, self.level)
        if character == "," and self.level:
            return Token("comma", at, at + 1, self.level)
        if character in "\"'":
            return self._quoted(at, character)
        if character == ":" and self._is_colon(at):
            return Token("colon", at, at + 1, self.level)
        if character == "-" and not self.level and self._is_blank(at + 1):
            return Token("dash", at, at + 1)
        if character in "|>" and not self.level:
            found = _header().match(self.text, at, self.end)
            if found is not None:
                return Token("block", at, self._block_end(at, found.end()))
        mark = _mark().match(self.text, at, self.end)
        return self._plain(at) if mark is None else Token("mark", at, mark.end(), self.level)

    def _is_blank(self, at: int) -> bool:
        return at >= self.end or self.text[at] in BLANK

    def _is_colon(self, at: int) -> bool:
        return self._is_blank(at + 1) or (self.level > 0 and (self.is_behind_quote or self.text[at + 1] in FLOW))

    def _line_end(self, at: int) -> int:
        found = _line_break().search(self.text, at, self.end)
        return found.start() if found else self.end

    def _quoted(self, at: int, quote: str) -> Token:
        kind: Kind = "double" if quote == '"' else "single"
        found = _closed(quote).match(self.text, at, self.end)
        if found is None:
            return Token(kind, at, self.end, self.level, is_open=True)
        return Token(kind, at, found.end(), self.level)

    def _plain(self, at: int) -> Token:
        end = at + 1
        while end < self.end and not self._ends_plain(end):
            end += 1
        return Token("plain", at, at + len(self.text[at:end].rstrip(" \t")), self.level)

    def _ends_plain(self, at: int) -> bool:
        character = self.text[at]
        if character in "\r\n" or (character == "#" and self.text[at - 1] in BLANK):
            return True
        if character == ":":
            return self._is_blank(at + 1) or (self.level > 0 and self.text[at + 1] in FLOW)
        return self.level > 0 and character in FLOW

    def _block_end(self, at: int, header_end: int) -> int:
        """Where the lines of a block scalar end: before the first that is not deeper than the key or dash it is of."""
        begin = line_start(self.text, at)
        front = _front().match(self.text, begin, at)
        assert front is not None
        indent = (front.end() if front.end() < at else front.start("dash")) - begin
        end = header_end
        while end < self.end:
            line = _line().match(self.text, end, self.end)
            assert line is not None
            if line.group().strip() and indent_of(self.text, end) <= indent:
                return end
            end = line.end()
        return end


def indent_of(text: str, start: int) -> int:
    """The blanks, tabs too, that a line begins with."""
    at = start
    while at < len(text) and text[at] in " \t":
        at += 1
    return at - start


@cache
def _front() -> re.Pattern[str]:
    """The blanks and dashes before the first key of a line; `dash` is the last dash, or the end of the blanks."""
    return re.compile(r"[ \t]*(?:-[ \t]+)*?(?P<dash>-[ \t]+|)(?!-[ \t])")


@cache
def _header() -> re.Pattern[str]:
    return re.compile(r"[|>][-+0-9]*[ \t]*(?:(?<=[ \t])#[^\r\n]*)?(?:\r\n|\n|\r|\Z)")


@cache
def _mark() -> re.Pattern[str]:
    """An anchor or a tag in front of a value."""
    return re.compile(r"(?:&[0-9A-Za-z_-]+|!(?:<[^\s>]*>|[\w!./:-]*))(?=[ \t\r\n])")


@cache
def _line() -> re.Pattern[str]:
    return re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")


@cache
def _line_break() -> re.Pattern[str]:
    return re.compile(r"[\r\n]")


@cache
def _closed(quote: str) -> re.Pattern[str]:
    return re.compile(r'"(?:[^"\\]|\\.)*"' if quote == '"' else r"'(?:[^']|'')*'", re.DOTALL)
