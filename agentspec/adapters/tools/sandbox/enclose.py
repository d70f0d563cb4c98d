"""enclose: from a program and the wall that it is to have to what is really started: bubblewrap, or the launcher.

Where `sandbox: workspace` asks for a wall that this machine lacks, nothing is started.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from agentspec.adapters.tools.programs.passing import passing_folder
from agentspec.adapters.tools.sandbox.hidden import TooMany, control_places, doors, secret_places
from agentspec.adapters.tools.sandbox.ladder import Ladder, find_ladder
from agentspec.adapters.tools.sandbox.plan import CAPABILITIES, Places, landlock_plan, launcher, limits_plan, write_plan
from agentspec.adapters.tools.sandbox.rung import Rung
from agentspec.adapters.tools.sandbox.wall import Wall

_BY_SIGNAL = 128  # what bubblewrap adds to the number of the signal that ended its program
_SIGNALS = 32
_MEETING = 10.0  # seconds in which the launcher has come so far, or is not waited for
_APART = ("ipc", "pid", "uts", "cgroup-try")


class NoWall(Exception):
    """A program may not start, since there is no wall for it; `str()` says why."""


class Enclosed:
    """What to start: `argv` and `env`, with the open files `fds`. Closed when the program has ended."""

    def __init__(self, argv: list[str], env: Mapping[str, str], rung: str = "") -> None:
        self.argv, self.env, self.rung = argv, env, rung
        self.has_monitor = False
        self.folder: str | None = None
        self._meeting: tuple[socket.socket, socket.socket] | None = None
        self._namespace: int | None = None
        self._files: list[IO[bytes]] = []

    @property
    def fds(self) -> tuple[int, ...]:
        meeting = () if self._meeting is None else (self._meeting[1].fileno(),)
        return (*(file.fileno() for file in self._files), *meeting)

    def add(self, file: IO[bytes]) -> int:
        """An open file that the program is to have, by its number."""
        self._files.append(file)
        return file.fileno()

    def meet(self) -> int:
        """A socket on which the launcher waits, by its number."""
        self._meeting = socket.socketpair()
        return self._meeting[1].fileno()

    def code(self, code: int) -> int:
        """How the program itself ended, from how what was started ended: a negative number for a signal."""
        is_signal = self.has_monitor and _BY_SIGNAL < code < _BY_SIGNAL + _SIGNALS
        return _BY_SIGNAL - code if is_signal else code

    def started(self, pid: int) -> None:
        """Let the launcher go on, holding the namespaces that it has made: their numbers are given anew when free."""
        if self._meeting is None:
            return
        ours, theirs = self._meeting
        theirs.close()
        with contextlib.suppress(OSError):  # it has failed, and says why on its stderr
            ours.settimeout(_MEETING)
            if ours.recv(1):
                self._namespace = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        with contextlib.suppress(OSError):
            ours.send(b"!")
        ours.close()

    @property
    def namespace(self) -> int:
        """The mount namespace that the program and all that it started are in, 0 if that is ours or not known."""
        return 0 if self._namespace is None else os.fstat(self._namespace).st_ino

    def close(self) -> None:
        for file in (*self._files, *(self._meeting or ())):
            file.close()
        if self._namespace is not None:
            os.close(self._namespace)
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def enclose(
    argv: Sequence[str], env: Mapping[str, str], cwd: Path, wall: Wall, ladder: Ladder | None = None
) -> Enclosed:
    """What to start in the place of a program. Raises `NoWall`, or `OSError` and `ValueError` as a start would."""
    rung = choose(wall, ladder or find_ladder())
    program = _program(argv, env, cwd)
    enclosed = Enclosed(list(argv), env, rung.name if rung is not None else "")
    try:
        if rung is None:
            _launch(enclosed, program, limits_plan(wall, is_alone=False)) if wall.is_limited else None
        else:
            places = _places(enclosed, wall)
            enclosed.env = {**env, "TMPDIR": places.writable[0]}
            if rung.program:
                _bubblewrap(enclosed, program, cwd, rung, wall, places)
            else:
                _launch(enclosed, program, landlock_plan(rung, wall, places))
    except TooMany as many:
        enclosed.close()
        raise NoWall(f"the sandbox can't look for secrets: {many}; choose a smaller root") from None
    except BaseException:
        enclosed.close()
        raise
    return enclosed


def choose(wall: Wall, ladder: Ladder) -> Rung | None:
    """The rung for a wall, None where it may go without. Raises `NoWall`."""
    match wall.mode:
        case "none":
            return None
        case "auto":
            return wall.rung or ladder.strongest
        case _:
            if ladder.holding is None:
                raise NoWall(
                    f"`capability.sandbox: workspace` asks for a sandbox, and this machine has none that holds "
                    f"({ladder.why_none()}); `agentspec doctor` tells more"
                )
            return ladder.holding


def _program(argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> str:
    """The file that a program's name means, checked as a start would: what is started is another program."""
    for text in (*argv, *env.values()):
        if "\0" in text:
            raise ValueError("embedded null byte")
        os.fsencode(text)
    name = argv[0]
    found = str(cwd / name) if "/" in name else shutil.which(name, path=env.get("PATH"))
    if found is None:
        raise FileNotFoundError(name)
    with_bits = os.stat(found)  # noqa: PTH116 - raises what a start would
    if not os.path.isfile(found) or not os.access(found, os.X_OK) or not with_bits.st_mode & 0o111:  # noqa: PTH113
        raise PermissionError(name)
    return found


