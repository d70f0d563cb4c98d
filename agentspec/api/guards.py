"""guards: refuse to run where a spec limits what tools may do in ways that this version does not enforce yet.

To take such a key and act as if it were not there would be worse than not to start.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentspec.core.tools import ToolPlan
from agentspec.errors import NotAllowed
from agentspec.spec.settings import Settings

UNENFORCED = ("ceiling", "approval", "permissions", "middleware")
HARMLESS = frozenset(("none", "read"))


def require_enforceable(settings: Settings, tools: Iterable[ToolPlan]) -> None:
    """Raise `NotAllowed` where a tool that may act stands under a limit that nothing enforces yet.

    Tools that only read or calculate are let through: they are contained by themselves.
    """
    limits = [f"capability.{name}" for name in UNENFORCED if settings.written(f"capability.{name}")]
    acting = [tool.name for tool in tools if tool.effect not in HARMLESS]
    if limits and acting:
        raise NotAllowed(
            f"`{acting[0]}` may act, and `{limits[0]}` limits what it may do, which is not enforced yet: not started"
        )
