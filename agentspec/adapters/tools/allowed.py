"""allowed: whether a command may run, with its program looked up: what is compared is what is started.

The argument lists are judged in `core.commands`; here a name becomes a file.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from agentspec.core.commands.allow_list import Prefix, judge, judge_line


class NotAllowedHere(Exception):
    """A command that isn't started; `str()` says why and what is allowed."""


class Allowed(NamedTuple):
    """What may run. `prefixes` None: every command is a question; `asks`: so is one that no prefix fits.

    `is_asked` says that whoever is to be asked has been, before the call came here.
    """

    root: Path
    path: str  # the PATH that programs are looked up on
    prefixes: tuple[Prefix, ...] | None = None
    asks: bool = False
    is_asked: bool = False

    def admit(self, argv: Sequence[str], cwd: Path) -> list[str]:
        """The command with its program as a path. Raises `NotAllowedHere`."""
        program = _look_up(argv[0], cwd, self.path)
        if self._needs_no_list():
            return [program or argv[0], *argv[1:]]
        problem = self._problem(argv, program)
        if problem:
            raise NotAllowedHere(self._words(argv[0], problem))
        return [program or argv[0], *argv[1:]]

    def admit_line(self, line: str, cwd: Path) -> None:
        """Raise `NotAllowedHere` unless every command of the line may run."""
        if self._needs_no_list():
            return
        judged = judge_line(line, self.prefixes or ())
        if judged is None:
            raise NotAllowedHere(
                self._words("the line", "only plain words joined by `&&`, `||`, `;` and `|` can be judged")
            )
        for command, _ in judged:
            if problem := self._problem(command, _look_up(command[0], cwd, self.path)):
                raise NotAllowedHere(self._words(command[0], problem))

    def _needs_no_list(self) -> bool:
        if self.prefixes is not None:
            return self.asks and self.is_asked
        if self.is_asked:
            return True
        raise NotAllowedHere(
            "not started: without a list `allow` each command needs somebody's consent, and nobody can be asked yet; "
            "name what may run under `command.allow`"
        )

    def _problem(self, argv: Sequence[str], program: str) -> str:
        judged = judge(argv, self.prefixes or ())
        if not judged.prefixes:
            return judged.problem
        if not program:
            return "there is no such program on the PATH"
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

    def _words(self, program: str, problem: str) -> str:
        shown = ", ".join(f"`{' '.join(prefix)}`" for prefix in self.prefixes or ())
        asks = "; others need somebody's consent, and nobody can be asked yet" if self.asks else ""
        return f"`{program}` was not started: {problem}; allowed are commands that begin with {shown}{asks}"


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
