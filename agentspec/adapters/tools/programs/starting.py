"""starting: a program that could not be started, and why, in plain words."""

from __future__ import annotations

from pathlib import Path


class StartFailed(Exception):
    """The program could not be started; `str()` says why in plain words."""


def why_not_started(program: str, folder: Path, error: OSError) -> str:
    """Why a program could not be started, in plain words."""
    if not folder.is_dir():
        return f"the folder `{folder}` to run in does not exist"
    match error:
        case FileNotFoundError() if "/" in program and (folder / program).exists():
            return f"the program `{program}` can't be started: the interpreter that it names was not found"
        case FileNotFoundError():
            return f"the program `{program}` was not found" + ("" if "/" in program else " on the PATH")
        case PermissionError():
            return f"the program `{program}` can't be executed: permission denied"
        case _:
            return f"the program `{program}` can't be started: {error.strerror}"
