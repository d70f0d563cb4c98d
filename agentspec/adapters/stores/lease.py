"""lease: who drives a run, so that only one process does.

An OS file lock says at once whether the holder still lives; the holder's record says who it is. Neither is a promise
between machines: what protects the journal is the epoch that every append carries.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import fcntl
import os
import platform
from functools import cache
from pathlib import Path

import msgspec

from agentspec.core.record import Record
from agentspec.syntax.private import make_private

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_AWAY = 15.0  # seconds after which a holder on another machine that wrote nothing has lost its run


class Holder(Record, frozen=True):
    """A process: its number is used again some day, so its start and the boot of its machine belong to it."""

    pid: int
    started: str
    boot: str
    host: str
    since: float  # seconds since the epoch

    def __str__(self) -> str:
        since = dt.datetime.fromtimestamp(self.since, dt.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        place = "" if self.host == platform.node() else f" on `{self.host}`"
        return f"process {self.pid}{place} since {since}"


_DECODER = msgspec.json.Decoder(Holder)


def this_process(now: float) -> Holder:
    """The holder that this process is."""
    pid = os.getpid()
    return Holder(pid=pid, started=_own_start(pid), boot=_boot(), host=platform.node(), since=now)


def encode(holder: Holder) -> str:
    return msgspec.json.encode(holder).decode()


def decode(text: str | None) -> Holder | None:
    """The holder of a record, or None where nobody holds it or the record can't be read."""
    try:
        return _DECODER.decode(text or "null")
    except (msgspec.DecodeError, TypeError):
        return None


def is_alive(holder: Holder, last_write: float, now: float) -> bool:
    """Whether a holder still drives its run: on this machine known for certain, elsewhere by its last write."""
    if holder.boot == _boot():
        return _exists(holder.pid) and _started(holder.pid) == holder.started
    return holder.host != platform.node() and now - last_write < _AWAY


def is_me(holder: Holder) -> bool:
    """Whether a holder is this very process."""
    return holder.pid == os.getpid() and holder.boot == _boot()


@cache
def _boot() -> str:
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return platform.node()


def _started(pid: int) -> str:
    """When a process started, in ticks since boot (proc(5), field 22); the same number later is another process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("latin-1").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


@cache
def _own_start(pid: int) -> str:
    """As `_started`, asked once: a fork has another pid, and so another answer."""
    return _started(pid)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class FileLock:
    """An exclusive lock that the system gives up for us when we die; its file is gone once nobody holds it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None

    def acquire(self) -> bool:
        """Whether the lock is ours now; never waits. Raises `OSError` where no file can be made there."""
        while True:
            try:
                fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except FileNotFoundError:  # the last holder of another lock may have removed the folder just now
                self._make_folder()
                continue
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(fd)
                return False
            except OSError:
                os.close(fd)
                raise
            if self._is_current(fd):
                self._fd = fd
                return True
            os.close(fd)  # its last holder removed the file between our opening and our locking it

    def release(self) -> None:
        if self._fd is None:
            return
        with contextlib.suppress(OSError):
            self._path.unlink()
            self._path.parent.rmdir()  # only while no other lock is in it
        os.close(self._fd)
        self._fd = None

    def _make_folder(self) -> None:
        try:
            self._path.parent.mkdir(mode=0o700)
        except FileExistsError:  # another run was faster
            return
        except FileNotFoundError:  # what it stands in is missing as well: that is rare, and takes longer
            make_private(self._path.parent)

    def _is_current(self, fd: int) -> bool:
        try:
            return os.path.samestat(os.fstat(fd), self._path.stat())
        except FileNotFoundError:
            return False
