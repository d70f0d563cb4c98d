"""tool: what the tools that look at files share: their folder, their bounds, their thread, their refusals."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.adapters.tools.files.beneath import Beneath, Refused
from agentspec.adapters.tools.kit import Setting
from agentspec.adapters.tools.threads import in_thread
from agentspec.core.calls.globs import BadGlob
from agentspec.core.messages import ToolError
from agentspec.errors import Unavailable
from agentspec.ports import Invocation, Output
from agentspec.text.paths import is_folder


class Reading(NamedTuple):
    """Where a call may look, and how much it may bring back."""

    beneath: Beneath
    max_matches: int
    max_line_bytes: int
    max_bytes: int  # of one answer
    stop: threading.Event = threading.Event()  # set where nobody waits for the answer any more


Look = Callable[[Reading, Mapping[str, Any]], Output]


class FilesTool:
    """One tool: `look` does the work in a thread; what it may not open becomes an error for the model."""

    def __init__(self, look: Look, reading: Reading) -> None:
        self._look, self._reading = look, reading

    async def call(self, invocation: Invocation) -> Output:
        return await in_thread(functools.partial(self._answer, invocation), invocation.name)

    async def close(self) -> None: ...

    def _answer(self, invocation: Invocation, stop: threading.Event) -> Output:
        try:
            return self._look(self._reading._replace(stop=stop), invocation.arguments)
        except Refused as refusal:
            return failed(refusal.category, str(refusal))
        except BadGlob as problem:
            return failed("invalid", str(problem))


def folder_of(options: Mapping[str, Any], setting: Setting) -> Path:
    """The folder that a toolkit works in; `root` counts from the project folder."""
    return Path(setting.project, options.get("root") or ".")


def require_folder(family: str, options: Mapping[str, Any], setting: Setting) -> None:
    """Raise `Unavailable` where the folder of a toolkit isn't there."""
    folder = folder_of(options, setting)
    if not is_folder(folder):
        project = setting.project.absolute()
        raise Unavailable(f"the folder `{folder}` of the toolkit `{family}` does not exist; the project is `{project}`")


def failed(category: str, message: str) -> Output:
    """An answer that is an error."""
    return Output(status="error", error=ToolError(category=category, message=message))
