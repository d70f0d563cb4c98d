"""A library that is published in a local repository of git, and an empty project beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

AUTHOR = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


class Published:
    """A library in a repository of git, with a working copy that tags its versions."""

    def __init__(self, folder: Path) -> None:
        self.copy, self.bare = folder / "copy", folder / "platform.git"
        self.address = f"git+file://{self.bare}"

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        environment = {**os.environ, **AUTHOR, "GIT_CONFIG_GLOBAL": "/dev/null"}
        done = subprocess.run(
            ["git", *arguments], cwd=cwd or self.copy, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def release(self, version: str, nudges: int | None) -> str:
        """Publish a version whose `safe` has that many nudges, or what lies in the copy; gives the commit."""
        if nudges is not None:
            (self.copy / "presets").mkdir(exist_ok=True)
            (self.copy / "library.yaml").write_text(
                f"library: platform\nversion: {version}\nexports: {{presets: [safe]}}\n", encoding="utf-8"
            )
            (self.copy / "presets/safe.yaml").write_text(f"preset: safe\nexecution: {{max_nudges: {nudges}}}\n")
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", version)
        self.git("tag", "-a", "-f", "-m", version, f"v{version}")
        self.git("push", "--quiet", "--force", "--tags", "origin", "HEAD")
        return self.git("rev-parse", "HEAD")


@pytest.fixture(scope="module")
def first_versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a library with four versions, made once."""
    folder = tmp_path_factory.mktemp("published")
    made = Published(folder)
    made.git("init", "--quiet", "--bare", str(made.bare), cwd=folder)
    made.git("clone", "--quiet", str(made.bare), "copy", cwd=folder)
    for version, nudges in (("1.4.0", 1), ("1.5.0", 2), ("1.6.0", 3), ("2.0.0", 4)):
        made.release(version, nudges)
    return folder


@pytest.fixture
def published(first_versions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Published:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    shutil.copytree(first_versions, tmp_path / "elsewhere")
    made = Published(tmp_path / "elsewhere")
    made.git("remote", "set-url", "origin", str(made.bare))
    return made
