"""respondents: who answers the questions of a run's policies and is no model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agentspec.adapters.people.files import FilesRespondent
from agentspec.adapters.people.python import PythonFunctions
from agentspec.core.functions import WHO
from agentspec.ports import Respondent
from agentspec.spec.settings import Settings

FUNCTION_TIMEOUT = 120.0


def respondents(settings: Settings, project: Path) -> Mapping[str, Respondent]:
    """By the name with which a policy asks."""
    timeout = settings.seconds("execution.tool_timeout") or FUNCTION_TIMEOUT
    return {
        WHO: PythonFunctions(project, timeout),
        "files": FilesRespondent(project, settings.get("capability.approval.secrets") or ()),
    }
