"""command: answers a policy's question with how a command ended. Never a shell, and nothing of it is left running.

What it starts is mostly what the agent has written, so it has the wall of the agent's own programs. A command that
hangs is stopped; one that can't be started is an answer too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentspec.adapters.tools.programs.decode import decode_captured
from agentspec.adapters.tools.programs.process import Command, Finished, run_process
from agentspec.adapters.tools.programs.run import sandboxed
from agentspec.adapters.tools.programs.starting import StartFailed
from agentspec.errors import ExpressionError
from agentspec.expressions.places import PLACES
from agentspec.expressions.template import parse_template

TAIL = 4_000  # characters of what a command printed last, for a model to read


class CommandRespondent:
    """Runs `argv` in a folder of the project. `names` fill the `${…}` of its elements."""

    def __init__(self, command: Command, names: Mapping[str, Any]) -> None:
        self._command = command
        self._names = names

    async def answer(self, question: Any) -> dict[str, Any]:
        """`{"status": "ok" | "failed" | "timeout" | "not_started", "text": …, "exit_code": …}`."""
        folder = self._command.cwd / question["cwd"]
        try:
            argv = self._filled(question["argv"])
            run_id = str(self._names.get("run", {}).get("id", ""))
            command = self._command._replace(argv=argv, cwd=folder, timeout=question["timeout"], run_id=run_id)
            finished = await run_process(command)
        except (ExpressionError, StartFailed) as error:
            return {"status": "not_started", "text": str(error)}
        return _told(command, finished)

    def _filled(self, argv: list[str]) -> list[str]:
        place = PLACES["tools.template"]
        elements = (parse_template(element).compile(place).render_element(self._names) for element in argv)
        filled = [element for element in elements if element is not None]
        if not filled or not filled[0]:
            raise StartFailed("no program is left to run: the first element is empty")
        return filled


def _told(command: Command, finished: Finished) -> dict[str, Any]:
    code = -finished.signal or finished.exit_code
    if not code and not finished.stopped:
        return {"status": "ok", "text": "", "exit_code": 0}
    printed = [decode_captured(stream).text.strip() for stream in (finished.stdout, finished.stderr)]
    wall = "" if finished.stopped else sandboxed(command, finished, *printed)
    text = "\n".join(part for part in (*printed, wall) if part)
    if finished.stopped:
        return {"status": "timeout", "text": _tail(text)}
    return {"status": "failed", "text": _tail(text), "exit_code": code}


def _tail(text: str) -> str:
    """The end of what was printed, whole lines: half a line might be half a key, which nobody would recognise."""
    if len(text) <= TAIL:
        return text
    kept = text[-TAIL:]
    return "…" + (kept.partition("\n")[2] or kept)
