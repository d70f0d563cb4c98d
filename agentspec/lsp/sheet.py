"""sheet: one file as an editor asks about it: read, composed, and what the language knows of each part of it."""

from __future__ import annotations

import os
from functools import cached_property

from agentspec.checker.check import agents_in
from agentspec.checker.meaning import Scopes
from agentspec.checker.questions.file_texts import file_texts
from agentspec.checker.subject import Subject
from agentspec.compose.files import Files
from agentspec.compose.load import Composed, load_all
from agentspec.compose.reference import Target
from agentspec.spec.structure.shape import Mark, survey
from agentspec.syntax.tree import Path, Scalar
from agentspec.text.drafts import drafted
from agentspec.text.source import Source, Span


class Part:
    """One document of a file, with all that it builds on."""

    def __init__(self, sheet: Sheet, composed: Composed) -> None:
        self.sheet = sheet
        self.composed = composed

    @cached_property
    def marks(self) -> list[Mark]:
        """The nodes of the document itself whose meaning the language knows, as they are written."""
        return survey(self.composed.document.root, self.composed.kind, broken=True).marks

    @cached_property
    def subject(self) -> Subject:
        """The document as rules see it, with what it extends: its tools, its toolkits, what refers to what."""
        composed = self.composed
        found = survey(composed.root, composed.kind, broken=True).marks
        return Subject(
            composed.tree,
            composed.kind,
            composed.project,
            composed.document.span.source,
            marks=tuple(found),
            errors=(),
            is_whole=not composed.has_broken,
            agents=agents_in(composed.parsed),
        )

    @cached_property
    def file_texts(self) -> list[tuple[Path, Scalar]]:
        """The texts for models that stand in files of the project."""
        with drafted(self.sheet.files.drafts):
            return list(file_texts(self.composed.tree, self.composed.project))

    @cached_property
    def scopes(self) -> Scopes:
        """What the document adds to the places of its expressions."""
        return Scopes(self.composed, frozenset())

    @cached_property
    def target(self) -> Target:
        """The document as one that refers to others."""
        composed, folder = self.composed, os.path.dirname(self.sheet.path)  # noqa: PTH120 - as composition has it
        return Target(composed.parsed, composed.document, folder, "spec", "", is_own_file=True)

    def mark_at(self, offset: int) -> Mark | None:
        """The innermost marked scalar that stands at an offset."""
        found = [one for one in self.marks if isinstance(one.node, Scalar) and self.sheet.holds(one.node.span, offset)]
        return min(found, key=lambda one: one.node.span.end - one.node.span.start, default=None)


def sheet_of(path: str, files: Files) -> Sheet:
    """A file, read and composed once for those who share its files. Raises `NotFound` where there is none."""
    sheets = files.beside.setdefault("sheets", {})
    assert isinstance(sheets, dict)
    key = os.path.realpath(path)
    if key not in sheets:
        sheets[key] = Sheet(path, files)
    sheet: Sheet = sheets[key]
    return sheet


def part_of(target: Target, files: Files) -> Part | None:
    """A document that was found by a reference, with all that it builds on."""
    parts = sheet_of(target.parsed.source.name, files).parts
    return next((part for part in parts if part.composed.document is target.document), None)


class Sheet:
    """A file with its documents. Raises `NotFound` where there is none."""

    def __init__(self, path: str, files: Files) -> None:
        self.path = path
        self.files = files
        with drafted(files.drafts):
            self.parsed, composed = load_all(path, files)
        self.parts = [Part(self, each) for each in composed]

    @property
    def source(self) -> Source:
        """The text."""
        return self.parsed.source

    def holds(self, span: Span, offset: int) -> bool:
        """Whether a span stands in this file, and an offset in it or right behind it."""
        return span.source is self.source and span.start <= offset <= span.end

    def part_at(self, offset: int) -> Part | None:
        """The document that an offset belongs to: the last that begins before it, else the first."""
        before = [part for part in self.parts if part.composed.document.span.start <= offset]
        return before[-1] if before else next(iter(self.parts), None)
