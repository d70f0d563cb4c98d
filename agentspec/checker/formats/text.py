"""text: a report for people: each finding with its line and a caret, and a last line that sums up."""

from __future__ import annotations

from dataclasses import replace

from agentspec.checker.report import Report, file_name
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.render import render as render_one
from agentspec.text.source import Source, Span

FEW = 5  # files that are named in a line
NOT_SHOWN = ("AS701",)  # secrets: the excerpt would carry them into every log that the report goes to


def render(report: Report, *, colour: bool = False) -> str:
    """Every finding in full, then the summary."""
    blocks = [render_one(_shown(diagnostic), colour=colour) + "\n\n" for diagnostic in report.diagnostics]
    return "".join(blocks) + summary(report) + "\n"


def summary(report: Report) -> str:
    """What was found, in one line."""
    counts = [
        f"{number} {severity}{'s' if number > 1 else ''}"
        for severity in ("error", "warning", "note")
        if (number := report.count(severity))
    ]
    files = f"{report.files} file{'' if report.files == 1 else 's'}"
    line = f"{', '.join(counts) or 'no findings'} in {files}{skipped(report)}"
    fixable = sum(_is_mendable(one, report.checked) for one in report.diagnostics)
    if fixable:
        line += f"; `--fix` mends {fixable}"
    if report.hidden:
        line += f"; {report.hidden} more follow from these (`--all` shows them)"
    return line


def skipped(report: Report) -> str:
    """How many files of folders hold no spec, and which where they are few or all is to be shown."""
    if not report.skipped:
        return ""
    are_named = report.shows_all or report.skipped <= FEW
    return f" ({report.skipped} skipped{': ' + ', '.join(report.skipped_files) if are_named else ''})"


def _is_mendable(diagnostic: Diagnostic, checked: tuple[str, ...]) -> bool:
    fix = diagnostic.fix
    return fix is not None and fix.is_safe and all(edit.span.source.name in checked for edit in fix.edits)


def _shown(diagnostic: Diagnostic) -> Diagnostic:
    span = diagnostic.span
    text = span.source.text
    if diagnostic.code in NOT_SHOWN:
        text = text[: span.start] + "".join(one if one in "\r\n" else "*" for one in span.text) + text[span.end :]
    shown = Source(file_name(span.source.name), text)
    return replace(diagnostic, span=Span(shown, span.start, span.end))
