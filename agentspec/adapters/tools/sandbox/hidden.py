"""hidden: the files that a program behind a wall may not read or not change, and the sockets that it may not reach.

Looked for anew at each start, since a program may have made them. Links are not followed; what they lead to is hidden
where it is.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentspec.adapters.tools.files.secret_files import SecretFiles
from agentspec.adapters.tools.files.walk import PASSED_OVER
from agentspec.text.secret_names import secret_rule

MOST_ENTRIES = 1_000_000
_PASSED_OVER = PASSED_OVER | {"venv", "site-packages", "dist-packages"}  # their `.pem` files are certificates for all
_IN_HOME = (".kube/config", ".docker/config.json", ".config/gcloud", ".config/gh", ".config/git/credentials", ".azure")
_CONTROL = (".agentspec", "agentspec.toml", "agentspec.lock", ".git/config", ".git/hooks", ".hg/hgrc")


class TooMany(Exception):
    """More files below a root than can be looked at."""


def secret_places(roots: Sequence[str], home: str, more: Sequence[str]) -> list[str]:
    """Files and folders with secrets below the roots, and those that people keep in their home folder.

    Raises `TooMany`.
    """
    files, left = SecretFiles(more), MOST_ENTRIES
    found: dict[str, None] = {}
    for root in roots:
        for count, place in enumerate(_below(root, files, has_more=bool(more))):
            if count >= left:
                raise TooMany(f"there are more than {MOST_ENTRIES} files below `{root}`")
            if place:
                found[place] = None
    for place in _in_home(home):
        found[place] = None
    return _outermost(found)


def control_places(roots: Sequence[str]) -> list[str]:
    """What decides about later runs and programs, where it exists at the top of a root."""
    return [place for root in roots for name in _CONTROL if os.path.lexists(place := f"{root.rstrip('/')}/{name}")]


def doors(roots: Sequence[str]) -> list[str]:
    """The sockets of other programs outside the roots: whoever reaches one may ask its owner to act."""
    try:
        lines = Path("/proc/net/unix").read_text("utf-8", "surrogateescape").splitlines()[1:]
    except OSError:
        return []
    # Num RefCount Protocol Flags Type St Inode Path (proc(5)); those whose names begin with `@` are no files
    names = {words[7] for line in lines if len(words := line.split(maxsplit=7)) == 8 and words[7].startswith("/")}
    inside = tuple(f"{root.rstrip('/')}/" for root in roots)
    places = {os.path.realpath(name) for name in names if os.path.exists(name)}  # noqa: PTH110
    return sorted(place for place in places if not place.startswith(inside))


def _below(root: str, files: SecretFiles, *, has_more: bool) -> Iterator[str]:
    """For each entry below a folder its real name where it is secret, or nothing."""
    folders = [root]
    while folders:
        folder = folders.pop()
        name = os.path.basename(folder)  # noqa: PTH119 - once for each folder of a tree
        for entry in _entries(folder):
            rule = _rule(name, entry.name) or (has_more and files.reason(entry.path))
            if rule:
                yield os.path.realpath(entry.path)
                continue
            yield ""
            if entry.is_dir(follow_symlinks=False) and entry.name not in _PASSED_OVER:
                folders.append(entry.path)


@functools.lru_cache(maxsize=1 << 16)
def _rule(folder: str, name: str) -> str:
    return secret_rule(f"/{folder}/{name}")


def _in_home(home: str) -> Iterator[str]:
    if not home:
        return
    for entry in _entries(home):
        if _rule("", entry.name):
            yield os.path.realpath(entry.path)
    for name in _IN_HOME:
        if os.path.exists(place := f"{home}/{name}"):  # noqa: PTH110
            yield os.path.realpath(place)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:  # not ours to list, so not the program's either
        return []


def _outermost(places: dict[str, None]) -> list[str]:
    """Without what lies in another, and without what isn't there."""
    kept: list[str] = []
    for place in sorted(places):
        inside = any(place.startswith(f"{other}/") for other in kept)
        if not inside and os.path.exists(place):  # noqa: PTH110
            kept.append(place)
    return kept
