"""text: a report for people: each finding with its line and a caret, and a last line that sums up."""

from __future__ import annotations

from agentspec.checker.conceal import concealed
from agentspec.checker.report import Report
from agentspec.text.visible import one_line

FEW = 5  # files that are named in a line


def render(report: Report, *, colour: bool = False) -> str:
    """Every finding in full, then the summary."""
    if not report.diagnostics:
        return summary(report) + "\n"
    from agentspec.text.render import render as render_one  # noqa: PLC0415 - most checks have nothing to show

    blocks = [render_one(one, colour=colour) + "\n\n" for one in concealed(report.diagnostics, report.secrets)]
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
    if report.mends:
        line += f"; `--fix` mends {report.mends}"
    if report.hidden:
        line += (
            f"; {report.hidden} more {'follows' if report.hidden == 1 else 'follow'} from these (`--all` shows them)"
        )
    return line


def skipped(report: Report) -> str:
    """How many files of folders hold no spec, and which where they are few or all is to be shown."""
    if not report.skipped:
        return ""
    are_named = report.shows_all or report.skipped <= FEW
    others = "1 other file holds" if report.skipped == 1 else f"{report.skipped} other files hold"
    return f" ({others} no spec{': ' + one_line(', '.join(report.skipped_files)) if are_named else ''})"
