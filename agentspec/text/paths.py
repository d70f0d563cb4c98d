"""paths: ask what a path is, whatever it looks like: one that no file system takes (too long, a NUL) is simply nothing.

`pathlib` raises for some of these (Python 3.11), in the middle of whatever was asking. Every answer is told to whoever
listens for what a piece of work depends on.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from agentspec.text.drafts import draft_of
from agentspec.text.witness import note

MOST_FILES = 2000  # of a library


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file.

    >>> is_file("n" * 300), is_file("a\\0b"), is_file(__file__)
    (False, False, True)
    """
    answer = draft_of(path) is not None or os.path.isfile(path)  # noqa: PTH113 - see above
    note("file", path, answer)
    return answer


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether there is a folder."""
    answer = os.path.isdir(path)  # noqa: PTH112 - see above
    note("folder", path, answer)
    return answer


def is_there(path: str | os.PathLike[str]) -> bool:
    """Whether there is anything."""
    answer = draft_of(path) is not None or os.path.exists(path)  # noqa: PTH110 - see above
    note("there", path, answer)
    return answer


def is_program(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file that may be started.

    >>> import sys
    >>> is_program(sys.executable), is_program(__file__ + "x")
    (True, False)
    """
    answer = os.path.isfile(path) and os.access(path, os.X_OK)  # noqa: PTH113 - see above
    note("program", path, answer)
    return answer


def size_of(path: str | os.PathLike[str]) -> int:
    """The bytes of a file; 0 where there is none."""
    draft = draft_of(path)
    try:
        answer = os.path.getsize(path) if draft is None else len(draft)  # noqa: PTH202 - see above
    except (OSError, ValueError):
        answer = 0
    note("size", path, answer)
    return answer


def files_in(folder: str | os.PathLike[str]) -> list[str]:
    """The names of the files in a folder, sorted; none where it cannot be looked into."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_file())
    except (OSError, ValueError):
        names = []
    note("files", folder, "\n".join(names))
    return names


class Below(NamedTuple):
    """The files below a folder, as sorted paths from it; `links` are those among them that are links, and every link
    to a folder, which is not followed. `shut` are the folders that cannot be looked into.
    """

    files: tuple[str, ...]
    links: tuple[str, ...]
    shut: tuple[str, ...] = ()


def files_below(folder: str | os.PathLike[str]) -> Below:
    """The files below a folder, without hidden ones and `__pycache__`; no further folder once there are too many."""
    found: list[str] = []
    links: list[str] = []
    shut: list[str] = []
    left = [""]
    while left and len(found) <= MOST_FILES:
        inner = left.pop()
        entries = _entries(os.path.join(folder, inner))  # noqa: PTH118 - as text
        shut += [inner] if entries is None else []
        for name, is_folder_, is_link in entries or ():
            path = f"{inner}{name}"
            links += [path] if is_link else []
            if not is_folder_:
                found.append(path)
            elif not is_link:
                left.append(f"{path}/")
    below = Below(tuple(sorted(found)), tuple(sorted(links)), tuple(sorted(shut)))
    note("below", folder, "\n".join((*below.files, "", *below.links, "", *below.shut)))
    return below


def is_left_out(name: str) -> bool:
    """Whether a name is of a file or folder that nobody counts among those below one: hidden, or made by Python.

    >>> is_left_out(".git"), is_left_out("__pycache__"), is_left_out("presets")
    (True, True, False)
    """
    return name.startswith(".") or name == "__pycache__"


def _entries(folder: str) -> list[tuple[str, bool, bool]] | None:
    """The names in a folder that are not left out, each with whether it is a folder, and a link; None where the folder
    cannot be looked into.
    """
    try:
        with os.scandir(folder) as entries:
            return [
                (each.name, _leads_to_folder(each), each.is_symlink()) for each in entries if not is_left_out(each.name)
            ]
    except (OSError, ValueError):
        return None


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder, or a link to one; a link that cannot be followed (to itself) leads to none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def real_path(path: str | os.PathLike[str]) -> str:
    """Where a path leads when every link is followed; one with a NUL stays as it is.

    >>> real_path("/a/../b"), real_path("a\\0b")
    ('/b', 'a\\x00b')
    """
    text = os.fspath(path)
    real = text if "\0" in text else os.path.realpath(text)
    note("real", text, real)
    return real
