"""runtime_tools: the tools that the runtime itself offers where a feature of the spec asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentspec.adapters.tools.search_tools import SearchTool, search_plan
from agentspec.core.finding import search_of
from agentspec.core.tools import ToolPlan
from agentspec.ports import Tool
from agentspec.spec.settings import Settings


def runtime_tools(settings: Settings, plans: Sequence[ToolPlan], result_max: int) -> Iterator[tuple[ToolPlan, Tool]]:
    """Those that a run with these tools has beside them. `result_max` is in bytes."""
    search = search_of(settings, {plan.name: plan for plan in plans})
    if search is not None:
        yield search_plan(search), SearchTool(search, result_max)
