"""expression: the shape of an expression, by the grammar's second start symbol.

For places, names and formatting only. Types and meaning belong to the CEL runtime, which also has the last word on what
is an expression at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from agentspec.syntax.dsl.lalr import END, Machine, load


class Leaf(NamedTuple):
    """A token: a name, literal or operator, with its place in the text of the expression."""

    kind: str
    start: int
    end: int


class Branch(NamedTuple):
    """A construction of the grammar, as `binary`, `select`, `call`, with its parts and its place in the text.

    Lists of arguments, elements and pairs are tuples; punctuation is left out.
    """

    kind: str
    parts: tuple[Part, ...]
    start: int
    end: int


Part: TypeAlias = "Leaf | Branch | tuple[Part, ...]"


class Trouble(NamedTuple):
    """Why a text is no expression, and the stretch of it that says so."""

    message: str
    start: int
    end: int


def parse_expression(text: str) -> Leaf | Branch | Trouble:
    """The tree of an expression, or the first thing that is wrong with it. Places count from the text's own start.

    >>> tree = parse_expression("turn.calls > 3")
    >>> [tree.kind, tree.parts[0].kind, tree.start, tree.end]
    ['binary', 'select', 0, 14]
    """
    machine = Machine(load("expression"), _Shape())
    for kind, start, end in _tokens(text):
        if kind == "NONE":
            return Trouble(f"`{text[start:end]}` belongs to no expression", start, end)
        if not machine.feed(kind, Leaf(kind, start, end), start, end):
            return _trouble(text, kind, start, end)
    found: Leaf | Branch = machine.values[0]
    return found


def longest_expression(text: str) -> int | None:
    """Where the longest expression ends that the text begins with; None where it begins with none, or where a quote
    that is not closed hides its end."""
    machine = Machine(load("expression"), _Shape())
    longest = None
    for kind, start, end in _tokens(text):
        if kind == "NONE" and text[start] in "\"'":
            return None
        if kind in (END, "NONE") or not machine.feed(kind, Leaf(kind, start, end), start, end):
            break
        if machine.accepts(END):
            longest = end
    return longest


def _trouble(text: str, kind: str, start: int, end: int) -> Trouble:
    if not text.strip():
        return Trouble("an expression is missing", 0, len(text))
    if kind == END:
        return Trouble("the expression ends too early", start, end)
    return Trouble(f"`{text[start:end]}` does not fit here", start, end)


@cache
def _scan() -> tuple[Callable[[str, int], re.Match[str] | None], dict[str, str]]:
    tokens = load("expression").tokens
    words = {text: name for name, (kind, text) in tokens.items() if kind == "str" and text.isalpha()}
    signs = {text: name for name, (kind, text) in tokens.items() if kind == "str" and not text.isalpha()}
    # A quoted text before a name, since `r"…"` begins as one; a number before the dot that it may begin with.
    order = ("QUOTED", "DECIMAL", "UNSIGNED", "INTEGER", "NAME", "QUOTED_NAME", "RELATION", "NOT", "TIMES")
    named = "|".join(f"(?P<{name}>{tokens[name][1]})" for name in order)
    sign = "|".join(re.escape(text) for text in sorted(signs, key=lambda text: (-len(text), text)))
    pattern = re.compile(rf"[ \t\r\n\f]*(?:{named}|(?P<SIGN>{sign})|(?P<END>\Z)|(?P<NONE>[\s\S]))")
    return pattern.match, words | signs


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """The tokens of an expression; `$END` is the last, `NONE` a character that belongs to no token."""
    scan, names = _scan()
    at = 0
    while True:
        match = scan(text, at)
        assert match is not None
        kind = match.lastgroup or ""
        start, at = match.span(kind)
        if kind == "END":
            yield (END, start, at)
            return
        yield (names.get(match[kind], kind), start, at)


class _Shape:
    """Builds the tree: each named production is a branch, lists are tuples in the end."""

    def none(self, _start: int, _end: int) -> tuple[Part, ...]:
        return ()

    def first(self, _start: int, _end: int, item: Part) -> list[Part]:
        return [item]

    def more(self, _start: int, _end: int, items: list[Part], item: Part) -> list[Part]:
        items.append(item)
        return items

    def __getattr__(self, name: str) -> Callable[..., Branch]:
        def branch(start: int, end: int, *parts: Any) -> Branch:
            settled = tuple(tuple(part) if isinstance(part, list) else part for part in parts)
            return Branch(name, settled, start, end)

        return branch
