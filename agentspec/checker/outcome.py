"""outcome: all that the check of one file came to, before anything is silenced or left out, also as plain values.

The plain form holds no text of the checked file: its places are offsets in it, so it is read again with the file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from agentspec.checker.ignores import Ignore, read_ignores
from agentspec.syntax.tree import Parsed
from agentspec.text.diagnostic import Diagnostic, Edit, Fix, Related
from agentspec.text.source import Source, Span
from agentspec.text.witness import Witness

OWN = 0  # the number of the checked file among the sources of an outcome


class Outcome(NamedTuple):
    """The findings of a file, its ignore comments, and whether some part of it could not be read."""

    source: Source
    diagnostics: list[Diagnostic]
    ignores: list[Ignore]
    has_broken: bool


class Keeper(Protocol):
    """Who keeps outcomes from one check to the next."""

    def find(self, path: Path) -> Outcome | None:
        """What is kept of a file, where it still holds."""

    def keep(self, path: Path, outcome: Outcome, witness: Witness) -> None:
        """Keep what the check of a file came to; `witness` is what it saw."""

    def save(self) -> None:
        """Write down what was kept."""


def outcome_of(parsed: Parsed, diagnostics: list[Diagnostic]) -> Outcome:
    """What is kept of a file once it is checked."""
    broken = any(document.has_broken for document in parsed.documents)
    return Outcome(parsed.source, diagnostics, read_ignores(parsed), broken)


class Plain(NamedTuple):
    """An outcome as JSON values; `texts` are the sources of its findings beside the file itself, name and text."""

    texts: list[tuple[str, str]]
    findings: list[Any]
    ignores: list[Any]
    has_broken: bool


def as_plain(outcome: Outcome) -> Plain:
    """The outcome as JSON values."""
    sources = {id(outcome.source): OWN}
    texts: list[tuple[str, str]] = []

    def place(span: Span) -> tuple[int, int, int]:
        if id(span.source) not in sources:
            sources[id(span.source)] = len(sources)
            texts.append((span.source.name, span.source.text))
        return sources[id(span.source)], span.start, span.end

    findings = [
        (
            *(one.code, one.severity, one.message, place(one.span), one.path, one.help, one.caused_by),
            None if one.fix is None else _plain_fix(one.fix, place),
            [(place(other.span), other.message) for other in one.related],
        )
        for one in outcome.diagnostics
    ]
    ignores = [(ignore.span.start, ignore.span.end, ignore.codes, ignore.line) for ignore in outcome.ignores]
    return Plain(texts, findings, ignores, outcome.has_broken)


def _plain_fix(fix: Fix, place: Callable[[Span], tuple[int, int, int]]) -> Any:
    return fix.title, fix.fix_class, [(place(edit.span), edit.text) for edit in fix.edits]


def from_plain(plain: Plain, source: Source) -> Outcome:
    """The outcome that such values were made of; `source` is the checked file, read again."""
    sources = [source, *(Source(name, text) for name, text in plain.texts)]

    def span(place: tuple[int, int, int]) -> Span:
        return Span(sources[place[0]], place[1], place[2])

    found = []
    for code, severity, message, place, path, help_, caused_by, fix, related in plain.findings:
        made = None if fix is None else Fix(fix[0], tuple(Edit(span(at), text) for at, text in fix[2]), fix[1])
        others = tuple(Related(span(at), text) for at, text in related)
        found.append(Diagnostic(code, severity, message, span(place), path, help_, made, others, caused_by))
    ignores = [Ignore(Span(source, start, end), tuple(codes), line) for start, end, codes, line in plain.ignores]
    return Outcome(source, found, ignores, plain.has_broken)
