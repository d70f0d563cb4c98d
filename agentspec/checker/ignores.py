"""ignores: comments that silence findings. `# agentspec: ignore[AS512]` acts on its own line, or on the next one where
it stands alone; `# agentspec: ignore-file[AS512]` acts on the file. Text inside a string is never such a comment.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
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
    strings = sorted({span[1:] for document in parsed.documents for span in _string_spans(document.root)})
    starts = [start for start, _ in strings]
    # Of nested and repeated spans the one that reaches farthest counts.
    reach = list(accumulate((end for _, end in strings), max))
    comments = [
        match
        for match in re.finditer(COMMENT, source.text)
        if not (at := bisect_right(starts, match.start())) or reach[at - 1] <= match.start()
    ]
    following: dict[int, int] = {}  # from the last to the first: of comments below each other each line is read once
    return [_ignore(source, match, following) for match in reversed(comments)][::-1]


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


def _ignore(source: Source, match: re.Match[str], following: dict[int, int]) -> Ignore:
    codes = tuple(code.strip() for code in match[2].split(",") if code.strip())
    span = Span(source, match.start(), match.end())
    line = span.first.line
    if match[1] == "ignore-file":
        return Ignore(span, codes, 0)
    is_alone = not source.line(line)[: span.first.column - 1].strip()
    if is_alone:
        following[line] = line = _next_line(source, line, following)
    return Ignore(span, codes, line)


def _next_line(source: Source, line: int, known: dict[int, int]) -> int:
    """The first line below that is neither empty nor a comment."""
    last = len(source.line_starts)
    at = line + 1
    while at <= last and (not (text := source.line(at).strip()) or text.startswith("#")):
        if at in known:
            return known[at]
        at += 1
    return at


def silence(
    diagnostics: list[Diagnostic], ignores_of: Callable[[Source], list[Ignore]]
) -> tuple[list[Diagnostic], set[Span]]:
    """What is left after the comments of every file spoke, and the comments that silenced something."""
    used: set[Span] = set()
    left: list[Diagnostic] = []
    by_line: dict[tuple[str, int], list[Ignore]] = {}  # of each file that has a finding
    seen: set[str] = set()
    for diagnostic in diagnostics:
        source = diagnostic.span.source
        if source.name not in seen:
            seen.add(source.name)
            for ignore in ignores_of(source):
                by_line.setdefault((source.name, ignore.line), []).append(ignore)
        places = ((source.name, 0), (source.name, diagnostic.span.first.line)) if by_line else ()
        near = [ignore for place in places for ignore in by_line.get(place, ())]
        covering = [ignore for ignore in near if ignore.covers(diagnostic)]
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
