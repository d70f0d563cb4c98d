"""tool_errors: end the run at the first failed tool, where a spec wants that (`tool_error_mode: abort`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from agentspec.core.events import Event, ToolReturned
from agentspec.core.facts import Facts
from agentspec.core.orders import Outcome
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.proposals import Act, Proposal, Think
from agentspec.core.rulings import PASS, Ruling, Stop
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings


class ToolErrors(Policy[str], frozen=True):
    """Memory: what failed first, or nothing."""

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 40
    claims: ClassVar = ("execution.tool_error_mode",)
    hears: ClassVar = (ToolReturned,)
    reviews: ClassVar = (Think, Act)

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        return cls() if settings.text("execution.tool_error_mode") == "abort" else None

    def start(self) -> str:
        return ""

    def observe(self, memory: str, event: Event | Notice, facts: Facts) -> str:  # noqa: ARG002 - the shape
        if memory or not isinstance(event, ToolReturned) or event.result.status not in ("error", "timeout"):
            return memory
        return f"`{event.call.name}` failed: {event.result.text[:200]}"

    def review(self, memory: str, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not memory:
            return PASS
        return Stop(Outcome("failed", "tool_error", place="execution.tool_error_mode", detail=memory))
