"""respondents: who answers the questions of a run's policies and is no model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from agentspec.adapters.people.command import CommandRespondent
from agentspec.adapters.people.files import FilesRespondent
from agentspec.adapters.people.fingerprint import FingerprintRespondent
from agentspec.adapters.people.python import PythonFunctions
from agentspec.adapters.tools.programs.environment import child_environment
from agentspec.adapters.tools.programs.process import Command
from agentspec.api.assembly.assemble import Names
from agentspec.api.assembly.own_tools import grace_of
from agentspec.api.assembly.walls import wall_of
from agentspec.core.orders import PERSON
from agentspec.core.rules.functions import WHO
from agentspec.ports import Respondent
from agentspec.spec.settings import Settings

FUNCTION_TIMEOUT = 120.0


class Respondents(Mapping[str, Respondent]):
    """By the name with which a policy asks. Most runs ask nobody, so each is made when it is asked first.

    `names` fill the `${…}` of a command.
    """

    def __init__(self, settings: Settings, project: Path, names: Names, person: Respondent) -> None:
        self._settings = settings
        self._project = project
        self._names = names
        self._made = {PERSON: person}

    def __getitem__(self, name: str) -> Respondent:
        if name not in self._made:
            self._made[name] = MAKERS[name](self._settings, self._project, self._names)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter((PERSON, *MAKERS))

    def __len__(self) -> int:
        return 1 + len(MAKERS)


def _python(settings: Settings, project: Path, _: Names) -> Respondent:
    return PythonFunctions(project, settings.seconds("execution.tool_timeout") or FUNCTION_TIMEOUT)


def _command(settings: Settings, project: Path, names: Names) -> Respondent:
    command = Command(
        argv=(),
        cwd=project,
        env=child_environment(os.environ),
        grace=grace_of(settings),
        spill_max=0,
        wall=wall_of(settings, project, root=project),
    )
    return CommandRespondent(command, names)


def _fingerprint(settings: Settings, project: Path, _: Names) -> Respondent:
    return FingerprintRespondent(project, settings.get("capability.approval.secrets") or ())


def _files(settings: Settings, project: Path, _: Names) -> Respondent:
    return FilesRespondent(project, settings.get("capability.approval.secrets") or ())


MAKERS: dict[str, Callable[[Settings, Path, Names], Respondent]] = {
    WHO: _python,
    "command": _command,
    "fingerprint": _fingerprint,
    "files": _files,
}
