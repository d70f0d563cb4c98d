"""The wheel is whole: in a fresh environment, without the checkout, agentspec checks and runs both spellings."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow
# No variable of this process may lead back into the checkout.
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "AGENTSPEC", "OPENAI"))
}


def call(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    return next(folder.glob("*.whl"))


def test_the_wheel_has_every_file_that_is_read_and_no_test(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    data = {
        f"agentspec/_data/{path.relative_to(ROOT)}"
        for folder in ("grammar", "stdlib", "docs/codes")
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }
    sources = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "agentspec").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert {"agentspec/py.typed", "agentspec/spec/schema.json"} <= sources
    assert data | sources <= names
    assert [name for name in names if not name.startswith("agentspec")] == []


def test_an_installed_agentspec_checks_runs_and_starts_a_project(wheel: Path, tmp_path: Path) -> None:
    """One test, since making the environment takes longer than all that is done in it."""
    venv = tmp_path / "venv"
    call(sys.executable, "-m", "venv", venv, cwd=tmp_path)
    call(venv / "bin" / "python", "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    agentspec = venv / "bin" / "agentspec"
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns(".agentspec"))

    for example in ("first-look/first-look.yaml", "release-audit/release-audit.agent"):
        checked = call(agentspec, "check", f"examples/{example}", cwd=tmp_path)
        ran = call(agentspec, "run", f"examples/{example}", cwd=tmp_path)

        assert checked == "no findings in 1 file\n"
        assert "\ndone (completed) after " in ran

    call(agentspec, "init", "mine", cwd=tmp_path)
    assert "\ndone (completed) after " in call(agentspec, "run", "mine/reader.yaml", cwd=tmp_path)
    assert call(agentspec, "--version", cwd=tmp_path) == "agentspec 0.1.0\n"
    assert call(agentspec, "schema", cwd=tmp_path).startswith("{")
