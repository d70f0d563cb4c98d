"""cut: find where an expression ends inside a document, by brackets and quotes alone.

What the expression means, and whether it is one, is not asked here: a broken expression must not break the document.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from agentspec.syntax.dsl.expression import longest_expression
from agentspec.syntax.limits import MAX_DEPTH

BLANKS = " \t\r\n"
_CLOSES = {"(": ")", "[": "]", "{": "}"}
# A line that can hardly be the rest of an expression: it says where a runaway bracket or `when` has to stop.
STRUCTURE = re.compile(
    r"""[ \t]*(?:[}#]|when\b(?!\s*[:{])|(?:agent|preset|library|scenario|tool|toolkit|mcp|resource|skill)[ \t]+[\w"]"""
    r"""|(?:[^\W\d][\w.\-]*|"[^"\r\n]*")[ \t]*(?::(?!:)|\{|=(?![=>])|\+=)|$)"""
)
# A line that cannot: there is no single `=` in CEL.
_NO_EXPRESSION = re.compile(
    r"""[ \t]*(?:when\b(?!\s*[:{])|(?:tool|toolkit|mcp|resource|skill)[ \t]+[\w"]|[\w.\-]*[ \t]*(?:=(?![=>])|\+=))"""
)
_END_OF_LINE = re.compile(r"[^\r\n]*")


class Cut(NamedTuple):
    """Where an expression starts and ends, without blanks and comments at its edges, and the comments on the way."""

    start: int
    end: int
    comments: list[tuple[int, int]]


@cache
def _scanner(quoted: str) -> re.Pattern[str]:
    """What can matter to the end of an expression; a quote that is never closed takes the rest of its line."""
    parts = {
        "quoted": quoted,
        "torn": r"[\"'][^\r\n]*",
        "comment": r"#[^\r\n]*",
        "open": r"[\[({]",
        "close": r"[\])}]",
        "line": r"\r\n|\n|\r",
        "then": "=>",
        "comma": ",",
    }
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in parts.items()))


def cut_line(text: str, at: int, quoted: str) -> Cut:
    """The expression after a `=`: to the end of the line outside brackets, a comma, a comment or a closing brace."""
    stack: list[str] = []
    comments: list[tuple[int, int]] = []
    for match in _scanner(quoted).finditer(text, at):
        kind, found = match.lastgroup, match[0]
        if kind == "open":
            stack.append(_CLOSES[found])
        elif kind == "comment" and stack:
            comments.append(match.span())
        elif kind == "close" and stack and stack[-1] == found:
            stack.pop()
        elif not stack and (kind in ("line", "comment", "comma") or found == "}"):
            return _trim(text, at, match.start(), comments)
        elif stack and (kind == "close" or (kind == "line" and _NO_EXPRESSION.match(text, match.end()))):
            return _runaway(text, at, match.start())
        if len(stack) > MAX_DEPTH:
            return _runaway(text, at, len(text))
    return _runaway(text, at, len(text)) if stack else _trim(text, at, len(text), comments)


def cut_rule(text: str, at: int, quoted: str) -> Cut:
    """The expression after a `when`: to its `=>`, over as many lines as it takes."""
    stack: list[str] = []
    comments: list[tuple[int, int]] = []
    end = len(text)
    for match in _scanner(quoted).finditer(text, at):
        kind, found = match.lastgroup, match[0]
        if kind == "then":
            return _trim(text, at, match.start(), comments)
        if kind == "open":
            stack.append(_CLOSES[found])
        elif kind == "comment":
            comments.append(match.span())
        elif kind == "close" and stack and stack[-1] == found:
            stack.pop()
        elif (kind == "close" and found == "}") or (kind == "line" and _NO_EXPRESSION.match(text, match.end())):
            end = match.start()
            break
    return _refined(_trim(text, at, end, comments), text)


def is_condition(text: str, at: int, quoted: str) -> bool:
    """Whether what stands at a place leads to the `=>` of a rule, and nothing on the way looks like something else."""
    depth = 0
    for match in _scanner(quoted).finditer(text, at):
        kind = match.lastgroup
        if kind == "then":
            return depth == 0
        depth += (kind == "open") - (kind == "close")
        goes_on = kind != "line" or depth or not STRUCTURE.match(text, match.end(), _line_end(text, match.end()))
        if depth < 0 or not goes_on:
            return False
    return False


def _refined(cut: Cut, text: str) -> Cut:
    """An expression without its `=>`: it ends before a `->` that was meant, or where no expression goes on."""
    arrow = text.find("->", cut.start, _line_end(text, cut.start))
    length = longest_expression(text[cut.start : cut.end])
    end = cut.start + length if length else _line_end(text, cut.start)
    found = _trim(text, cut.start, min(arrow if arrow >= 0 else end, end, cut.end), cut.comments)
    return found._replace(comments=[place for place in cut.comments if place[0] < found.end])


def _trim(text: str, start: int, end: int, comments: list[tuple[int, int]]) -> Cut:
    starts, ends = dict(comments), {last: first for first, last in comments}
    while start < end and (text[start] in BLANKS or start in starts):
        start = starts.get(start, start + 1)
    while end > start and (text[end - 1] in BLANKS or end in ends):
        end = ends.get(end, end - 1)
    return Cut(start, end, comments)


def _runaway(text: str, start: int, end: int) -> Cut:
    """An expression whose bracket is never closed: it ends before the first line that looks like something else."""
    at = _line_end(text, start)
    while at < end:
        following = at + (2 if text.startswith("\r\n", at) else 1)
        if STRUCTURE.match(text, following, _line_end(text, following)):
            return _trim(text, start, at, [])
        at = _line_end(text, following)
    return _trim(text, start, end, [])


def _line_end(text: str, at: int) -> int:
    found = _END_OF_LINE.match(text, at)
    assert found is not None
    return found.end()
