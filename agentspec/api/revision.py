"""revision: the files of a spec as they were at a revision of git. Nothing is checked out, and git starts nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from agentspec.compose.files import Files
from agentspec.errors import NotFound, Unavailable
from agentspec.syntax.limits import MAX_BYTES
from agentspec.syntax.read import parse_bytes
from agentspec.syntax.tree import Parsed

_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "safe.bareRepository=explicit")
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C.UTF-8"}


class Commit(NamedTuple):
    """A commit of a repository: its folder, the hash, and the name that it was asked for by."""

    folder: str
    hash: str
    name: str


def commit_of(name: str, spec: Path) -> Commit:
    """The commit that a name means in the repository of a spec. Raises `NotFound`, `Unavailable` without git."""
    place = spec.absolute().parent
    folder = _git(place, "rev-parse", "--show-toplevel") if place.is_dir() else None
    if folder is None:
        raise NotFound(f"`{name}` is no file, and `{spec}` is in no repository of git where it could be a revision")
    found = _git(place, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found is None:
        raise NotFound(f"`{name}` is no file and no revision of the repository of `{spec}`")
    return Commit(os.fsdecode(folder).rstrip("\n"), found.decode("ascii", "replace").strip(), name)


class RevisionFiles(Files):
    """Files as they were; those that come with agentspec are read as they are."""

    is_past = True

    def __init__(self, commit: Commit) -> None:
        super().__init__()
        self.commit = commit
        self._current = Files()
        self._then: dict[str, Parsed] = {}

    def read(self, path: str) -> Parsed:
        """The file at the revision. Raises `NotFound` where it was not there."""
        if self._is_lasting(path):
            return self._current.read(path)
        if path not in self._then:
            self._then[path] = parse_bytes(path, self.content(path))
        return self._then[path]

    def content(self, path: str) -> bytes:
        """Its bytes at the revision. Raises `NotFound`, as `read`."""
        if self._is_lasting(path):
            return self._current.content(path)
        inside = os.path.relpath(os.path.realpath(path), self.commit.folder)
        if inside.startswith(".."):
            raise NotFound(f"`{path}` lies outside of the repository: there is no `{self.commit.name}` of it")
        content = _git(Path(self.commit.folder), "cat-file", "blob", f"{self.commit.hash}:{inside}")
        if content is None:
            raise NotFound(f"there is no `{path}` at `{self.commit.name}`")
        return content

    def _is_lasting(self, path: str) -> bool:
        return any(Path(path).is_relative_to(folder) for folder in self.lasting)

    def builtin(self, folder: str, name: str) -> Parsed | None:
        """What comes with agentspec is of this installation."""
        return self._current.builtin(folder, name)


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What git printed, not more than a spec may hold; None where it refused."""
    program = shutil.which("git")
    if program is None:
        raise Unavailable("git is not installed, and a revision is read with it")
    with subprocess.Popen(  # noqa: S603 - whole arguments, never a shell
        [program, *_SAFE, *arguments],
        cwd=folder,
        env={**os.environ, **_QUIET},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        found = process.stdout.read(MAX_BYTES + 1)
        if len(found) > MAX_BYTES:
            process.kill()
            return found
    return found if process.returncode == 0 else None
