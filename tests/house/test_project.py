"""The project speaks of itself alone, and a change is told in one sentence."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOP = ("agentspec", "bench", "changes", "docs", "editors", "examples", "grammar", "scripts", "stdlib", "tests", ".ci")
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "pyproject.toml")
GENERATED = {"__pycache__", ".agentspec"}
SUFFIXES = {".py", ".md", ".yaml", ".yml", ".json", ".toml", ".agent", ".lark", ".sh", ".txt", ""}
FILES = [
    path
    for path in (*ROOT.glob("*.*"), *(path for name in TOP for path in (ROOT / name).rglob("*")))
    if path.is_file() and path.suffix in SUFFIXES and not GENERATED & set(path.parts)
]
# Hosts and options of package indexes: an installation takes the ones that its machine is set up for.
INDEXES = re.compile("|".join(("pypi" + r"\.org", "python" + "hosted", "-index" + "-url", "--find" + "-links")))
IMPORTED_AS = {
    "PyYAML": "yaml",
    "cel-expr-python": "cel_expr_python",
    "google-re2": "re2",
    "protobuf": r"google\.protobuf",
}
CHANGE = re.compile(r"[a-z0-9-]+\.(added|changed|fixed)\.md")


def places(here: Path) -> set[str]:
    """The folders of this machine that a file could name: this checkout, this Python, the home of who runs it."""
    found = {str(here), sys.prefix, sys.base_prefix, str(Path.home())}
    return {place for place in found if len(Path(place).parts) > 2}  # `/usr` and `/root` are everybody's


def test_there_are_files_to_look_at() -> None:
    assert len(FILES) > 500


def test_the_top_level_holds_only_what_belongs_to_the_project() -> None:
    strangers = sorted(path.name for path in ROOT.iterdir() if path.name[0] != "." and path.name not in (*TOP, *PAGES))

    assert strangers == []


def test_no_file_names_the_machine_that_it_was_written_on() -> None:
    named = places(ROOT)

    found = [
        str(path.relative_to(ROOT))
        for path in FILES
        if any(name in path.read_text("utf-8", "replace") for name in named)
    ]

    assert found == []


def test_no_file_names_a_package_index() -> None:
    found = [str(path.relative_to(ROOT)) for path in FILES if INDEXES.search(path.read_text("utf-8", "replace"))]

    assert found == []


def test_a_change_is_one_sentence_in_a_file_of_its_kind() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "changes").iterdir()}

    assert [name for name in texts if not CHANGE.fullmatch(name)] == []
    assert [name for name, text in texts.items() if not re.fullmatch(r"[A-Z`][^\n]+\.\n", text)] == []


@pytest.mark.parametrize("name", ["quickstart", "test"])
def test_a_script_can_be_run_and_stops_at_the_first_failure(name: str) -> None:
    path = ROOT / "scripts" / name

    assert path.stat().st_mode & 0o111
    assert path.read_text(encoding="utf-8").startswith("#!/bin/sh\n")
    assert "\nset -eu\n" in path.read_text(encoding="utf-8")


def test_ci_runs_the_same_gate_as_people() -> None:
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert ci.rstrip().endswith("exec ./scripts/test")


def test_decisions_are_numbered_without_a_gap_as_their_headings_say() -> None:
    pages = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    texts = [page.read_text(encoding="utf-8") for page in pages]

    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    assert [text.partition(".")[0] for text in texts] == [f"# {number}" for number in range(1, len(pages) + 1)]


def test_every_dependency_is_imported_somewhere_and_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    reasons = (ROOT / "docs" / "decisions" / "0007-dependencies.md").read_text(encoding="utf-8")
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "agentspec").rglob("*.py"))
    names = [re.split(r"[<>=\[]", one)[0] for one in project["dependencies"]]

    unreasoned = [name for name in names if not re.search(rf"\b{re.escape(name)}\b", reasons.split("\n\n", 1)[1])]
    ways = r"(?:import |from |import_module\(\")"
    unused = [name for name in names if not re.search(rf"{ways}{IMPORTED_AS.get(name, name)}\b", sources)]

    assert unreasoned == []
    assert unused == []
