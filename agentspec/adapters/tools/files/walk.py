"""walk: go through the files below a folder, sorted, without following links, and never for ever."""

from __future__ import annotations

import os
import posixpath
import threading
import time
from collections.abc import Iterator
from typing import NamedTuple

from agentspec.adapters.tools.files.beneath import Beneath, Refused

MOST_ENTRIES = 100_000
MOST_DEPTH = 40
MOST_SECONDS = 20.0
# Folders that a search passes over unless it begins inside: nobody's sources, or our own state.
PASSED_OVER = frozenset((".git", ".hg", ".svn", ".agentspec", "node_modules", "__pycache__", ".venv"))


class Found(NamedTuple):
    """An entry below the root by its relative `path`."""

    path: str
    is_folder: bool
    is_link: bool


class Walk:
    """One walk from `start`. When it is over, `bound` says which limit ended it, if one did."""

    def __init__(self, beneath: Beneath, start: str, stop: threading.Event) -> None:
        self.bound = ""
        self._beneath, self._start, self._stop = beneath, start, stop
        self._until = time.monotonic() + MOST_SECONDS
        self._entries = 0

    def files(self) -> Iterator[str]:
        """The paths of regular files and links, folder by folder."""
        folders = [(posixpath.normpath(self._start), 0)]
        is_first = True
        while folders:
            path, depth = folders.pop()
            inner: list[tuple[str, int]] = []
            for found in self._look(path, follow=is_first):
                if not found.is_folder:
                    yield found.path
                elif depth < MOST_DEPTH:
                    inner.append((found.path, depth + 1))
                else:
                    self.bound = f"folders more than {MOST_DEPTH} deep"
                if self.is_over():
                    return
            folders.extend(reversed(inner))
            is_first = False

    def is_over(self) -> bool:
        """Whether a limit was reached, or the call was cancelled."""
        if self._entries >= MOST_ENTRIES:
            self.bound = f"{MOST_ENTRIES} entries"
        elif time.monotonic() > self._until:
            self.bound = f"{MOST_SECONDS:g} s"
        else:
            return self._stop.is_set()
        return True

    def _look(self, path: str, *, follow: bool) -> list[Found]:
        """The entries of a folder, sorted; one that vanished or may not be read has none, but for the first."""
        try:
            with self._beneath.folder(path, follow=follow) as folder:
                entries = entries_of(folder.fd, MOST_ENTRIES - self._entries)
        except Refused:
            if follow:
                raise
            return []
        self._entries += len(entries)
        prefix = "" if path == "." else path + "/"
        found = [Found(prefix + entry.path, entry.is_folder, entry.is_link) for entry in entries]
        return [
            entry
            for entry in found
            if not (entry.is_folder and posixpath.basename(entry.path) in PASSED_OVER)
            and not self._beneath.is_excluded(entry.path)
        ]


def entries_of(fd: int, most: int) -> list[Found]:
    """At most so many entries of an open folder, sorted by name; links are links, whatever they point to."""
    found: list[Found] = []
    with os.scandir(fd) as entries:
        for entry in entries:
            if len(found) >= most:
                break
            found.append(Found(entry.name, entry.is_dir(follow_symlinks=False), entry.is_symlink()))
    return sorted(found)
