"""Findings: how they are ordered, and which fixes are safe."""

from __future__ import annotations

from agentspec.text.diagnostic import FIX_CLASSES, Diagnostic, Fix, sort_key
from agentspec.text.source import Source, Span


def at(name: str, start: int, code: str) -> Diagnostic:
    return Diagnostic(code, "error", "message", Span(Source(name, "text"), start, start + 1))


def test_findings_are_ordered_by_file_then_place_then_code() -> None:
    findings = [at("b", 0, "AS001"), at("a", 2, "AS001"), at("a", 1, "AS005"), at("a", 1, "AS002")]

    ordered = [(each.span.source.name, each.span.start, each.code) for each in sorted(findings, key=sort_key)]

    assert ordered == [("a", 1, "AS002"), ("a", 1, "AS005"), ("a", 2, "AS001"), ("b", 0, "AS001")]


def test_the_first_three_classes_of_fixes_are_safe() -> None:
    safe = [each for each in FIX_CLASSES if Fix("title", (), each).is_safe]

    assert safe == ["format", "equivalent", "local"]
