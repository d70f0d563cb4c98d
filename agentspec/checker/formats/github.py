"""github: a report as workflow commands, which GitHub Actions shows beside the lines of a change."""

from __future__ import annotations

from agentspec.checker.conceal import concealed
from agentspec.checker.report import Report, file_name
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.visible import visible

COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render(report: Report) -> str:
    """One line a finding."""
    return "".join(f"{_line(one)}\n" for one in concealed(report.diagnostics, report.secrets))


def _line(diagnostic: Diagnostic) -> str:
    first, last = diagnostic.span.first, diagnostic.span.last
    properties = {"file": file_name(diagnostic.span.source.name), "line": first.line, "endLine": last.line}
    if first.line == last.line:
        # GitHub refuses columns for a stretch of several lines; its end column includes the last character.
        properties |= {"col": first.column, "endColumn": max(first.column, last.column - 1)}
    properties["title"] = diagnostic.code
    listed = ",".join(f"{name}={visible(str(value)).translate(PROPERTY)}" for name, value in properties.items())
    text = diagnostic.message if diagnostic.help is None else f"{diagnostic.message}\n{diagnostic.help}"
    return f"::{COMMANDS[diagnostic.severity]} {listed}::{visible(text).translate(MESSAGE)}"
