"""The script for CI of the shared library: it passes what is harmless, and fails where a team would break or gain."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "shared-library"
AUTHOR = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
NEXT = ("house/library.yaml", "version: 1.2.0", "version: 1.3.0")
CAREFUL, REVIEWED = "house/presets/attentive.yaml", "house/presets/reviewed.yaml"

# Each: what is changed in the library, whether it is locked anew, the exit code, and what the output holds.
CHANGES = {
    "nothing": ([], False, 0, "not wider"),
    "fewer turns": (
        [NEXT, ("house/presets/base.yaml", "max_iterations: 8", "max_iterations: 6")],
        True,
        0,
        "not wider",
    ),
    "another meaning of a version": (
        [("house/presets/base.yaml", "max_iterations: 8", "max_iterations: 6")],
        False,
        1,
        "`house` 1.2.0 means something else than was locked",
    ),
    "a lock that was forgotten": ([NEXT], False, 1, "`agentspec.lock` is not what the specs of this project ask for"),
    "an input of another name": (
        [NEXT, (CAREFUL, "  folder:", "  place:"), (CAREFUL, "inputs.folder", "inputs.place")],
        True,
        1,
        "`house.attentive` has no input `folder`",
    ),
    "another tool": (
        [NEXT, (CAREFUL, "enabled: [read_file,", "enabled: [read_file, search_files,")],
        True,
        1,
        "+ tools: search_files (read, allow)",
    ),
    "a tool that is gone": (
        [NEXT, (CAREFUL, "enabled: [read_file, list_directory]", "enabled: [list_directory]")],
        True,
        1,
        "FAIL  a ticket is read before it is told",
    ),
    "too few turns": (
        [NEXT, ("house/presets/base.yaml", "max_iterations: 8", "max_iterations: 1")],
        True,
        1,
        "status: expected `done`, got `budget_exhausted`",
    ),
    "a rule that is gone": ([NEXT, (REVIEWED, "decision: ask", "decision: allow")], True, 1, "gates: "),
}


class Repository:
    """The example in a repository of its own, whose first commit is what was released."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        shutil.copytree(EXAMPLE, self.folder, ignore=shutil.ignore_patterns(".agentspec"))
        program = folder / "bin" / "agentspec"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agentspec "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        path = f"{program.parent}:{os.environ['PATH']}"
        self.environment = {
            **os.environ,
            **AUTHOR,
            "PATH": path,
            "PYTHONPATH": str(ROOT),
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }
        for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "1.2.0"]):
            assert self.call("git", *words)[0] == 0

    def call(self, *words: str) -> tuple[int, str]:
        done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("changes", "is_locked", "code", "words"), CHANGES.values(), ids=CHANGES)
def test_a_change_of_the_library_is_let_through_or_not(tmp_path, changes, is_locked, code, words) -> None:
    repository = Repository(tmp_path)
    for name, old, new in changes:
        file = repository.folder / name
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))
    if is_locked:
        assert repository.call("agentspec", "lib", "lock")[0] == 0

    done = repository.call("./ci.sh", "HEAD")

    assert (done[0], words in done[1]) == (code, True), done[1]
