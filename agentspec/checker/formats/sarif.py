"""sarif: a report as SARIF 2.1.0 (OASIS Standard), for code scanning and editors."""

from __future__ import annotations

import inspect
import json
import os
from typing import Any
from urllib.parse import quote

from agentspec.checker.conceal import concealed
from agentspec.checker.discover import all_rules
from agentspec.checker.report import Report, file_name
from agentspec.text.diagnostic import Diagnostic, Edit, Fix, Related
from agentspec.text.source import Span
from agentspec.text.visible import plain_json

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(report: Report) -> str:
    """The whole report as one SARIF log with one run; columns count code points."""
    codes = sorted({diagnostic.code for diagnostic in report.diagnostics})
    index = {code: number for number, code in enumerate(codes)}
    driver = {"name": "agentspec", "rules": [_rule(code) for code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, index[one.code]) for one in concealed(report.diagnostics, report.secrets)],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return plain_json(json.dumps(log, ensure_ascii=False, indent=1)) + "\n"


def _rule(code: str) -> dict[str, Any]:
    rule = all_rules().get(code)
    if rule is None:
        return {"id": code}
    page = inspect.getdoc(rule) or rule.title
    return {
        "id": code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": page.split("\n\n")[0].replace("\n", " ")},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(diagnostic: Diagnostic, index: int) -> dict[str, Any]:
    text = diagnostic.message if diagnostic.help is None else f"{diagnostic.message}; {diagnostic.help}"
    location: dict[str, Any] = {"physicalLocation": _place(diagnostic.span)}
    if diagnostic.path:
        location["logicalLocations"] = [{"fullyQualifiedName": diagnostic.path}]
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": diagnostic.severity,
        "message": {"text": text},
        "locations": [location],
    }
    if diagnostic.related:
        result["relatedLocations"] = [_related(one, number) for number, one in enumerate(diagnostic.related, 1)]
    if diagnostic.fix:
        result["fixes"] = [_fix(diagnostic.fix)]
    return result


def _place(span: Span) -> dict[str, Any]:
    return {"artifactLocation": _artifact(span), "region": _region(span)}


def _artifact(span: Span) -> dict[str, str]:
    return {"uri": quote(os.fsencode(file_name(span.source.name)))}


def _region(span: Span) -> dict[str, int]:
    first, last = span.first, span.last
    return {"startLine": first.line, "startColumn": first.column, "endLine": last.line, "endColumn": last.column}


def _related(related: Related, number: int) -> dict[str, Any]:
    return {"id": number, "physicalLocation": _place(related.span), "message": {"text": related.message}}


def _fix(fix: Fix) -> dict[str, Any]:
    by_file: dict[str, list[Edit]] = {}
    for edit in fix.edits:
        by_file.setdefault(edit.span.source.name, []).append(edit)
    changes = [
        {
            "artifactLocation": _artifact(edits[0].span),
            "replacements": [
                {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}} for edit in edits
            ],
        }
        for edits in by_file.values()
    ]
    return {"description": {"text": fix.title}, "artifactChanges": changes}
