"""private: make folders and files that only their owner can read; what is there already stays as it is.

A journal holds what people asked and what tools read: it is not for everybody on the machine, and in no repository.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, Final

STATE_FOLDER: Final = ".agentspec"
"""The folder of a project that holds its runs, and whatever else agentspec keeps of it."""


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing; the state of a project is made as such. Raises `OSError`."""
    if folder.name == STATE_FOLDER:
        make_state(folder)
        return
    if STATE_FOLDER in folder.parts:
        make_private(folder.parent)
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def make_state(folder: Path) -> None:
    """Make the folder of a project's state where it is missing, and keep it out of repositories. Raises `OSError`."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        folder.mkdir(exist_ok=True)  # a file in its place is an error still
        return
    (folder / ".gitignore").write_text("*\n", encoding="ascii")


def private_file(path: Path) -> BinaryIO:
    """A file that is not there yet, open for writing. Raises `OSError`."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb")
