"""recorded: tools that are not run: what they brought in a recorded run is what they bring again.

A tool of which nothing was recorded is none of these. Nothing of the world is touched here; in a copy of a project the
changes of its files that were recorded are made again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import msgspec

from agentspec.adapters.outside import ALONE, Outside
from agentspec.core.calls.canonical import call_key
from agentspec.core.messages import ToolError, ToolResult
from agentspec.ports import Invocation, Output, Tool

MARK = re.compile("^(?:ERROR|DENIED): ")  # what the model read before the words of a failed call


class ToolAnswer(msgspec.Struct, frozen=True):
    """A recorded result: of any call of the tool, or of those with these arguments."""

    name: str
    arguments: dict[str, Any] | None = None
    status: Literal["ok", "error", "timeout", "denied", "interrupted"] = "ok"
    delay: float = 0.0
    text: str | None = None
    data: Any = None
    file: Literal["new", "changed"] | None = None  # what the call made of a file of the workspace

    def fits(self, arguments: Mapping[str, Any] | None) -> bool:
        """Whether it is the result of a call with these arguments; the order of keys says nothing."""
        return self.arguments is None or call_key("", self.arguments) == call_key("", arguments or {})

    def output(self) -> Output:
        """What the tool brought."""
        text = self.text or ("" if self.data is None else msgspec.json.encode(self.data).decode())
        if self.status == "ok":
            return Output(text=text, data=self.data)
        error = ToolError(category="recorded", message=MARK.sub("", text) or f"it ended `{self.status}`")
        return Output(error=error, status="error" if self.status == "interrupted" else self.status)


@runtime_checkable
class Changing(Tool, Protocol):
    """A tool that changes files below one folder, and nothing else."""

    @property
    def changes_below(self) -> Path:
        """The folder."""
        ...


class Recording:
    """The recorded results of a run, and of the agents that it calls: what has been given is used.

    `copy` is the folder in which recorded changes of files are made again: never the project itself.
    """

    def __init__(self, answers: Iterable[ToolAnswer] = ()) -> None:
        self.answers = tuple(answers)
        self._used = [False] * len(self.answers)
        self.names = frozenset(answer.name for answer in self.answers)
        self.copy: Path | None = None
        self.unanswered: list[str] = []  # calls that no result fits, in words

    def next(self, name: str, arguments: Mapping[str, Any] | None) -> ToolAnswer | None:
        """The next result that fits a call; the last one that fits is given again and again."""
        known = enumerate(self.answers)
        fitting = [place for place, answer in known if answer.name == name and answer.fits(arguments)]
        place = next((place for place in fitting if not self._used[place]), fitting[-1] if fitting else None)
        if place is None:
            self.unanswered.append(f"no result of `{name}` was recorded for these arguments")
            return None
        self._used[place] = True
        return self.answers[place]


class RecordedTool:
    """Answers each call of a tool out of a recording; `tool` is the tool that it stands in for."""

    def __init__(self, name: str, tool: Tool, recording: Recording, outside: Outside = ALONE) -> None:
        self._name = name
        self._tool = tool
        self._recording = recording
        self._outside = outside

    async def call(self, invocation: Invocation) -> Output:
        answer = self._recording.next(self._name, invocation.arguments)
        if answer is None:
            words = f"{self._recording.unanswered[-1]}, and it is not run"
            return Output(status="error", error=ToolError(category="recorded", message=words))
        if answer.status == "interrupted":
            await self._outside.cut()
        if answer.delay:
            await self._outside.sleep(answer.delay)
        if answer.file is not None:
            await self._change(invocation)
        return answer.output()

    async def _change(self, invocation: Invocation) -> None:
        """Make a change of a file again, in a copy; where it can't be made, its tool refuses, and that is all."""
        copy, tool = self._recording.copy, self._tool
        if copy is not None and isinstance(tool, Changing) and tool.changes_below.is_relative_to(copy):
            await tool.call(invocation)

    def restore(self, result: ToolResult) -> None:
        """Take a call of the journal as answered."""
        self._recording.next(self._name, result.arguments if isinstance(result.arguments, dict) else None)

    async def close(self) -> None: ...
