"""passing: one folder for what this process needs for a while, gone when the process is, however it ended.

The folder is held by a lock that the system lets go of with its process; whoever makes the next one removes those that
nobody holds. Process numbers would not do: another container may share the folder and not the numbers.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

PREFIX = "agentspec-passing-"
FRESH = 60.0  # seconds in which a folder may not be held yet: its owner is just making it


class _Held(NamedTuple):
    path: Path
    pid: int
    lock: int


_lock = threading.Lock()
_held: list[_Held] = []


def passing_folder() -> Path:
    """The folder of this process, made when it is first asked for. Raises `OSError`."""
    with _lock:
        mine = next((held for held in _held if held.pid == os.getpid()), None)
        if mine is None or not mine.path.is_dir():  # a process that was forked, or somebody has cleaned up
            mine = _make(Path(tempfile.gettempdir()))
            _held[:] = [mine]
        return mine.path


def _make(above: Path) -> _Held:
    sweep(above)
    path = Path(os.path.realpath(tempfile.mkdtemp(prefix=PREFIX, dir=above)))
    lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    held = _Held(path, os.getpid(), lock)
    atexit.register(_remove, held)
    return held


def _remove(held: _Held) -> None:
    if held.pid == os.getpid():  # what was forked leaves its parent's alone
        shutil.rmtree(held.path, ignore_errors=True)


def sweep(above: Path) -> None:
    """Remove the folders of processes that are gone, of this user alone. What can't be removed stays."""
    with contextlib.suppress(OSError), os.scandir(above) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX):
                with contextlib.suppress(OSError):
                    _sweep_one(entry)


def _sweep_one(entry: os.DirEntry[str]) -> None:
    status = entry.stat(follow_symlinks=False)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or time.time() - status.st_mtime < FRESH:
        return
    lock = os.open(entry.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(entry.path, ignore_errors=True)
    finally:
        os.close(lock)
