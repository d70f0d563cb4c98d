"""run_names: the name of a run, and what its expressions know of the run itself."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime

from agentspec.api.assembly.assemble import Names
from agentspec.api.assembly.blueprint import Blueprint
from agentspec.core.events import RunStarted
from agentspec.core.messages import UserMessage


def new_run_id() -> str:
    """A name for a run that sorts by time and is no guess: 20261130-031500-1f0c9a2b."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(4)}"


def names_from(blueprint: Blueprint, started: RunStarted) -> Names:
    """The names of a run that its journal tells of."""
    task = next((message.text for message in reversed(started.opening) if isinstance(message, UserMessage)), "")
    return names_of(blueprint, started.run_id, started.session_id, task, started.at)


def names_of(blueprint: Blueprint, run_id: str, session_id: str, task: str, started: float) -> Names:
    began = datetime.fromtimestamp(started, tz=UTC)
    known = {"id": run_id, "session_id": session_id, "task": task, "started_at": began, "now": began}
    return blueprint.names(known | {"date": f"{began:%Y-%m-%d}"})
