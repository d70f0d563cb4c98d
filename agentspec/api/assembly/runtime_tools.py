"""runtime_tools: the tools that the runtime itself offers where a feature of the spec asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentspec.adapters.people.python import PythonFunctions
from agentspec.adapters.tools.kit import Setting
from agentspec.adapters.tools.offered.progress_tool import ProgressReport, progress_plan
from agentspec.adapters.tools.offered.read_output import ReadOutput, read_output_plan
from agentspec.adapters.tools.offered.search_tools import SearchTool, search_plan
from agentspec.adapters.tools.offered.skill_tool import SkillTool, skill_plan
from agentspec.core.calls.cap import READ_OUTPUT
from agentspec.core.offer.narrowing import PROGRESS
from agentspec.core.offer.search import search_of
from agentspec.core.offer.skills import skills_of
from agentspec.core.tools import ToolPlan
from agentspec.ports import Tool
from agentspec.spec.settings import Settings


def runtime_tools(settings: Settings, plans: Sequence[ToolPlan], setting: Setting) -> Iterator[tuple[ToolPlan, Tool]]:
    """Those that a run with these tools has beside them."""
    skills = skills_of(settings)
    plan = None if skills is None else skill_plan(skills)
    if skills is not None and plan is not None:
        yield plan, SkillTool(skills, setting.project, setting.secrets, setting.result_max)
    search = search_of(settings, {one.name: one for one in plans})
    if search is not None and not search.is_native:
        functions = PythonFunctions(setting.project, setting.timeout)
        yield search_plan(search), SearchTool(search, setting.result_max, functions)
    if settings.flag("capability.progress_tool") and all(one.name != PROGRESS for one in plans):
        yield progress_plan(), ProgressReport()
    if plans and all(one.name != READ_OUTPUT for one in plans):
        yield read_output_plan(), ReadOutput(setting.artifacts, setting.result_max)
