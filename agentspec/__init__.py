"""agentspec: a declarative language for AI agents, its checker and its interpreter.

Everything here is loaded when it is first asked for, so that `import agentspec` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for the types alone: what stands here is imported by `__getattr__`
    from agentspec.api.check import Report, check
    from agentspec.api.kept import Replay, replay
    from agentspec.api.options import RunOptions
    from agentspec.api.resume import resume
    from agentspec.api.run import run, run_sync, stream
    from agentspec.api.spec import Spec, load
    from agentspec.errors import (
        AgentSpecError,
        InternalError,
        JournalError,
        LeaseLost,
        NotAllowed,
        NotFound,
        ReplayDiverged,
        SpecInvalid,
        Unavailable,
    )
    from agentspec.runtime.result import Result
    from agentspec.text.diagnostic import Diagnostic

__version__ = "0.1.0"

# Every public name, and the module that it is imported from when it is first asked for.
_PLACES = {
    "AgentSpecError": "agentspec.errors",
    "Diagnostic": "agentspec.text.diagnostic",
    "InternalError": "agentspec.errors",
    "JournalError": "agentspec.errors",
    "LeaseLost": "agentspec.errors",
    "NotAllowed": "agentspec.errors",
    "NotFound": "agentspec.errors",
    "Replay": "agentspec.api.kept",
    "ReplayDiverged": "agentspec.errors",
    "Report": "agentspec.api.check",
    "Result": "agentspec.runtime.result",
    "RunOptions": "agentspec.api.options",
    "Spec": "agentspec.api.spec",
    "SpecInvalid": "agentspec.errors",
    "Unavailable": "agentspec.errors",
    "check": "agentspec.api.check",
    "load": "agentspec.api.spec",
    "replay": "agentspec.api.kept",
    "resume": "agentspec.api.resume",
    "run": "agentspec.api.run",
    "run_sync": "agentspec.api.run",
    "stream": "agentspec.api.run",
}
__all__ = [
    "AgentSpecError",
    "Diagnostic",
    "InternalError",
    "JournalError",
    "LeaseLost",
    "NotAllowed",
    "NotFound",
    "Replay",
    "ReplayDiverged",
    "Report",
    "Result",
    "RunOptions",
    "Spec",
    "SpecInvalid",
    "Unavailable",
    "check",
    "load",
    "replay",
    "resume",
    "run",
    "run_sync",
    "stream",
]


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module `agentspec` has no attribute `{name}`")
    return getattr(import_module(place), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
