"""launch: become another program behind a wall: limits, namespaces, Landlock, exec. It decides nothing.

Started as a script of its own with a plan in an open file, since code between fork and exec of a program with threads
can deadlock. It imports nothing of agentspec; whatever fails ends it with 126, so that nothing runs without its wall.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import resource
import sys

FAILED = 126
_CREATE, _ADD, _RESTRICT = 444, 445, 446  # landlock(7), the same numbers on every architecture but alpha
_SET_ATTRIBUTES, _HERE, _RECURSIVE = 442, -100, 0x8000  # mount_setattr(2), likewise
_NO_NEW_PRIVS, _DROP_BOUND = 38, 24  # prctl(2)
_REMOUNT, _BIND, _AND_BELOW, _READ_ONLY, _RELATIME = 0x20, 0x1000, 0x4000, 1, 0x200000  # mount(2)
_PRIVATE = 0x40000
_KEPT_FLAGS = 2 | 4 | 8 | 1024 | 2048  # nosuid, nodev, noexec, noatime, nodiratime: the same in statvfs(3)
_ST_RELATIME = 4096
_libc = ctypes.CDLL(None, use_errno=True)


class Plan:
    """What is to be done, as `plan.write_plan` wrote it. A plain class: `typing` costs milliseconds at each start.

    `writable` are the folders beside which nothing can be changed, `covers` sources with the places that they hide,
    `fresh` folders that begin empty, `pinned` ones that can't be moved, `kept` places that can't be changed, `rules`
    places with their rights, `size` and `handled` the ruleset of Landlock, 0 without one. `meeting` is a socket on
    which to be waited for, or -1.
    """

    program: str
    argv: list[str]
    meeting: int
    env: dict[str, str]
    limits: list[tuple[int, int]]
    namespaces: int
    maps_user: bool
    writable: list[str]
    fresh: list[str]
    covers: list[tuple[str, str]]
    pinned: list[str]
    kept: list[str]
    drops: list[int]
    size: int
    handled: tuple[int, int, int]
    rules: list[tuple[str, int]]

    def __init__(self, written: dict[str, object]) -> None:
        self.__dict__.update(written)


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("fd", ctypes.c_int32))


def main() -> None:
    """Carry out the plan of the file that the first argument names by its number."""
    step = "follow its plan"
    try:
        with os.fdopen(int(sys.argv[1]), "rb") as file:
            file.seek(0)
            plan = Plan(marshal.load(file))  # noqa: S302 - written by the process that started this one
        for words, do in _STEPS:
            step = words
            do(plan)
        step = f"start `{plan.argv[0]}`"
        os.execve(plan.program, plan.argv, plan.env)  # noqa: S606
    except (OSError, ValueError, EOFError, KeyError) as error:
        os.write(2, f"sandbox: can't {step}: {error}\n".encode())
        os._exit(FAILED)


def _limit(plan: Plan) -> None:
    for which, value in plan.limits:
        hard = resource.getrlimit(which)[1]
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (most, most))


def _separate(plan: Plan) -> None:
    """Namespaces of its own: the plan's mounts are seen by this program alone."""
    if not plan.namespaces:
        return
    user, group = os.getuid(), os.getgid()
    _check(_libc.unshare(plan.namespaces))
    if plan.maps_user:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 - pathlib costs milliseconds here
                file.write(text)
    _mount(None, "/", None, _PRIVATE | _AND_BELOW)


def _be_seen(plan: Plan) -> None:
    """Wait until whoever started this one holds its namespaces, by which all that the program starts can be found."""
    if plan.meeting >= 0:
        os.write(plan.meeting, b"!")
        os.read(plan.meeting, 1)
        os.close(plan.meeting)


def _keep(plan: Plan) -> None:
    """Nothing beside the writable folders can be changed; Landlock alone lets modes, owners and times be (landlock(7)).

    Paths from the working folder on would still go through what was there before.
    """
    if not plan.writable:
        return
    here = os.getcwd()  # noqa: PTH109 - pathlib costs milliseconds here
    for path in plan.writable:
        _mount(path, path, None, _BIND | _AND_BELOW)
    _read_only("/", is_on=True)
    for path in plan.writable:
        _read_only(path, is_on=False)
    os.chdir(here)


class _Attributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("user", ctypes.c_uint64),
    )


def _read_only(path: str, *, is_on: bool) -> None:
    """Of a place and all that is mounted below it."""
    attributes = _Attributes(_READ_ONLY, 0, 0, 0) if is_on else _Attributes(0, _READ_ONLY, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    name = ctypes.c_char_p(os.fsencode(path))
    _check(_libc.syscall(_SET_ATTRIBUTES, _HERE, name, _RECURSIVE, ctypes.byref(attributes), size))


def _hide(plan: Plan) -> None:
    for path in plan.fresh:
        _mount("tmpfs", path, "tmpfs", 2 | 4)
    for path in plan.pinned:
        _mount(path, path, None, _BIND | _AND_BELOW)
    for source, path in plan.covers:
        _mount(source, path, None, _BIND)
    for path in plan.kept:
        _mount(path, path, None, _BIND | _AND_BELOW)
        now = os.statvfs(path).f_flag
        flags = now & _KEPT_FLAGS | (_RELATIME if now & _ST_RELATIME else 0)
        _mount(None, path, None, _BIND | _REMOUNT | _READ_ONLY | flags)


def _give_up_rights(plan: Plan) -> None:
    """Capabilities that the plan doesn't keep are lost with exec, also for the superuser (capabilities(7))."""
    _check(_libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))
    for number in plan.drops:
        _libc.prctl(_DROP_BOUND, number, 0, 0, 0)  # whoever has none may not drop any


def _restrict(plan: Plan) -> None:
    """Landlock: from here on only what the rules name can be opened, changed or reached."""
    if not plan.size:
        return
    ruleset = _Ruleset(*plan.handled)
    fd = _check(_libc.syscall(_CREATE, ctypes.byref(ruleset), ctypes.c_size_t(plan.size), 0))
    for path, rights in plan.rules:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:  # gone, or not ours to see: no rule, no right
            continue
        rule = _Beneath(rights, place)
        _check(_libc.syscall(_ADD, fd, 1, ctypes.byref(rule), 0))
        os.close(place)
    _check(_libc.syscall(_RESTRICT, fd, 0))
    os.close(fd)


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _mount(source: str | None, target: str, kind: str | None, flags: int) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    if _libc.mount(*texts, ctypes.c_ulong(flags), None) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)


_STEPS = (
    ("separate the program", _separate),
    ("be seen", _be_seen),
    ("keep what it may not change", _keep),
    ("hide what it may not see", _hide),
    ("set limits", _limit),
    ("give up rights", _give_up_rights),
    ("apply Landlock", _restrict),
)

if __name__ == "__main__":
    main()
