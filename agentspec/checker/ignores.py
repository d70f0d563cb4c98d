"""ignores: comments that silence findings. `# agentspec: ignore[AS512]` acts on its own line, or on the next one where
it stands alone; `# agentspec: ignore-file[AS512]` acts on the file. Text inside a string is never such a comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from agentspec.checker.rules.as9_style.unused_ignore import UnusedIgnore
from agentspec.syntax.tree import Mapping, Node, Parsed, Scalar, Sequence
from agentspec.text.diagnostic import Diagnostic, Edit, Fix
from agentspec.text.source import Source, Span

MARK = "agentspec:"
COMMENT = r"#[ \t]*agentspec:[ \t]*(ignore(?:-file)?)[ \t]*\[([^\]\n]*)\][^\r\n]*"


class Ignore(NamedTuple):
    """One such comment. `line` is the line that it silences, 0 for the whole file."""

    span: Span
    codes: tuple[str, ...]
    line: int

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Whether the comment silences the finding; a code may be a prefix (`AS5`)."""
        if self.line and diagnostic.span.first.line != self.line:
            return False
        return any(diagnostic.code.startswith(code) for code in self.codes)


def read_ignores(parsed: Parsed) -> list[Ignore]:
    """The comments of a file, in order. Free for a file without the mark."""
    source = parsed.source
    if MARK not in source.text:
        return []
    strings = [span for document in parsed.documents for span in _string_spans(document.root)]
    return [
        _ignore(source, match)
        for match in re.finditer(COMMENT, source.text)
        if not any(span.start <= match.start() < span.end for span in strings)
    ]


def _string_spans(node: Node) -> Iterable[Span]:
    match node:
        case Scalar():
            yield node.anchor or node.span
        case Mapping():
            for entry in node.entries:
                yield entry.key.span
                yield from _string_spans(entry.value)
        case Sequence():
            for item in node.items:
                yield from _string_spans(item)


def _ignore(source: Source, match: re.Match[str]) -> Ignore:
    codes = tuple(code.strip() for code in match[2].split(",") if code.strip())
    span = Span(source, match.start(), match.end())
    line = span.first.line
    if match[1] == "ignore-file":
        return Ignore(span, codes, 0)
    is_alone = not source.line(line)[: span.first.column - 1].strip()
    return Ignore(span, codes, _next_line(source, line) if is_alone else line)


def _next_line(source: Source, line: int) -> int:
    last = len(source.line_starts)
    following = line + 1
    while following <= last and (not (text := source.line(following).strip()) or text.startswith("#")):
        following += 1
    return following


def silence(
    diagnostics: list[Diagnostic], ignores_of: Callable[[Source], list[Ignore]]
) -> tuple[list[Diagnostic], set[Span]]:
    """What is left after the comments of every file spoke, and the comments that silenced something."""
    used: set[Span] = set()
    left: list[Diagnostic] = []
    for diagnostic in diagnostics:
        covering = [ignore for ignore in ignores_of(diagnostic.span.source) if ignore.covers(diagnostic)]
        used.update(ignore.span for ignore in covering)
        if not covering:
            left.append(diagnostic)
    return left, used


def unused(ignores: Iterable[Ignore], used: set[Span]) -> list[Diagnostic]:
    """A note for each comment that silences nothing, with the fix that takes it away."""
    return [_note(ignore) for ignore in ignores if ignore.span not in used]


def _note(ignore: Ignore) -> Diagnostic:
    listed = ", ".join(f"`{code}`" for code in ignore.codes)
    where = "in this file" if not ignore.line else "here"
    message = f"this comment silences nothing: there is no {listed} {where}" if listed else "this comment names no code"
    fix = Fix("take the comment away", (Edit(_whole_comment(ignore.span), ""),))
    return UnusedIgnore().finding(ignore.span, message, help="take it away", fix=fix)


def _whole_comment(span: Span) -> Span:
    """The comment with the blanks before it; with its line where it stands alone."""
    source, first = span.source, span.first
    start = source.line_starts[first.line - 1]
    before = source.text[start : span.start]
    if before.strip():
        return Span(source, start + len(before.rstrip()), span.end)
    following = source.line_starts[first.line] if first.line < len(source.line_starts) else span.end
    return Span(source, start, following)
