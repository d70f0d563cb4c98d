"""A project with a library beside it, locked as it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentspec.api.libraries.lock import lock_libraries
from agentspec.api.libraries.upgrade import upgrade_libraries
from agentspec.checker.check import check_paths
from agentspec.compose.load import load
from agentspec.text.diagnostic import Diagnostic

FILES = {
    "agentspec.toml": "",
    "platform/library.yaml": "library: platform\nversion: 1.4.2\nexports: {presets: [safe]}\n",
    "platform/presets/safe.yaml": "preset: safe\nextends: base\nexecution: {max_nudges: 2}\n",
    "platform/presets/base.yaml": "preset: base\nexecution: {max_iterations: 7}\n",
    "triage.yaml": 'name: triage\nuse: {platform: {source: ./platform, version: "^1.4"}}\nextends: platform.safe\n',
}


class Project:
    """Files by name in the working directory, which is the project."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, name: str, text: str) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def lock(self, **options: bool) -> list[str]:
        return brief(lock_libraries(self.path, **options).findings)

    def upgrade(self) -> list[str]:
        return brief(upgrade_libraries(self.path).findings)

    def checked(self) -> list[str]:
        return brief(check_paths([Path()]).diagnostics)

    def findings(self, spec: str = "triage.yaml") -> list[str]:
        return brief(load(spec).diagnostics)


def brief(diagnostics: list[Diagnostic]) -> list[str]:
    """`CODE FILE:LINE:COLUMN message` for each finding, with its other places behind it."""
    return [
        f"{found.code} {place(found)} {found.message}"
        + "".join(f" ({related.message}: {place(related)})" for related in found.related)
        for found in diagnostics
        if found.caused_by is None
    ]


def place(found: object) -> str:
    span = found.span  # type: ignore[attr-defined]
    name = Path(span.source.name)
    shown = name.relative_to(Path.cwd()) if name.is_relative_to(Path.cwd()) else name
    return f"{shown}:{span.first.line}:{span.first.column}"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A spec that extends the one export of a locked library."""
    monkeypatch.chdir(tmp_path)
    made = Project(tmp_path)
    for name, text in FILES.items():
        made.put(name, text)
    assert made.lock() == []
    return made
