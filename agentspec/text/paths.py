"""paths: ask what a path is, whatever it looks like: one that no file system takes (too long, a NUL) is simply nothing.

`pathlib` raises for some of these (Python 3.11), in the middle of whatever was asking. Every answer is told to whoever
listens for what a piece of work depends on.
"""

from __future__ import annotations

import os

from agentspec.text.witness import note


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file.

    >>> is_file("n" * 300), is_file("a\\0b"), is_file(__file__)
    (False, False, True)
    """
    answer = os.path.isfile(path)  # noqa: PTH113 - see above
    note("file", path, answer)
    return answer


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether there is a folder."""
    answer = os.path.isdir(path)  # noqa: PTH112 - see above
    note("folder", path, answer)
    return answer


def is_there(path: str | os.PathLike[str]) -> bool:
    """Whether there is anything."""
    answer = os.path.exists(path)  # noqa: PTH110 - see above
    note("there", path, answer)
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


def real_path(path: str | os.PathLike[str]) -> str:
    """Where a path leads when every link is followed; one with a NUL stays as it is.

    >>> real_path("/a/../b"), real_path("a\\0b")
    ('/b', 'a\\x00b')
    """
    text = os.fspath(path)
    real = text if "\0" in text else os.path.realpath(text)
    note("real", text, real)
    return real
