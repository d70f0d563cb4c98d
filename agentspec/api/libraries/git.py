"""git: read libraries from repositories: which tags there are, and the files of one commit. Nothing is checked out.

Files are written as they are stored: no filter, hook or submodule of a repository ever acts, and no link is made.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from agentspec.errors import NotAllowed, NotFound, Unavailable
from agentspec.syntax.limits import MAX_BYTES
from agentspec.text.paths import MOST_FILES

_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "fetch.recurseSubmodules=no")
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "https:http:ssh:git:file",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "LC_ALL": "C.UTF-8",
}
_REPOSITORY = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY")  # of whoever called us
MOST_BYTES = 64 * 1024 * 1024  # of one library
TIMEOUT = 120.0  # seconds, for one question
LINK, MODULE = "120000", "160000"  # modes of entries that are no files


class Entry(NamedTuple):
    """A file of a commit: its path, its blob, and how git says what it is."""

    path: str
    blob: str
    mode: str
    size: int


class Names(NamedTuple):
    """What a repository calls its commits by: tags, which stay, and branches, which move."""

    tags: dict[str, str]
    branches: dict[str, str]


def names_of(address: str) -> Names:
    """The tags and branches of a repository, each with its commit. Raises `NotFound` where it cannot be asked."""
    found = Names({}, {})
    for line in _git("ls-remote", "--", address, about=address).decode("utf-8", "replace").splitlines():
        commit, _, name = line.partition("\trefs/")
        kind, _, word = name.partition("/")
        if kind == "tags":
            found.tags[word.removesuffix("^{}")] = commit  # that of an annotated tag stands behind it, with `^{}`
        elif kind == "heads":
            found.branches[word] = commit
    return found


def read_commit(address: str, ref: str, folder: str, into: Path) -> str:
    """Write the files of a folder at a tag or commit of a repository; gives the commit.

    Raises `NotFound` where there is no such commit or folder, `NotAllowed` where it holds what no library may have.
    """
    with tempfile.TemporaryDirectory(prefix="agentspec-git-") as place:
        git = ("--git-dir", place)
        _git("init", "--bare", "--quiet", place, about=address)
        commit = _fetched(git, address, ref)
        tree = f"{commit}:{folder}" if folder else commit
        try:
            listed = _git(*git, "ls-tree", "-r", "-l", "-z", "--end-of-options", tree, about=address)
        except NotFound:
            raise NotFound(f"`{address}` has no folder `{folder}` at `{ref}`") from None
        entries = _entries(listed, address)
        asked = "".join(f"{entry.blob}\n" for entry in entries).encode()
        content = _git(*git, "cat-file", "--batch", about=address, given=asked)
    _write(entries, content, into)
    return commit


def _write(entries: list[Entry], content: bytes, into: Path) -> None:
    at = 0
    for entry in entries:
        at = content.index(b"\n", at) + 1  # behind `<blob> blob <size>`
        target = into / entry.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content[at : at + entry.size])
        at += entry.size + 1


def _fetched(git: tuple[str, ...], address: str, ref: str) -> str:
    """The commit of a tag, a branch or a hash, fetched alone where the server gives it, else with all there is."""
    for wanted in ((ref,), ("+refs/*:refs/*",)):
        depth = ("--depth", "1") if wanted == (ref,) else ()
        try:
            _git(*git, "fetch", "--quiet", "--no-tags", *depth, "--end-of-options", address, *wanted, about=address)
        except NotFound:
            if wanted != (ref,):
                raise
            continue
        name = "FETCH_HEAD" if wanted == (ref,) else ref
        try:
            found = _git(
                *git, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", about=address
            )
        except NotFound:
            break
        return found.decode("ascii", "replace").strip()
    raise NotFound(f"`{address}` has no tag and no commit `{ref}`")


def _entries(listed: bytes, address: str) -> list[Entry]:
    """The files that are not hidden. Raises `NotAllowed` where there is what a library may not have."""
    entries = []
    for line in filter(None, listed.split(b"\0")):
        about, _, path = line.partition(b"\t")
        mode, _, blob, size = about.decode("ascii", "replace").split()
        entries.append(Entry(path.decode("utf-8", "replace"), blob, mode, int(size) if size.isdigit() else 0))
    seen = [each for each in entries if not any(part.startswith(".") for part in each.path.split("/"))]
    for each in seen:
        if each.mode in (LINK, MODULE):
            what = "a link" if each.mode == LINK else "another repository"
            raise NotAllowed(f"`{each.path}` of `{address}` is {what}, and no library from git may have one")
        if each.size > MAX_BYTES:
            raise NotAllowed(f"`{each.path}` of `{address}` is larger than {MAX_BYTES >> 20} MiB")
    if len(seen) > MOST_FILES or sum(each.size for each in seen) > MOST_BYTES:
        raise NotAllowed(f"`{address}` has more than {MOST_FILES} files, or more than {MOST_BYTES >> 20} MiB of them")
    return seen


def _git(*arguments: str, about: str, given: bytes = b"") -> bytes:
    """What git printed. Raises `NotFound` with git's own words, `Unavailable` without git."""
    program = shutil.which("git")
    if program is None:
        raise Unavailable("git is not installed, and a library comes from a repository")
    environment = {name: value for name, value in os.environ.items() if name not in _REPOSITORY} | _QUIET
    try:
        done = subprocess.run(  # noqa: S603 - whole arguments, never a shell
            [program, *_SAFE, *arguments],
            env=environment,
            input=given,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotFound(f"`{about}` did not answer within {TIMEOUT:.0f} seconds") from None
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        words = next((line for line in lines if line.startswith(("fatal: ", "error: "))), "git failed")
        raise NotFound(f"`{about}` cannot be read: {words.partition(': ')[2] or words}")
    return done.stdout
