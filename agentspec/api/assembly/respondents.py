"""respondents: who answers the questions of a run's policies and is no model."""

from __future__ import annotations

import os
from collections.abc import Mapping
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


def respondents(settings: Settings, project: Path, names: Names, person: Respondent) -> Mapping[str, Respondent]:
    """By the name with which a policy asks. `names` fill the `${…}` of a command."""
    timeout = settings.seconds("execution.tool_timeout") or FUNCTION_TIMEOUT
    command = Command(
        argv=(),
        cwd=project,
        env=child_environment(os.environ),
        grace=grace_of(settings),
        spill_max=0,
        wall=wall_of(settings, project, root=project),
    )
    return {
        PERSON: person,
        WHO: PythonFunctions(project, timeout),
        "command": CommandRespondent(command, names),
        "fingerprint": FingerprintRespondent(project, settings.get("capability.approval.secrets") or ()),
        "files": FilesRespondent(project, settings.get("capability.approval.secrets") or ()),
    }
