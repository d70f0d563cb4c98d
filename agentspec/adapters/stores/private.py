"""private: make folders and files that only their owner can read; what is there already keeps its permissions.

A journal holds what people asked and what tools read: it is not for everybody on the machine.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing. Raises `OSError`."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def private_file(path: Path) -> BinaryIO:
    """A file that is not there yet, open for writing. Raises `OSError`."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb")
