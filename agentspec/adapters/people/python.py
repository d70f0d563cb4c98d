"""python: answers a policy's question with a Python function of the author's (`package.module:function`).

It runs in a thread of its own, within a bound on time. Whatever it does, the answer is plain JSON: `{"value": …}`, or
`{"error": words}`. Whether Python may run at all is decided before a run starts, not here.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import json
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from agentspec.core.calls.cap import encodable

LONGEST = 64 * 1024  # characters of an answer: it is journaled, and a command is short
WORDS = 500  # characters of an error


class PythonFunctions:
    """Runs functions of installed packages, and of modules that lie in the project's folder."""

    def __init__(self, project: Path, timeout: float) -> None:
        self._project = project
        self._timeout = timeout

    async def answer(self, question: Any) -> dict[str, Any]:
        """What the function gives for the state. A call that takes too long is left to itself: nobody can end it."""
        function, state = str(question["function"]), question["state"]
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[dict[str, Any]] = loop.create_future()

        def settle(answer: dict[str, Any]) -> None:
            if not answered.done():
                answered.set_result(answer)

        def work() -> None:
            answer = self._call(function, state)
            with contextlib.suppress(RuntimeError):  # the run is over and its loop is closed: nobody listens
                loop.call_soon_threadsafe(settle, answer)

        # A daemon: a function that hangs must not keep the process from ending.
        threading.Thread(target=work, name=f"python: {function}", daemon=True).start()
        try:
            async with asyncio.timeout(self._timeout):
                return await answered
        except TimeoutError:
            return _error(function, f"no answer after {self._timeout:g} s")

    def _call(self, function: str, state: Any) -> dict[str, Any]:
        try:
            found = find_function(function, self._project)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - importing runs the author's code
            return _error(function, f"it can't be imported: {_words(error)}")
        try:
            value = found(json.loads(json.dumps(state)))  # a copy of its own
            if inspect.iscoroutine(value):
                value = _finished(value)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the author's code may raise anything
            return _error(function, f"it failed: {_words(error)}")
        return _carried(function, value)


def find_function(function: str, project: Path) -> Callable[..., Any]:
    """The function by `package.module:name`. What is installed goes before what lies in the project.

    Raises whatever importing it raises, and `TypeError` where it is no function.
    """
    path = str(project)
    if path not in sys.path:
        sys.path.append(path)
    module, _, name = function.partition(":")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"`{name}` is no function")
    call: Callable[..., Any] = found
    return call


def _finished(awaitable: Coroutine[Any, Any, Any]) -> Any:
    """The result of an `async` function, in a loop of its thread."""
    return asyncio.run(awaitable)


def _carried(function: str, value: Any) -> dict[str, Any]:
    """The answer as JSON carries it: tuples are lists, and nothing else is turned into something."""
    try:
        text = encodable(json.dumps(value, allow_nan=False, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError) as error:
        return _error(function, f"its answer is no plain JSON value: {error}")
    if len(text) > LONGEST:
        return _error(function, f"its answer is {len(text)} characters long; at most {LONGEST} are taken")
    return {"value": json.loads(text)}


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _error(function: str, words: str) -> dict[str, Any]:
    return {"error": encodable(f"`{function}`: {words}"[:WORDS])}
