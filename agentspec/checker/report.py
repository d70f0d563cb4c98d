"""report: what a check found, counted and put in order. Formats print it; nothing here prints."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from agentspec.text.diagnostic import Diagnostic, sort_key
from agentspec.text.source import Span


class Report(NamedTuple):
    """The findings of one check, in order of file and position.

    `checked` are the names of the files. `hidden` counts the findings that only follow from others and were left out.
    `skipped` counts the files of folders that hold no spec, and `skipped_files` names them; it is None where no folder
    was walked. `missing` says what could not be read. `shows_all` asks for what is left out of a text for brevity.
    `secrets` are the places that must not be shown, also where the finding that says so was silenced. `mends` counts
    the fixes that `--fix` would apply, where that was tried.

    >>> from agentspec import check
    >>> report = check("examples/first-look/first-look.yaml")
    >>> report.files, report.count("error"), report.exit_code()
    (1, 0, 0)
    """

    diagnostics: list[Diagnostic]
    checked: tuple[str, ...] = ()
    skipped: int | None = None
    missing: tuple[str, ...] = ()
    hidden: int = 0
    is_strict: bool = False  # the project asks for it
    skipped_files: tuple[str, ...] = ()
    shows_all: bool = False
    secrets: tuple[Span, ...] = ()
    mends: int = 0

    @property
    def files(self) -> int:
        """How many files were checked."""
        return len(self.checked)

    def count(self, severity: str) -> int:
        """How many findings have this severity."""
        return sum(diagnostic.severity == severity for diagnostic in self.diagnostics)

    def __str__(self) -> str:
        """A line for each finding, and for each path that could not be read."""
        return "\n".join([*map(str, self.diagnostics), *self.missing]) or f"no findings ({len(self.checked)} checked)"

    def exit_code(self) -> int:
        """0: no error, and where it is strict no warning. 1: findings. 2: no spec, or a path that cannot be read."""
        if self.missing or not self.checked:
            return 2
        return int(bool(self.count("error") or (self.is_strict and self.count("warning"))))


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Each finding once, by file and position; the same finding may come from several specs that share a file."""
    once: dict[tuple[object, ...], Diagnostic] = {}
    for one in diagnostics:
        key = (one.code, one.path, one.span.source.name, one.span.start, one.span.end)
        if key not in once or (once[key].fix is None and one.fix is not None):
            once[key] = one
    return sorted(once.values(), key=sort_key)


def show_names(diagnostics: list[Diagnostic]) -> None:
    """Give every file the name under which it is shown, so that one file has one name throughout a report."""
    sources = {id(one.span.source): one.span.source for one in diagnostics}
    sources |= {id(other.span.source): other.span.source for one in diagnostics for other in one.related}
    for source in sources.values():
        source.name = file_name(source.name)


def file_name(name: str) -> str:
    """The name of a file as it is shown: relative to the working directory where it lies below it, `/` everywhere.

    What lies elsewhere keeps the form in which it was given, so that no path of the machine appears unasked.
    """
    if not name or name.startswith("--"):  # `--set PATH=VALUE` is a source too, and no file
        return name
    here = os.getcwd().rstrip(os.sep) + os.sep  # noqa: PTH109 - as text, since it is asked for every file
    return Path(os.path.normpath(name.removeprefix(here))).as_posix()
