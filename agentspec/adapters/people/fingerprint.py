"""fingerprint: answers with one short word for the state of some files of the project; another says that they changed.

Nothing outside the project is looked at, and nothing of a secret file is read.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from agentspec.adapters.tools.files.beneath import Beneath, Refused
from agentspec.adapters.tools.files.secret_files import SecretFiles
from agentspec.adapters.tools.threads import begin

ENTRIES = 5_000  # of a folder and the folders in it, in the order of their names
READ = 1024 * 1024  # bytes of a file that are compared; a longer one is known by its size and time


class FingerprintRespondent:
    """Asked with a list of paths below `root`; what lies in a folder is known by its name, size and time."""

    def __init__(self, root: Path, secrets: Iterable[str] = ()) -> None:
        self._beneath = Beneath(root, SecretFiles(secrets))

    async def answer(self, question: Any) -> Any:
        paths = [str(path) for path in question]
        return await begin(lambda: self._mark(paths), "look for changes")

    def _mark(self, paths: list[str]) -> str:
        whole = hashlib.sha256()
        for path in paths:
            whole.update(f"{path}\0{self._state(path)}\0".encode("utf-8", "surrogateescape"))
        return whole.hexdigest()[:16]

    def _state(self, path: str) -> str:
        try:
            return self._of_file(path)
        except Refused as refused:
            if refused.category != "is_folder":
                return refused.category
        try:
            with self._beneath.folder(path) as found:
                return "\0".join(itertools.islice(_entries(found.fd), ENTRIES))
        except Refused as refused:
            return refused.category

    def _of_file(self, path: str) -> str:
        with self._beneath.file(path) as found:
            if found.stat.st_size > READ:
                return f"{found.stat.st_size} {found.stat.st_mtime_ns} {stat.filemode(found.stat.st_mode)}"
            return hashlib.sha256(os.read(found.fd, READ)).hexdigest()


def _entries(folder: int) -> Iterator[str]:
    for path, folders, names, fd in os.fwalk(".", dir_fd=folder):
        folders.sort()
        for name in sorted(names):
            with contextlib.suppress(OSError):  # gone in the meantime
                found = os.stat(name, dir_fd=fd, follow_symlinks=False)
                yield f"{path}/{name} {found.st_size} {found.st_mtime_ns}"
