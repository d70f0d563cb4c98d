"""ladder: which walls this machine has for programs, the strongest first, found by trying each.

What a name or a version promises says little: a container may forbid what its kernel can do.
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from agentspec.adapters.tools.programs.passing import passing_folder
from agentspec.adapters.tools.sandbox.plan import Places, landlock_plan, launcher, write_plan
from agentspec.adapters.tools.sandbox.rung import NEW_IPC, NEW_MOUNTS, NEW_NETWORK, NEW_USER, Rung
from agentspec.adapters.tools.sandbox.wall import Wall

_SECONDS = 10.0
_LANDLOCK = 444  # landlock_create_ruleset(2)
_SEPARATE = NEW_MOUNTS | NEW_NETWORK | NEW_IPC
_TRIAL = ("--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--")
_TRUE = ("/bin/sh", "-c", ":")


class Ladder(NamedTuple):
    """The rungs in the order of their strength, those that can't be used here as well."""

    rungs: tuple[Rung, ...]

    @property
    def strongest(self) -> Rung | None:
        return next((rung for rung in self.rungs if not rung.problem), None)

    @property
    def holding(self) -> Rung | None:
        """The strongest that `sandbox: workspace` can rely on."""
        return next((rung for rung in self.rungs if rung.holds), None)

    def why_none(self) -> str:
        """Why nothing here holds."""
        weak = "it can't keep programs from the network here"
        return "; ".join(f"{rung.name}: {rung.problem or weak}" for rung in self.rungs)


@functools.cache
def find_ladder() -> Ladder:
    """Try each rung, once a process. Takes some ten milliseconds."""
    return Ladder((find_bubblewrap(os.environ.get("PATH"), Path.cwd()), find_landlock()))


def find_bubblewrap(path: str | None, working: Path) -> Rung:
    """The rung of the `bwrap` on a PATH, but never of one in the working folder: what lies there may be a model's."""
    found = shutil.which("bwrap", path=path)
    if found is None:
        return Rung("bubblewrap", "`bwrap` is not installed")
    program = os.path.realpath(found)
    if working != Path(working.anchor) and Path(program).is_relative_to(working):
        return Rung("bubblewrap", f"`{program}` lies in the working folder, where a tool may have put it")
    return Rung("bubblewrap", _try([program, *_TRIAL, *_TRUE]), program)


def find_landlock() -> Rung:
    """The rung of this kernel, with the namespaces that it lets us have."""
    rung = Rung("Landlock", abi=landlock_version())
    if not rung.abi:
        return rung._replace(problem="this system doesn't offer it")
    trials = (
        rung._replace(namespaces=_SEPARATE),
        rung._replace(namespaces=_SEPARATE | NEW_USER, maps_user=True),
        rung,
    )
    problem = ""
    for trial in trials:
        problem = _launch(trial)
        if not problem:
            return trial
    return rung._replace(problem=problem)


def landlock_version() -> int:
    """The version of Landlock that the kernel has, 0 for none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(ctypes.CDLL(None, use_errno=True).syscall(_LANDLOCK, None, ctypes.c_size_t(0), 1)))


def _launch(rung: Rung) -> str:
    """Why the launcher can't use a rung, or nothing. What is tried hides something, as a real start would."""
    with tempfile.TemporaryDirectory(prefix="probe-", dir=passing_folder()) as folder:
        cover, secret = Path(folder, "cover"), Path(folder, "secret")
        cover.touch()
        secret.touch()
        places = Places([folder], [str(secret)], [str(cover)], empty_file=str(cover), empty_folder=folder)
        plan = landlock_plan(rung, Wall([Path(folder)]), places)
        with write_plan(plan | {"program": _TRUE[0], "argv": list(_TRUE), "env": {}}) as file:
            return _try(launcher(file.fileno()), file.fileno())


def _try(argv: Sequence[str], *fds: int) -> str:
    """Why a command fails, or nothing."""
    try:
        tried = subprocess.run(  # noqa: S603 - our own words
            argv, stdin=subprocess.DEVNULL, capture_output=True, pass_fds=fds, timeout=_SECONDS, check=False, env={}
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return f"it can't be started: {error}"
    said = tried.stderr.decode(errors="replace").strip().splitlines()
    return "" if not tried.returncode else f"it fails here: {said[-1] if said else f'exit {tried.returncode}'}"
