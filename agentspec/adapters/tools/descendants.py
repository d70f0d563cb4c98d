"""descendants: find and end what a program left behind, also where it left its process group.

Known by the group, and by a mark in the environment that children inherit. A child that clears its environment and
leaves the group escapes: the sandbox is the wall, this is the broom.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

MARK = "AGENTSPEC_CALL"
_PROC = Path("/proc")
_POLITE = 0.3  # seconds between TERM and KILL for what a program that has ended left behind
_ROUNDS = 20  # a fork bomb is chased so often


def end_survivors(leader: int, token: str, *, polite: bool) -> None:
    """End every process of the group of `leader`, which has ended but isn't reaped, and every one with the mark.

    `polite` sends TERM first. Where there is no /proc, the group alone is ended.
    """
    if not (_PROC / "loadavg").exists():
        _signal([-leader], signal.SIGKILL)
        return
    if polite and (found := _survivors(leader, token)):
        _signal(found, signal.SIGTERM)
        until = time.monotonic() + _POLITE
        while time.monotonic() < until and _survivors(leader, token):
            time.sleep(0.01)
    for _ in range(_ROUNDS):
        found = _survivors(leader, token)
        if not found:
            return
        _signal(found, signal.SIGKILL)
        time.sleep(0.002)


def _signal(targets: list[int], number: int) -> None:
    for target in targets:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(target, number)


def _survivors(leader: int, token: str) -> list[int]:
    mark = f"{MARK}={token}".encode()
    return [pid for pid in _younger(leader) if _belongs(pid, leader, mark)]


def _younger(leader: int) -> list[int]:
    """The processes with a number after the leader's, or all where the numbers have begun anew since."""
    newest = int((_PROC / "loadavg").read_text().split()[-1])
    pids = (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit())
    return [pid for pid in pids if (pid > leader or newest < leader) and pid != leader]


def _belongs(pid: int, group: int, mark: bytes) -> bool:
    try:
        # pid (comm) state ppid pgrp …; the name may hold anything, so from its last bracket on (proc(5)).
        state, _, process_group = (_PROC / str(pid) / "stat").read_text("latin-1").rpartition(")")[2].split()[:3]
        if state in "ZX":
            return False
        return int(process_group) == group or mark in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except (OSError, ValueError):  # gone meanwhile, or another user's
        return False
