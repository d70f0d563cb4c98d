"""bounded: tools within a ceiling that their run does not know of: a run that goes on keeps to what is allowed now.

The journal of the run has the refusal as the result of the call, so that it replays without the ceiling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentspec.api.assembly.blueprint import Blueprint
from agentspec.core.messages import ToolError
from agentspec.core.tools import ToolPlan
from agentspec.policies.ceiling import GATE, Ceiling
from agentspec.ports import Invocation, Output, Tool
from agentspec.spec.settings import Settings

NOW = "as the spec has it now"


class BoundedTool:
    """Refuses the calls that are beyond the ceiling, and makes all others."""

    def __init__(self, tool: Tool, plan: ToolPlan, ceiling: Ceiling) -> None:
        self._tool, self._plan, self._ceiling = tool, plan, ceiling

    async def call(self, invocation: Invocation) -> Output:
        refusal = self._ceiling.refusal(self._plan, invocation.arguments, NOW)
        if refusal is None:
            return await self._tool.call(invocation)
        return Output(status="denied", error=ToolError(category=GATE, message=refusal.reason))

    async def close(self) -> None:
        await self._tool.close()


def bounded(tools: Mapping[str, Tool], plans: Iterable[ToolPlan], blueprint: Blueprint) -> Mapping[str, Tool]:
    """The tools within the ceiling of now, where the blueprint has one."""
    if blueprint.ceiling is None:
        return tools
    by_name = {plan.name: plan for plan in plans}
    settings = Settings({"capability": {"ceiling": blueprint.ceiling}}, blueprint.project)
    ceiling = Ceiling.configure(settings, by_name)
    if ceiling is None:
        return tools
    return {name: BoundedTool(tool, by_name[name], ceiling) for name, tool in tools.items()}
