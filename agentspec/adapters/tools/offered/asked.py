"""asked: a tool that somebody outside the run answers: a person a question, the caller a call that it carries out.

It does nothing itself. Where nobody is there the call waits: the run is suspended, and asks again when it goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from agentspec.adapters.tools.kit import Tell
from agentspec.adapters.tools.programs.values import NotCarried, plain, text_of
from agentspec.core.messages import ToolError
from agentspec.ports import Invocation, Output, Respondent

What: TypeAlias = Literal["question", "tool_result"]
FOREVER = float("inf")  # seconds: a person's time is their own; a bound on the run's time still ends it


class AskedTool:
    """Asks `who` (`what` says for what) and waits at most `timeout` seconds for the answer, when somebody is there.

    Those who watch the run are told when a question is put to a person, and when that is over.
    """

    def __init__(self, what: What, who: Respondent | None, timeout: float = FOREVER, tell: Tell | None = None) -> None:
        self._what = what
        self._who = who
        self._timeout = timeout
        self._tell: Tell = tell or _nobody_watches

    async def call(self, invocation: Invocation) -> Output:
        question = {
            "what": self._what,
            "call_id": invocation.call_id,
            "name": invocation.name,
            "arguments": invocation.arguments,
        }
        self._tell("question_asked", question)
        try:
            answer = await self._answer(question)
        finally:
            self._tell("question_answered", {"call_id": invocation.call_id, "name": invocation.name})
        return Output(status="waiting", data=[question]) if answer is None else _output(answer)

    async def close(self) -> None: ...

    async def _answer(self, question: Mapping[str, Any]) -> Any:
        if self._who is None:
            return None
        try:
            async with asyncio.timeout(self._timeout):
                return await self._who.answer(question)
        except TimeoutError:
            return None


def _nobody_watches(kind: str, fields: Mapping[str, Any]) -> None: ...


def _output(answer: Mapping[str, Any]) -> Output:
    if "error" in answer:
        return _failed("external", str(answer["error"]))
    try:
        data = plain(answer["value"])
    except NotCarried as problem:
        return _failed("result", f"the result that was given can't be used: {problem}")
    return Output(text=text_of(data), data=data)


def _failed(category: str, message: str) -> Output:
    return Output(status="error", error=ToolError(category=category, message=message[:2000]))
