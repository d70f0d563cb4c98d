"""descendants: find and end what a program left behind, also where it left its process group.

Known by the group, and by a mark in the environment that children inherit: `RUN/CALL`. A child that clears its
environment and leaves the group escapes where it has no namespace of its own: the sandbox is the wall, this is the
broom.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

MARK = "AGENTSPEC_CALL"
_PROC = Path("/proc")
_POLITE = 0.3  # seconds between TERM and KILL for what a program that has ended left behind
_ROUNDS = 20  # a fork bomb is chased so often


def end_survivors(leader: int, token: str, *, polite: bool, namespace: int = 0) -> None:
    """End every process of the group of `leader`, which has ended but isn't reaped, and every one with the mark.

    So is every one in the mount namespace of that number, if one is given, whatever it cleared or left. `polite` sends
    TERM first. Where there is no /proc, the group alone is ended.
    """
    if (_PROC / "loadavg").exists():
        _end(lambda: _survivors(leader, token, namespace), polite=polite)
    else:
        _signal([-leader], signal.SIGKILL)


def signal_others(leader: int, token: str, number: int) -> None:
    """Signal what `end_survivors` would end, while the leader itself lives and is left alone."""
    _signal(_survivors(leader, token), number)


def end_orphans(run_id: str) -> None:
    """End what the tools of a run left running when the process that drove it was killed.

    Only for whoever drives the run now. Without /proc nothing can be found, and nothing is ended.
    """
    if (_PROC / "loadavg").exists():
        mark = f"{MARK}={run_id}/".encode()
        _end(lambda: [pid for pid in _processes() if pid != os.getpid() and _bears(pid, mark)], polite=True)


def _end(find: Callable[[], list[int]], *, polite: bool) -> None:
    """End what `find` finds until it finds nothing any more."""
    if polite and (found := find()):
        _signal(found, signal.SIGTERM)
        until = time.monotonic() + _POLITE
        while time.monotonic() < until and find():
            time.sleep(0.01)
    for _ in range(_ROUNDS):
        found = find()
        if not found:
            return
        _signal(found, signal.SIGKILL)
        time.sleep(0.002)


def _processes() -> list[int]:
    return [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit()]


def _bears(pid: int, mark: bytes) -> bool:
    """Whether a process that has not ended was started with a mark that begins so."""
    try:
        if _stat(pid)[0] in "ZX":
            return False
        return any(line.startswith(mark) for line in (_PROC / str(pid) / "environ").read_bytes().split(b"\0"))
    except (OSError, ValueError):  # gone meanwhile, or another user's
        return False


def _stat(pid: int) -> list[str]:
    # pid (comm) state ppid pgrp …; the name may hold anything, so from its last bracket on (proc(5)).
    return (_PROC / str(pid) / "stat").read_text("latin-1").rpartition(")")[2].split()[:3]


def _signal(targets: list[int], number: int) -> None:
    for target in targets:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(target, number)


def _survivors(leader: int, token: str, namespace: int = 0) -> list[int]:
    mark = f"{MARK}={token}".encode()
    return [pid for pid in _younger(leader) if _belongs(pid, leader, mark, namespace)]


def _younger(leader: int) -> list[int]:
    """The processes with a number after the leader's, or all where the numbers have begun anew since."""
    newest = int((_PROC / "loadavg").read_text().split()[-1])
    return [pid for pid in _processes() if (pid > leader or newest < leader) and pid != leader]


def _belongs(pid: int, group: int, mark: bytes, namespace: int) -> bool:
    try:
        state, _, process_group = _stat(pid)
        if state in "ZX":
            return False
        if int(process_group) == group or (namespace and _namespace(pid) == namespace):
            return True
        return mark in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except (OSError, ValueError):  # gone meanwhile, or another user's
        return False


def _namespace(pid: int) -> int:
    try:
        return (_PROC / str(pid) / "ns" / "mnt").stat().st_ino
    except OSError:
        return 0
