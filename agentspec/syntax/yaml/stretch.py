"""stretch: a broken stretch of YAML, and what is found to be wrong with it."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from agentspec.syntax.tape import BREAK
from agentspec.syntax.yaml.reading import Reading
from agentspec.syntax.yaml.tokens import Cutter, Token
from agentspec.text.diagnostic import Fix
from agentspec.text.source import Span

MAX_TOKENS = 50_000  # a cause further on is not looked for


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
        self.tokens: list[Token] = list(islice(Cutter(reading.prepared.text, begin, end).tokens(), MAX_TOKENS))
        self.is_whole = len(self.tokens) < MAX_TOKENS

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
        before = self.tokens[index - 1] if index else None
        if before is None or before.kind == "block":  # which ends with its last line
            return True
        return not self.is_one_line(before.end, self.tokens[index].start)

    def line_stop(self, at: int) -> int:
        """Where the line stops that `at` stands in."""
        found = BREAK.search(self.text, at)
        return found.start() if found else len(self.text)

    def line_end(self, at: int) -> int:
        """Where the last token of the line ends that `at` stands in."""
        stop = self.line_stop(at)
        ends = [token.end for token in self.tokens if at <= token.start < stop and token.end <= stop]
        return ends[-1] if ends else at

    def column(self, at: int) -> int:
        return self.reading.source.position(at).column
