"""A folder of spec files to compose, and findings in a form that reads well."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.compose.load import Composed, load
from agentspec.syntax.tree import plain
from agentspec.text.diagnostic import Diagnostic


class Folder:
    """Files by name in the working directory, so that every place is a short relative path."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, name: str, text: str) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def load(self, spec: str, /, **options: object) -> Composed:
        """The composition of a text that is written as `spec.yaml`."""
        self.write("spec.yaml", spec)
        return load("spec.yaml", **options)  # type: ignore[arg-type]

    def value(self, spec: str, /, **options: object) -> object:
        """The effective values of a spec that composes without a finding, without its name and what it extends."""
        composed = self.load(spec, **options)
        assert brief(composed.diagnostics) == []
        values = plain(composed.tree)
        assert isinstance(values, dict)
        return {key: value for key, value in values.items() if key not in ("name", "preset", "extends")}

    def findings(self, spec: str, /, **options: object) -> list[str]:
        return brief(self.load(spec, **options).diagnostics)


def brief(diagnostics: list[Diagnostic]) -> list[str]:
    """`CODE FILE:LINE:COLUMN message` for each finding, with its other places behind it."""
    return [
        f"{found.code} {place(found)} {found.message}"
        + "".join(f" ({related.message}: {place(related)})" for related in found.related)
        for found in diagnostics
    ]


def place(found: object) -> str:
    span = found.span  # type: ignore[attr-defined]
    return f"{span.source.name}:{span.first.line}:{span.first.column}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    return Folder(tmp_path)
