"""json: a report as one JSON object, version 1. Its form is a promise to other programs."""

from __future__ import annotations

import json

from agentspec.checker.conceal import concealed
from agentspec.checker.report import Report, file_name
from agentspec.text.diagnostic import Diagnostic, Edit, Fix
from agentspec.text.source import Span
from agentspec.text.visible import plain_json


def render(report: Report) -> str:
    """The whole report; the same findings give the same bytes."""
    summary = {"errors": report.count("error"), "warnings": report.count("warning"), "notes": report.count("note")}
    if report.skipped is not None:
        summary["skipped"] = report.skipped
    value: dict[str, object] = {
        "version": 1,
        "files": report.files,
        "diagnostics": [as_value(one) for one in concealed(report.diagnostics, report.secrets)],
        "summary": summary,
    }
    if report.skipped_files:
        value["skipped_files"] = list(report.skipped_files)
    return plain_json(json.dumps(value, ensure_ascii=False, indent=1)) + "\n"


def as_value(diagnostic: Diagnostic) -> dict[str, object]:
    """One finding as plain JSON values; lines and columns count from 1, the end is exclusive."""
    file = file_name(diagnostic.span.source.name)
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "file": file,
        "path": diagnostic.path,
        "range": _range(diagnostic.span),
        "help": diagnostic.help,
        "fix": _fix(diagnostic.fix, file) if diagnostic.fix else None,
        "related": [
            {"file": file_name(one.span.source.name), "range": _range(one.span), "message": one.message}
            for one in diagnostic.related
        ],
        "caused_by": diagnostic.caused_by,
    }


def _range(span: Span) -> dict[str, dict[str, int]]:
    return {"start": span.first._asdict(), "end": span.last._asdict()}


def _fix(fix: Fix, file: str) -> dict[str, object]:
    return {
        "title": fix.title,
        "safe": fix.is_safe,
        "class": fix.fix_class,
        "edits": [_edit(edit, file) for edit in fix.edits],
    }


def _edit(edit: Edit, file: str) -> dict[str, object]:
    own = file_name(edit.span.source.name)
    value: dict[str, object] = {"range": _range(edit.span), "text": edit.text}
    return value if own == file else {"file": own, **value}
