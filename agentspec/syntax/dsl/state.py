"""state: where the parser of a DSL file stands: its tokens, its open brackets, and what it could take next.

It decides nothing about errors; `recovery` does, by asking here.
"""

from __future__ import annotations

import re

from agentspec.syntax.dsl.lalr import Machine, load
from agentspec.syntax.dsl.lexer import Lexer, Token
from agentspec.syntax.dsl.lower import Lowering
from agentspec.syntax.dsl.report import TOO_DEEP, TOO_MANY, Refused, Report
from agentspec.syntax.dsl.sugar import Sugar
from agentspec.syntax.limits import MAX_DEPTH, MAX_NODES
from agentspec.syntax.yaml.entries import EXPRESSION_KEYS
from agentspec.text.source import Source

MOST_TOKENS = 5 * MAX_NODES  # as many values never need more
CLOSERS = {"LBRACE": "RBRACE", "LSQB": "RSQB", "LPAR": "RPAR"}
CLOSING = frozenset(CLOSERS.values())
HEADS = frozenset(("AGENT", "PRESET", "LIBRARY", "SCENARIO"))
_HEAD = re.compile(
    r"""(?:agent|preset|library)[ \t]+(?:[^\W\d][\w.\-]*|"[^"\r\n]*")[ \t]*(?:\{|extends\b|"|[\r\n]|\Z)"""
    r"""|scenario[ \t]+\"""",
)
_BEFORE_TYPES = frozenset(("COLON", "ARROW", "VBAR"))
_BLANKS = re.compile(r"[ \t]*")
_LAST = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?:[\r\n]|\Z)")


class State:
    """One pass over one source."""

    def __init__(self, source: Source, *, is_careful: bool = False) -> None:
        self.source = source
        self.is_careful = is_careful
        self.text = source.text
        self.report = Report(source)
        self.lexer = Lexer(self.report, distrusts_texts=is_careful)
        self.lowering = Lowering(self.report, self.lexer.blanked)
        self.sugar = Sugar(self.lowering)
        tables = load("document")
        self.machine = Machine(tables, self.lowering, self.sugar)
        self.tokens: list[Token] = []
        self.openers: list[Token] = []
        keywords = {name for name, (kind, text) in tables.tokens.items() if kind == "str" and text.isalpha()}
        self.words = frozenset(("WORD", "NUMBER", *keywords))  # what a text without quotes is made of
        self._seen = 0

    def next(self) -> Token:
        """The next token of the text, as the parser stands now."""
        self._seen += 1
        if self._seen > MOST_TOKENS:
            raise Refused(TOO_MANY, self.lexer.at)
        return self._unlike_the_rest() or self.lexer.next(self.machine.accepts)

    def _unlike_the_rest(self) -> Token | None:
        """An expression without quotes behind `when:` or its like, or a type of another language."""
        last = self.tokens[-1][0] if self.tokens else ""
        if last not in _BEFORE_TYPES or len(self.tokens) < 2:
            return None
        if not self.machine.accepts("NUMBER"):
            return self.lexer.foreign_type() if self.machine.accepts("SCHEMA") else None
        kind, start, end = self.tokens[-2]
        is_due = last == "COLON" and kind == "WORD" and self.text[start:end] in EXPRESSION_KEYS
        return self.lexer.bare_expression() if is_due else None

    def take(self, token: Token, value: object = None) -> bool:
        """Take a token, which stands for itself or for `value`; False where it does not fit."""
        kind, start, end = token
        if not self.machine.feed(kind, token if value is None else value, start, end):
            return False
        self.tokens.append(token)
        if kind in CLOSERS:
            self.openers.append(token)
            if len(self.openers) > MAX_DEPTH:
                raise Refused(TOO_DEEP, start)
        elif kind in CLOSING and self.openers:
            self.openers.pop()
        return True

    def fits(self, *kinds: str) -> bool:
        """Whether these tokens could come next, one after the other."""
        states: list[int] | None = self.machine.states.copy()
        for kind in kinds:
            states = self.machine.after(kind, states) if states else None
        return states is not None

    def drop(self, keep: int) -> list[tuple[object, int, int]]:
        """Forget all but the first `keep` states and the brackets opened since; what they held, with its places."""
        dropped = self.machine.cut(keep)
        while dropped and self.openers and self.openers[-1][1] >= dropped[0][1]:
            self.openers.pop()
        return dropped

    @property
    def at(self) -> int:
        """The end of the last token."""
        return self.tokens[-1][2] if self.tokens else 0

    def starts_line(self, start: int) -> bool:
        """Whether only blanks stand before `start` on its line."""
        while start > 0 and self.text[start - 1] in " \t":
            start -= 1
        return start == 0 or self.text[start - 1] in "\r\n"

    def ends_line(self, end: int) -> bool:
        """Whether only blanks and a comment stand behind `end` on its line."""
        return _LAST.match(self.text, end) is not None

    def begins_document(self, start: int) -> bool:
        """Whether what stands in the first column at `start` can only be the head of a document."""
        return (start == 0 or self.text[start - 1] in "\r\n") and _HEAD.match(self.text, start) is not None

    def indent(self, at: int) -> int:
        """The indent of the line of `at`."""
        line = self.source.line_starts[self.source.position(at).line - 1]
        blanks = _BLANKS.match(self.text, line)
        assert blanks is not None
        return blanks.end() - line

    def is_same_line(self, first: int, second: int) -> bool:
        return self.source.position(first).line == self.source.position(second).line
