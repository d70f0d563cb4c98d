"""skill_tool: the tool with which a model takes up a skill. Reads what the spec names, and only below its folder.

That the skill is active from then on is the business of the run's policy of skills.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentspec.adapters.tools.files.beneath import Beneath
from agentspec.adapters.tools.files.secret_files import SecretFiles
from agentspec.adapters.tools.files.show import read_file
from agentspec.adapters.tools.files.tool import FilesTool, Reading
from agentspec.core.messages import ToolError
from agentspec.core.offer.skills import TOOL, Skill, Skills, instructions
from agentspec.core.tools import ToolPlan
from agentspec.ports import Invocation, Output

SHOWN = 500  # characters of what a skill is for
LONGEST_LINE = 2048  # bytes
NOTES = 512  # bytes that the answer keeps for words about a file
DESCRIPTION = (
    "Takes up a skill: instructions for a kind of work. Do so before you begin such work. The answer holds the "
    "instructions, which you follow from then on."
)


def skill_plan(skills: Skills) -> ToolPlan | None:
    """The tool as the model sees it; None where it may take up none of the skills."""
    offered = skills.by_model
    if not offered:
        return None
    listed = "\n".join(f"- {skill.name}: {_purpose(skill)}" for skill in offered)
    properties: dict[str, Any] = {
        "name": {"type": "string", "enum": [skill.name for skill in offered], "description": "The skill."}
    }
    if any(skill.folder for skill in offered):
        words = "A file of the skill to read instead, relative to its folder, such as `references/forms.md`."
        properties["file"] = {"type": "string", "description": words}
    return ToolPlan(
        name=TOOL,
        description=f"{DESCRIPTION}\n{listed}",
        parameters={
            "type": "object",
            "properties": properties,
            "required": ["name"],
            "additionalProperties": False,
        },
        effect="none",
        kind="skill",
        repeat="read",
    )


def _purpose(skill: Skill) -> str:
    line = " ".join(f"{skill.description} {skill.when_to_use}".split())
    return line if len(line) <= SHOWN else line[:SHOWN].rstrip() + "…"


class SkillTool:
    """Gives the instructions of a skill, or a file that lies below its folder."""

    def __init__(self, skills: Skills, project: Path, secrets: Sequence[str], result_max: int) -> None:
        self._skills = {skill.name: skill for skill in skills.by_model}
        self._project = project.absolute()
        self._secrets = secrets
        self._most = max(result_max - NOTES, result_max // 2)

    async def call(self, invocation: Invocation) -> Output:
        skill = self._skills.get(str(invocation.arguments.get("name")))
        if skill is None:
            listed = ", ".join(f"`{name}`" for name in self._skills)
            return _failed("not_found", f"there is no such skill; the skills are {listed}")
        file = invocation.arguments.get("file")
        if file is None:
            return Output(text=instructions(skill), data={"skill": skill.name})
        if not skill.folder:
            return _failed("not_found", f"the skill `{skill.name}` has no files")
        return await self._read(skill, str(file), invocation)

    async def _read(self, skill: Skill, file: str, invocation: Invocation) -> Output:
        reading = Reading(
            Beneath(self._project / skill.folder, SecretFiles(self._secrets)),
            max_matches=1,
            max_line_bytes=LONGEST_LINE,
            max_bytes=self._most,
        )
        asked = Invocation(name=TOOL, call_id=invocation.call_id, arguments={"path": file}, key=invocation.key)
        return await FilesTool(read_file, reading).call(asked)

    async def close(self) -> None: ...


def _failed(category: str, message: str) -> Output:
    return Output(status="error", error=ToolError(category=category, message=message))
