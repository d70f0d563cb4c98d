"""agent_tool: a tool that is another agent. What is done in its run is the business of whoever runs it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from agentspec.core.messages import ToolError
from agentspec.ports import Invocation, Output

Call: TypeAlias = Callable[[str, Invocation], Awaitable[Output]]
PARAMETERS: dict[str, Any] = {
    "task": {"type": "string", "description": "What the agent is to do, in words that stand alone."},
    "context": {"type": "string?", "description": "What it has to know; it sees nothing of this conversation."},
}


class AgentTool:
    """Hands a call to `run`, by the name of the tool; without it, the run is only looked at."""

    def __init__(self, name: str, run: Call | None) -> None:
        self._name = name
        self._run = run

    async def call(self, invocation: Invocation) -> Output:
        if self._run is None:
            return Output(status="error", error=ToolError(category="agent", message="no agent is run here"))
        return await self._run(self._name, invocation)

    async def close(self) -> None: ...
