"""What is given on the command line is checked where it stands there, not where the spec builds on something."""

from __future__ import annotations

import pytest

from agentspec.api.spec import load


@pytest.mark.parametrize(
    ("override", "findings"),
    [
        ("execution.max_nudgs=3", [("AS102", "max_nudgs", "unknown key `max_nudgs` in `execution`")]),
        ("observability.otel=true", [("AS902", "otel", "`otel` is accepted, but not yet in effect")]),
    ],
)
def test_an_override_has_its_own_findings_once(tmp_path, override, findings) -> None:
    path = tmp_path / "plain.yaml"
    path.write_text("name: plain\nexecution: {max_iterations: 3}\n")

    found = load(path, sets=[override]).diagnostics

    assert [(one.code, one.span.text, one.message) for one in found] == findings
    assert {one.span.source.name for one in found} == {f"--set {override}"}
