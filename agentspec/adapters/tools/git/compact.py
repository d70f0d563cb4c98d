"""compact: the tools of `git` behind two: one finds them, one runs them. For models with little room for tools."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from agentspec.adapters.tools.files.tool import failed
from agentspec.adapters.tools.git.tools import GitTool, Kind, git_of, kinds_of, require
from agentspec.adapters.tools.kit import KitTool, Offered, Setting, offer
from agentspec.core.schema.shorthand import lower_parameters
from agentspec.core.schema.validate import Validator, compile_schema
from agentspec.ports import Invocation, Output, Tool
from agentspec.text.suggest import nearest

__all__ = ["require", "toolkit"]

_WORD = re.compile(r"[a-z]+")


class FindTool:
    """Tells which tools there are for what is asked, with their parameters."""

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self._kinds = kinds

    async def call(self, invocation: Invocation) -> Output:
        wanted = set(_WORD.findall(str(invocation.arguments["query"]).lower())) - {"git"}
        ranked = sorted(self._kinds, key=lambda name: -self._score(name, wanted))
        found = [name for name in ranked if self._score(name, wanted)] or list(self._kinds)
        return Output(text="\n".join(_told(name, self._kinds[name]) for name in found), data={"tools": found})

    async def close(self) -> None: ...

    def _score(self, name: str, wanted: set[str]) -> int:
        """How well a tool fits: its name counts more than its words."""
        kind = self._kinds[name]
        words = set(_WORD.findall(f"{kind.description} {' '.join(kind.parameters)}".lower()))
        return 3 * (name.removeprefix("git_") in wanted) + sum(
            any(word.startswith(each) or each.startswith(word) for word in words if len(word) > 3)
            for each in wanted
            if len(each) > 3
        )


class RunTool:
    """Runs one of the tools by its name, with arguments that fit its parameters."""

    def __init__(self, tools: Mapping[str, tuple[Tool, Validator]]) -> None:
        self._tools = tools

    async def call(self, invocation: Invocation) -> Output:
        name, given = str(invocation.arguments["name"]), invocation.arguments.get("args") or {}
        if name not in self._tools:
            near = nearest(name, self._tools) or list(self._tools)
            return failed("unknown_tool", f"there is no tool `{name}`; there is `{'`, `'.join(near)}`")
        tool, validator = self._tools[name]
        admitted = validator.admit(given)
        if admitted.problems:
            return failed("invalid_arguments", f"`{name}`: {'; '.join(admitted.problems)}")
        return await tool.call(
            Invocation(
                name=name,
                call_id=invocation.call_id,
                arguments=admitted.value,
                key=invocation.key,
                run=invocation.run,
                inputs=invocation.inputs,
            )
        )

    async def close(self) -> None: ...


def toolkit(options: Mapping[str, Any], setting: Setting) -> Offered:
    """The two tools of `git.compact`."""
    git, kinds = git_of(options, setting), kinds_of(options)
    runnable = {
        name: (GitTool(kind.do, git), compile_schema(lower_parameters(kind.parameters))) for name, kind in kinds.items()
    }
    is_changing = any(kind.repeat != "read" for kind in kinds.values())
    tools = [
        KitTool(
            "find_git_tool",
            "Find the git tool for what you want to do, with its parameters.",
            {"query": {"type": "string", "description": "What you want to do, such as `compare two branches`."}},
            FindTool(kinds),
        ),
        KitTool(
            "run_git_tool",
            "Run a git tool that `find_git_tool` has found.",
            {
                "name": {"type": "string", "description": "Its name."},
                "args": {"type": "object?", "description": "Its arguments by name."},
            },
            RunTool(runnable),
            effect="write" if is_changing else "read",
            repeat="once" if is_changing else "read",
        ),
    ]
    return offer("git.compact", tools, options, setting)


def _told(name: str, kind: Kind) -> str:
    properties = lower_parameters(kind.parameters)["properties"]
    return f"{name}: {kind.description}\n  args: {json.dumps(properties, ensure_ascii=False)}"
