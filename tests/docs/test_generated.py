"""The generated pages are what the rules and the schema say now; `python scripts/docs.py` writes them anew."""

from __future__ import annotations

import runpy

from agentspec.adapters.tools.files.read import TOOLS
from tests.docs.page import ROOT

DOCS = ROOT / "docs"
PAGES: dict[str, str] = runpy.run_path(str(ROOT / "scripts" / "docs.py"))["pages"]()


def test_the_generated_pages_are_fresh() -> None:
    alone = (DOCS / "decisions" / "README.md", DOCS / "guide" / "toolkits.md")
    paths = [*DOCS.glob("codes/*.md"), *DOCS.glob("reference/*.md"), *DOCS.glob("reference/*/*"), *alone]
    written = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in paths}

    stale = sorted(name for name in written.keys() | PAGES.keys() if written.get(name) != PAGES.get(name))

    assert stale == [], "run: python scripts/docs.py"


def test_every_section_of_a_spec_has_a_page_with_its_keys() -> None:
    page = PAGES["reference/execution.md"]

    assert "| `max_iterations` | a whole number from 1 | the profile's | Turns; the same as a fixed budget. |" in page
    assert "| `wall_clock` | a duration such as `30s` |" in page


def test_every_tool_of_a_built_toolkit_stands_on_the_page_of_the_tools() -> None:
    page = PAGES["guide/toolkits.md"]

    names = [line.removeprefix("### ") for line in page.splitlines() if line.startswith("### ")]

    assert set(TOOLS) <= set(names)
    assert "| `offset` | integer from 1 | Number of the first line to show, from 1. |" in page
    assert "| `path` | string (required) | Path of a file, relative to the project folder. |" in page
