"""dsl_cut: find where an expression ends inside a document, by brackets and quotes alone.

What the expression means, and whether it is one, is not asked here: a broken expression must not break the document.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

BLANKS = " \t\r\n"
_CLOSES = {"(": ")", "[": "]", "{": "}"}
# A line that can hardly be the rest of an expression: it says where a runaway bracket or `when` has to stop.
STRUCTURE = re.compile(
    r"""[ \t]*(?:[}#]|when\b(?!\s*[:{])|(?:agent|preset|library|scenario|tool|toolkit|mcp|resource|skill)[ \t]+[\w"]"""
    r"""|(?:[^\W\d][\w.\-]*|"[^"\r\n]*")[ \t]*(?::(?!:)|\{|=(?![=>])|\+=)|$)"""
)
_WHEN = re.compile(r"[ \t]*when\b(?!\s*[:{])")
_END_OF_LINE = re.compile(r"[^\r\n]*")


class Cut(NamedTuple):
    """Where an expression starts and ends, without blanks and comments at its edges, and the comments on the way."""

    start: int
    end: int
    comments: list[tuple[int, int]]
    is_closed: bool  # False where a `when` has no `=>`


@cache
def _scanner(quoted: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<quoted>{quoted})|(?P<comment>#[^\r\n]*)|(?P<open>[\[({{])|(?P<close>[\])}}])"
        r"|(?P<line>\r\n|\n|\r)|(?P<then>=>)|(?P<comma>,)"
    )


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
        elif kind == "close" and stack:
            return _runaway(text, at, match.start())
        elif not stack and (kind in ("line", "comment", "comma") or found == "}"):
            return _trim(text, at, match.start(), comments)
    return _runaway(text, at, len(text)) if stack else _trim(text, at, len(text), comments)


def cut_rule(text: str, at: int, quoted: str) -> Cut:
    """The expression after a `when`: to its `=>`, over as many lines as it takes."""
    stack: list[str] = []
    comments: list[tuple[int, int]] = []
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
        elif (kind == "close" and found == "}") or (kind == "line" and _WHEN.match(text, match.end())):
            return _trim(text, at, match.start(), comments)._replace(is_closed=False)
    return _trim(text, at, len(text), comments)._replace(is_closed=False)


def _trim(text: str, start: int, end: int, comments: list[tuple[int, int]]) -> Cut:
    starts, ends = dict(comments), {last: first for first, last in comments}
    while start < end and (text[start] in BLANKS or start in starts):
        start = starts.get(start, start + 1)
    while end > start and (text[end - 1] in BLANKS or end in ends):
        end = ends.get(end, end - 1)
    return Cut(start, end, comments, is_closed=True)


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