def _places(enclosed: Enclosed, wall: Wall) -> Places:
    """What the wall is about on this machine now, with a temporary folder of the program's own."""
    enclosed.folder = tempfile.mkdtemp(prefix="sandbox-", dir=passing_folder())
    top = Path(enclosed.folder)
    (top / "tmp").mkdir()
    (top / "folder").mkdir(0)
    (top / "file").touch(0)
    roots = [os.path.realpath(root) for root in wall.roots if root.is_dir()]
    kept = control_places(roots)
    return Places(
        writable=[str(top / "tmp"), *roots],
        hidden=secret_places(roots, os.path.realpath(os.environ.get("HOME") or ""), wall.secrets),
        kept=kept,
        pinned=sorted({parent for path in kept if (parent := os.path.dirname(path)) not in roots}),  # noqa: PTH120
        doors=[] if wall.network else doors(roots),
        capabilities=_needed(roots),
        empty_file=str(top / "file"),
        empty_folder=str(top / "folder"),
    )


def _needed(roots: Sequence[str]) -> Sequence[int]:
    """The superuser writes in the folders of others as well, as in a container; elsewhere no right beyond the owner's.

    Whoever may pass over modes can read what is hidden, which is empty.
    """
    is_other = os.getuid() == 0 and any(os.stat(root).st_uid for root in roots)  # noqa: PTH116
    return tuple(CAPABILITIES) if is_other else ()


def _launch(enclosed: Enclosed, program: str, plan: dict[str, Any]) -> None:
    own: dict[str, Any] = {"program": program, "argv": enclosed.argv, "env": dict(enclosed.env)}
    if plan["namespaces"]:
        own["meeting"] = enclosed.meet()
    enclosed.argv = launcher(enclosed.add(write_plan(plan | own)))


def _bubblewrap(enclosed: Enclosed, program: str, cwd: Path, rung: Rung, wall: Wall, places: Places) -> None:
    inner = [program, *enclosed.argv[1:]]
    if wall.is_limited:
        _launch(enclosed, program, limits_plan(wall, is_alone=os.getuid() != 0))
        inner = enclosed.argv
    words = [
        *(f"--unshare-{what}" for what in (_APART if wall.network else (*_APART, "net"))),
        *("--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
    ]
    words += [word for name in places.capabilities for word in ("--cap-add", CAPABILITIES[name])]
    for path in (*places.writable, *places.pinned):
        words += ["--bind", path, path]
    for path in places.kept:
        words += ["--ro-bind", path, path]
    for path in places.hidden:
        words += ["--ro-bind", places.empty_folder if os.path.isdir(path) else places.empty_file, path]  # noqa: PTH112
    for path in places.doors:
        words += ["--ro-bind", places.empty_file, path]
    words += ["--chdir", str(cwd)]
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with what is enclosed
    options = enclosed.add(file)
    file.write(b"\0".join(map(os.fsencode, words)) + b"\0")
    file.seek(0)
    enclosed.argv = [rung.program, "--args", str(options), "--", *inner]
    enclosed.has_monitor = True
