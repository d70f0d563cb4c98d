"""plan: what the launcher is to do for one program: which rights it has where, what is hidden, what is counted.

Landlock gives rights to folders with all that is in them and takes nothing away again. What is to stay hidden is
covered in a mount namespace, or else, where the system allows none, every way to it is given its neighbours one by one.
"""

from __future__ import annotations

import marshal
import os
import resource
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from agentspec.adapters.tools.sandbox import launch
from agentspec.adapters.tools.sandbox.rung import NEW_NETWORK, Rung
from agentspec.adapters.tools.sandbox.wall import Wall

# landlock(7): rights over files, in the order of their bits, with the version since which each is known.
_EXECUTE, _WRITE, _READ, _LIST = 1, 2, 4, 8
_FIRST, _REFER, _TRUNCATE, _IOCTL = 0x1FFF, 0x2000, 0x4000, 0x8000
_DEVICES = 0x40 | 0x800  # making device files is no right of anybody
_FILE_RIGHTS = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL  # what a rule for a file may name
_SIZES = ((6, 24), (4, 16), (1, 8))  # bytes of the ruleset by version
_ALL_CAPABILITIES = 64
# Those with which the superuser works in the folders of others (capabilities(7)).
CAPABILITIES = {0: "CAP_CHOWN", 1: "CAP_DAC_OVERRIDE", 3: "CAP_FOWNER", 4: "CAP_FSETID"}
_OPEN_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")


class Places(NamedTuple):
    """Absolute real paths: `writable` folders, `hidden` files and folders, `kept` ones that stay as they are.

    `pinned` are folders of `kept` ones that may change, but not move; `doors` sockets of other programs; `capabilities`
    what the superuser keeps. `empty_file` and `empty_folder` cover what is hidden.
    """

    writable: Sequence[str] = ()
    hidden: Sequence[str] = ()
    kept: Sequence[str] = ()
    pinned: Sequence[str] = ()
    doors: Sequence[str] = ()
    capabilities: Sequence[int] = ()
    empty_file: str = ""
    empty_folder: str = ""


def launcher(fd: int) -> list[str]:
    """The command that carries out the plan in an open file."""
    return [sys.executable, "-I", "-S", launch.__file__, str(fd)]


def write_plan(plan: Mapping[str, Any]) -> IO[bytes]:
    """The plan as an open file without a name, which the launcher inherits."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the launcher has it
    marshal.dump(dict(plan), file)
    file.flush()
    return file


def landlock_plan(rung: Rung, wall: Wall, places: Places) -> dict[str, Any]:
    """What the launcher does with Landlock, without the program itself."""
    has_mounts = bool(rung.namespaces)
    separate = rung.namespaces & ~NEW_NETWORK if wall.network else rung.namespaces
    covers = [] if wall.network else [(places.empty_file, door) for door in places.doors]
    covers += [
        (places.empty_folder if os.path.isdir(path) else places.empty_file, path)  # noqa: PTH112
        for path in places.hidden
    ]
    net = 3 if rung.abi >= 4 and not wall.network else 0
    scoped = (2 if wall.network else 3) if rung.abi >= 6 else 0
    return limits_plan(wall, is_alone=rung.maps_user) | {
        "namespaces": separate,
        "maps_user": rung.maps_user,
        "writable": list(places.writable) if has_mounts else [],
        "fresh": ["/dev/shm"] if has_mounts and os.path.isdir("/dev/shm") else [],  # noqa: PTH112, S108
        "covers": covers if has_mounts else [],
        "pinned": list(places.pinned) if has_mounts else [],
        "kept": list(places.kept) if has_mounts else [],
        "drops": [number for number in range(_ALL_CAPABILITIES) if number not in places.capabilities],
        "size": next(size for version, size in _SIZES if rung.abi >= version),
        "handled": (_all_rights(rung.abi), net, scoped),
        "rules": list(_rules(rung.abi, places, has_mounts=has_mounts)),
    }


def limits_plan(wall: Wall, *, is_alone: bool) -> dict[str, Any]:
    """What the launcher counts; nothing is closed.

    `is_alone` tells that the programs of this wall are counted by themselves, as in a user namespace; elsewhere the
    system counts all that its user runs, so that those are added.
    """
    limits = [(resource.RLIMIT_CORE, 0)]
    if wall.memory is not None:
        limits.append((resource.RLIMIT_AS, wall.memory))
    if wall.cpu is not None:
        limits.append((resource.RLIMIT_CPU, wall.cpu))
    if wall.processes is not None:
        limits.append((resource.RLIMIT_NPROC, wall.processes + (0 if is_alone else _running())))
    return {
        "meeting": -1,
        "limits": limits,
        "namespaces": 0,
        "maps_user": False,
        "writable": [],
        "fresh": [],
        "covers": [],
        "pinned": [],
        "kept": [],
        "drops": [],
        "size": 0,
        "handled": (0, 0, 0),
        "rules": [],
    }


def _all_rights(abi: int) -> int:
    later = ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL))
    return _FIRST | sum(right for version, right in later if abi >= version)


def _rules(abi: int, places: Places, *, has_mounts: bool) -> Iterator[tuple[str, int]]:
    everything = _all_rights(abi) & ~_DEVICES
    hidden = () if has_mounts else tuple(places.hidden)
    if hidden:
        yield "/", _EXECUTE | _LIST
        for path in _neighbours(hidden):
            yield path, _READ | _EXECUTE | (0 if not os.path.isdir(path) else _LIST)  # noqa: PTH112
    else:
        yield "/", _EXECUTE | _LIST | _READ
    devices = _FILE_RIGHTS & _all_rights(abi) & ~_EXECUTE
    for name in _OPEN_DEVICES:
        yield f"/dev/{name}", devices
    if has_mounts:
        yield "/dev/shm", everything  # noqa: S108
    for path in places.writable:
        is_split = any(_lies_in(each, path) for each in hidden)
        yield path, everything & ~_READ if is_split else everything


def _neighbours(hidden: Iterable[str]) -> Iterator[str]:
    """Everything beside the ways from the top to what is hidden; links need no right of their own."""
    covered = frozenset(hidden)
    ways = {parent for path in covered for parent in _parents(path)}
    for way in sorted(ways):
        if any(parent in covered for parent in (way, *_parents(way))):
            continue
        try:
            with os.scandir(way) as entries:
                for entry in entries:
                    if entry.path not in ways and entry.path not in covered and not entry.is_symlink():
                        yield entry.path
        except OSError:  # not ours to list: nothing in it can be given by name
            continue


def _parents(path: str) -> Iterator[str]:
    return map(str, Path(path).parents)


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _running() -> int:
    """How many threads the user of this process has, as the system counts them against RLIMIT_NPROC."""
    count, user = 0, os.getuid()
    try:
        with os.scandir("/proc") as entries:
            numbers = [entry.name for entry in entries if entry.name.isdigit()]
    except OSError:
        return 0
    for number in numbers:
        try:
            if os.stat(f"/proc/{number}").st_uid == user:  # noqa: PTH116
                count += len(os.listdir(f"/proc/{number}/task"))  # noqa: PTH208
        except OSError:  # ended meanwhile
            continue
    return count
