"""agentspec: a declarative language for AI agents, its checker and its interpreter.

Everything here is loaded when it is first asked for, so that `import agentspec` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentspec.api.check import Report, check
    from agentspec.api.options import RunOptions
    from agentspec.api.run import resume, run, run_sync, stream
    from agentspec.api.spec import Spec, load
    from agentspec.errors import AgentSpecError
    from agentspec.runtime.result import Result

__version__ = "0.1.0"

_PLACES = {
    "AgentSpecError": "agentspec.errors",
    "Report": "agentspec.api.check",
    "Result": "agentspec.runtime.result",
    "RunOptions": "agentspec.api.options",
    "Spec": "agentspec.api.spec",
    "check": "agentspec.api.check",
    "load": "agentspec.api.spec",
    "replay": "agentspec.api.run",
    "resume": "agentspec.api.run",
    "run": "agentspec.api.run",
    "run_sync": "agentspec.api.run",
    "stream": "agentspec.api.run",
}
__all__ = [
    "AgentSpecError",
    "Report",
    "Result",
    "RunOptions",
    "Spec",
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
