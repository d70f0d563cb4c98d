"""What the pages show is what happens: every spec checks, every command prints what stands there, every link leads."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from agentspec.syntax.read import read_file
from agentspec.syntax.tree import same
from tests.docs.page import ROOT, Session, blocks

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "examples/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
GENERATED = {"codes", "reference"}
SESSIONS = [path for path in PAGES if not GENERATED & set(path.parts) and "\n```" in path.read_text("utf-8")]
# Pages with many commands of a shell, each a process: they are followed in the slow part.
DEAR = {
    "checking",
    "context",
    "done",
    "libraries",
    "own-agent",
    "platform",
    "presets",
    "routes",
    "running",
    "scenarios",
    "tutorial",
}
EACH = [pytest.param(path, marks=[pytest.mark.slow] if path.stem in DEAR else []) for path in SESSIONS]
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")


@pytest.fixture
def session(tmp_path, monkeypatch):
    folder = tmp_path / "page"
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns(".agentspec"))
    monkeypatch.chdir(folder)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AGENTSPEC_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Session(folder)


@pytest.mark.parametrize("path", EACH, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_page_shows_is_what_happens(path: Path, session: Session) -> None:
    shown = list(blocks(path))

    for block in shown:
        session.follow(block)

    assert session.has_run == len(shown) == path.read_text("utf-8").count("\n```") // 2


def test_every_link_of_a_page_leads_to_a_file() -> None:
    links = [(path, target) for path in PAGES for target in LINK.findall(path.read_text("utf-8"))]

    lost = [f"{path.relative_to(ROOT)}: {target}" for path, target in links if not (path.parent / target).exists()]

    assert lost == []


def test_the_readme_fits_on_a_screen_and_shows_one_spec_in_both_spellings(session: Session) -> None:
    readme = ROOT / "README.md"
    files = [block for block in blocks(readme) if block.name]
    for block in files:
        session.follow(block)

    trees = [read_file(session.folder / block.name).documents[0].root for block in files]

    assert [block.language for block in files] == ["yaml", "agent"]
    assert same(*trees)
    assert len(readme.read_text("utf-8").splitlines()) < 100
