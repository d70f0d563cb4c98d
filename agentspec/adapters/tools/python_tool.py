"""python_tool: a tool that is a Python function of the author's, called with the arguments by their names.

It runs in this process, in a thread of its own: whoever allows it trusts it. A call that takes too long is left to
itself, since nobody can end a thread. Whether Python may run at all is decided before a run starts, not here.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agentspec.adapters.people.python import find_function
from agentspec.adapters.tools.programs.values import NotCarried, plain, text_of
from agentspec.adapters.tools.threads import begin
from agentspec.core.messages import ToolError
from agentspec.ports import Invocation, Output


class PythonTool:
    """Calls `function` (`package.module:function`) of an installed package or of a module in the project's folder."""

    def __init__(self, function: str, project: Path) -> None:
        self._function = function
        self._project = project

    async def call(self, invocation: Invocation) -> Output:
        work = functools.partial(self._work, invocation.arguments)
        return await begin(work, f"tool: {self._function}")

    async def close(self) -> None: ...

    def _work(self, arguments: Mapping[str, Any]) -> Output:
        try:
            found = find_function(self._function, self._project)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - importing runs the author's code
            return _failed("not_started", f"`{self._function}` can't be imported: {_words(error)}")
        try:
            value = _finished(found, arguments)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the author's code may raise anything
            return _failed("exception", _words(error))
        try:
            data = plain(value)
        except NotCarried as problem:
            return _failed("result", f"`{self._function}` gave no usable result: {problem}")
        return Output(text=text_of(data), data=data)


def _finished(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """The result, of an `async` function in a loop of its thread."""
    value = function(**arguments)
    return asyncio.run(_awaited(value)) if inspect.isawaitable(value) else value


async def _awaited(value: Any) -> Any:
    return await value


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _failed(category: str, message: str) -> Output:
    return Output(status="error", error=ToolError(category=category, message=message[:2000]))
