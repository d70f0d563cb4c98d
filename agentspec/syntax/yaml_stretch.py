"""yaml_stretch: a broken stretch of YAML, and what is found to be wrong with it."""

from __future__ import annotations

from typing import NamedTuple

from agentspec.syntax.yaml_reading import Reading
from agentspec.syntax.yaml_tokens import Cutter, Token
from agentspec.text.diagnostic import Fix
from agentspec.text.source import Span


class Cause(NamedTuple):
    """What is wrong, and where."""

    code: str
    message: str
    span: Span
    help: str | None = None
    fix: Fix | None = None


class Stretch:
    """A stretch that cannot be read, cut into tokens."""

    def __init__(self, reading: Reading, begin: int, end: int) -> None:
        self.reading = reading
        self.text = reading.source.text
        self.begin = begin
        self.tokens: list[Token] = list(Cutter(reading.prepared.text, begin, end).tokens())

    def span(self, start: int, end: int) -> Span:
        return self.reading.span(start, end)

    def text_of(self, token: Token) -> str:
        return self.text[token.start : token.end]

    def sign(self, token: Token) -> str:
        return self.text[token.start]

    def is_one_line(self, start: int, end: int) -> bool:
        stretch = self.text[start:end]
        return "\n" not in stretch and "\r" not in stretch

    def starts_line(self, index: int) -> bool:
        return index == 0 or not self.is_one_line(self.tokens[index - 1].end, self.tokens[index].start)

    def line_end(self, at: int) -> int:
        """Where the last token of the line ends that `at` stands in."""
        ends = [token.end for token in self.tokens if token.start >= at and self.is_one_line(at, token.end)]
        return max(ends, default=at)

    def column(self, at: int) -> int:
        return self.reading.source.position(at).column
