"""paths: ask what a path is, whatever it looks like: one that no file system takes (too long, a NUL) is simply nothing.

`pathlib` raises for some of these (Python 3.11), in the middle of whatever was asking.
"""

from __future__ import annotations

import os


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file.

    >>> is_file("n" * 300), is_file("a\\0b"), is_file(__file__)
    (False, False, True)
    """
    return os.path.isfile(path)  # noqa: PTH113 - see above


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether there is a folder."""
    return os.path.isdir(path)  # noqa: PTH112 - see above


def is_there(path: str | os.PathLike[str]) -> bool:
    """Whether there is anything."""
    return os.path.exists(path)  # noqa: PTH110 - see above
