"""allowed: whether a command may run, with its program looked up: what is compared is what is started.

The argument lists are judged in `core.commands`; here a name becomes a file.
"""

from __future__ import annotations

import os
import posixpath
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.core.calls.touched import Touched
from agentspec.core.commands.allow_list import Prefix, judge
from agentspec.core.commands.shell_line import commands_of


class NotAllowedHere(Exception):
    """A command that isn't started; `str()` says why and what is allowed."""


class Allowed(NamedTuple):
    """What may run. `prefixes` None: every command is a question; `asks`: so is one that no prefix fits.

    `folder` is the toolkit's root as the spec writes it, `path` the PATH that programs are looked up on.
    """

    root: Path
    folder: str
    path: str
    prefixes: tuple[Prefix, ...] | None = None
    asks: bool = False

    def touches(self, arguments: Mapping[str, Any]) -> Touched:
        """What a call touches, and whether somebody has to be asked or nobody can allow it. Nothing is looked up."""
        argv, line = arguments.get("argv"), arguments.get("line")
        cwd = str(arguments.get("cwd") or ".")
        command = tuple(map(str, argv)) if isinstance(argv, list) else ("sh", "-c", str(line)) if line else ()
        place = cwd if self.folder == "." else posixpath.join(self.folder, cwd)
        problem = self._miss(argv, line) if command else ""
        is_question = self.prefixes is None or self.asks
        return Touched(
            paths=(place,),
            command=command,
            cwd=place,
            ask=problem if is_question else "",
            deny="" if is_question else problem,
        )

    def admit(self, argv: Sequence[str], cwd: Path) -> list[str]:
        """The command with its program as a path. Raises `NotAllowedHere`.

        Questions have been asked before a call comes here: what no prefix fits was allowed by somebody.
        """
        program = _look_up(argv[0], cwd, self.path)
        if problem := self._problem(argv, program):
            raise NotAllowedHere(f"not started: {problem}")
        return [program or argv[0], *argv[1:]]

    def admit_line(self, line: str, cwd: Path) -> None:
        """Raise `NotAllowedHere` unless every command of the line may run."""
        problem = self._miss(None, line)
        commands = [] if problem else commands_of(line) or []
        if problem and not (self.asks or self.prefixes is None):
            raise NotAllowedHere(f"not started: {problem}")
        for command in commands:
            if problem := self._problem(command, _look_up(command[0], cwd, self.path)):
                raise NotAllowedHere(f"not started: {problem}")

    def _miss(self, argv: Sequence[str] | None, line: str | None) -> str:
        """Why the list doesn't let a command pass, by its text alone; nothing where it does."""
        if self.prefixes is None:
            return "no list `allow` says what may run"
        if argv is not None:
            return self._missed(argv)
        commands = commands_of(str(line))
        if commands is None:
            return self._words("the line", "only plain words joined by `&&`, `||`, `;` and `|` can be judged")
        return next(filter(None, map(self._missed, commands)), "")

    def _missed(self, argv: Sequence[str]) -> str:
        judged = judge(argv, self.prefixes or ())
        return "" if judged.prefixes else self._words(f"`{argv[0]}`", judged.problem)

    def _words(self, noun: str, problem: str) -> str:
        shown = ", ".join(f"`{' '.join(prefix)}`" for prefix in self.prefixes or ())
        return f"{noun}: {problem}; allowed are commands that begin with {shown}"

    def _problem(self, argv: Sequence[str], program: str) -> str:
        """Why a command isn't started after all: it is none of the list, or its program isn't the one that is meant."""
        if self.prefixes is None:
            return ""
        judged = judge(argv, self.prefixes)
        if not judged.prefixes:
            return "" if self.asks else self._missed(argv)
        if not program:
            return f"there is no program `{argv[0]}` on the PATH"
        named = [prefix[0] for prefix in judged.prefixes]
        if any("/" in name and _is_file(_look_up(name, self.root, self.path), program) for name in named):
            return ""
        if self._is_inside(program):
            return f"`{program}` lies in the folder that commands may change: `allow` must name it by its path"
        if any(_is_file(_look_up(name, self.root, self.path), program) for name in named):
            return ""
        return f"`{program}` is not the program that is allowed by that name"

    def _is_inside(self, program: str) -> bool:
        """Whether the agent itself may write the program, or the link that leads to it."""
        root = os.path.realpath(self.root)
        folder = os.path.realpath(Path(program).parent)
        return any(Path(each).is_relative_to(root) for each in (folder, os.path.realpath(program)))


def _is_file(meant: str, program: str) -> bool:
    """Whether both are one file by one name: a program that is many (busybox) does what it is called by."""
    return bool(meant) and Path(meant).name == Path(program).name and Path(meant).samefile(program)


def _look_up(program: str, cwd: Path, path: str) -> str:
    """The file of a program, absolute; nothing where there is none."""
    if "/" in program:
        found = Path(os.path.normpath(cwd / program))
        return str(found) if found.is_file() and os.access(found, os.X_OK) else ""
    absolute = os.pathsep.join(folder for folder in path.split(os.pathsep) if folder.startswith("/"))
    return shutil.which(program, path=absolute) or ""
