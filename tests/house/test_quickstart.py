"""A newcomer's first command works in a fresh copy: environment, install, check and run, offline."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import weights

ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", ".agentspec", ".*_cache", ".hypothesis", "__pycache__", "tests")


def quickstart(tmp_path: Path, *words: str) -> str:
    """What the script prints in a fresh copy, where it succeeds."""
    copy = tmp_path / "fresh copy"  # a blank in the path must not matter
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}

    done = subprocess.run(
        [copy / "scripts" / "quickstart", *words],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.slow
def test_quickstart_sets_up_checks_runs_and_tells_how_to_go_on(tmp_path: Path) -> None:
    printed = quickstart(tmp_path)

    assert "\nno findings in 2 files" in printed
    assert "\nThe open orders 1001 and 1003 add up to 200. Order 1002 is paid.\n" in printed
    for word in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "--model openai:MODEL", "--local"):
        assert word in printed


if weights.ARE_HERE:  # else they are not to be had, and the end of the run says so

    @pytest.mark.slow
    def test_quickstart_lets_a_real_model_answer_where_it_is_asked_to(tmp_path: Path) -> None:
        printed = quickstart(tmp_path, "--local")

        assert '"mood"' in printed
        assert "docs/guide/local.md" in printed
