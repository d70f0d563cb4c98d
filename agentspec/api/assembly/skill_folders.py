"""skill_folders: put what the folders of skills say into the values of a run, so that its journal needs no other file.

The further files of a skill stay where they are, and are read when the model asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentspec.compose.skill_file import read_skill
from agentspec.core.offer.skills import BODY
from agentspec.errors import Unavailable


def with_skills(values: dict[str, Any], project: Path) -> dict[str, Any]:
    """The values with every skill read. What the spec says of a skill goes before what its file says.

    Raises `Unavailable` where a folder holds no skill.
    """
    capability = values.get("capability") or {}
    skills: Mapping[str, Any] | None = capability.get("skills")
    if not skills:
        return values
    read = {name: _read(name, skill, project) for name, skill in skills.items()}
    return values | {"capability": {**capability, "skills": read}}


def _read(name: str, skill: Any, project: Path) -> dict[str, Any]:
    given: dict[str, Any] = {"folder": skill} if isinstance(skill, str) else dict(skill)
    folder = given.get("folder")
    if folder is None:
        return given
    found = read_skill(project / folder)
    if found.skill is None:
        raise Unavailable(f"the skill `{name}` (`{folder}`) can't be used: {found.problem}")
    given[BODY] = found.skill.body
    given["description"] = given.get("description") or found.skill.description
    return given
