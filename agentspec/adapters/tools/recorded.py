"""recorded: tools that are not run: what they brought in a recorded run is what they bring again.

A tool of which nothing was recorded is none of these. Nothing of the world is touched here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from agentspec.adapters.outside import ALONE, Outside
from agentspec.core.calls.canonical import call_key
from agentspec.core.messages import ToolError, ToolResult
from agentspec.ports import Invocation, Output

MARK = re.compile("^(?:ERROR|DENIED): ")  # what the model read before the words of a failed call


class ToolAnswer(msgspec.Struct, frozen=True):
    """A recorded result: of any call of the tool, or of those with these arguments."""

    name: str
    arguments: dict[str, Any] | None = None
    status: Literal["ok", "error", "timeout", "denied", "interrupted"] = "ok"
    delay: float = 0.0
    text: str | None = None
    data: Any = None

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


class Recording:
    """The recorded results of a run, and of the agents that it calls: what has been given is used."""

    def __init__(self, answers: Iterable[ToolAnswer] = ()) -> None:
        self._answers = tuple(answers)
        self._used = [False] * len(self._answers)
        self.names = frozenset(answer.name for answer in self._answers)
        self.unanswered: list[str] = []  # calls that no result fits, in words

    def next(self, name: str, arguments: Mapping[str, Any] | None) -> ToolAnswer | None:
        """The next result that fits a call; the last one that fits is given again and again."""
        known = enumerate(self._answers)
        fitting = [place for place, answer in known if answer.name == name and answer.fits(arguments)]
        place = next((place for place in fitting if not self._used[place]), fitting[-1] if fitting else None)
        if place is None:
            self.unanswered.append(f"no result of `{name}` was recorded for these arguments")
            return None
        self._used[place] = True
        return self._answers[place]


class RecordedTool:
    """Answers each call of a tool out of a recording."""

    def __init__(self, name: str, recording: Recording, outside: Outside = ALONE) -> None:
        self._name = name
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
        return answer.output()

    def restore(self, result: ToolResult) -> None:
        """Take a call of the journal as answered."""
        self._recording.next(self._name, result.arguments if isinstance(result.arguments, dict) else None)

    async def close(self) -> None: ...
