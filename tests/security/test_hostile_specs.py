"""Hostile specs load or are refused: with a line, a column and a code, soon, in little memory, and nothing is run."""

import os
import resource
import time
from collections import Counter
from pathlib import Path

import pytest

from agentspec import check
from tests.security.hostile_specs import COUNTS, ROWS, Hostile

BUSY = 4  # how much slower than a quiet machine one may be that others work on
SOON, BOMB = 0.5 * BUSY, 0.05 * BUSY  # seconds of CPU
LITTLE = 100 * 1024  # KiB


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outer") / "project"
    (folder / "folder").mkdir(parents=True)
    for name in ("outside.md", "outside.json"):
        (folder.parent / name).write_text("{}")
    (folder / "link").symlink_to("/etc/passwd")
    os.mkfifo(folder / "fifo")
    os.mkfifo(folder / "fifo.yaml")
    for name, text in (
        ("warm.yaml", "name: [\n"),
        ("warm.agent", "agent a { tool }"),
    ):  # what is loaded once is nobody's
        (folder / name).write_text(text)
        check(folder / name)
    return folder


def write(folder: Path, row: Hostile) -> Path:
    files = row.spec if isinstance(row.spec, dict) else {"spec.yaml": row.spec}
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return folder / next(name for name in files if name.startswith("spec."))


def test_the_list_has_what_it_should() -> None:
    assert Counter(row.part for row in ROWS) == COUNTS
    assert len(ROWS) == 210


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.part}: {row.name[:40]}")
def test_a_hostile_spec_is_dealt_with(project: Path, row: Hostile) -> None:
    path = write(project, row)
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()

    report = check(path)

    took, grown = time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    errors = [found for found in report.diagnostics if found.severity == "error"]
    assert {found.code for found in errors} >= ({row.code} if row.code else set())
    assert bool(errors) is bool(row.code)
    assert all(found.span.first >= (1, 1) for found in errors)
    assert not (project / "made").exists()
    assert took <= (BOMB if row.part.endswith("bombs") else SOON)
    assert grown <= LITTLE
