"""run: a tool that is one program with fixed arguments, into which the call's arguments are put.

Never a shell: each element of the list stays one argument, whatever stands in it.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec.structs import replace

from agentspec.adapters.tools.programs.decode import Decoded, decode_captured
from agentspec.adapters.tools.programs.process import Command, Finished, run_process
from agentspec.adapters.tools.programs.starting import StartFailed
from agentspec.adapters.tools.sandbox.wall import stopped_by
from agentspec.core.calls.touched import NOTHING, Touched, by_names
from agentspec.core.messages import ToolError
from agentspec.errors import ExpressionError
from agentspec.ports import Invocation, Output

_TAIL = 16 * 1024  # characters of each stream that explain a failure


class Element(Protocol):
    """One element of the argument list, compiled; None where its only name has no value, so that it is left out."""

    @property
    def is_fixed(self) -> bool: ...

    def render_element(self, names: Mapping[str, object]) -> str | None: ...


class RunTool:
    """Runs `argv` in the folder and environment of `command`, whose own `argv` is empty."""

    def __init__(self, argv: Sequence[Element], command: Command) -> None:
        self._argv = tuple(argv)
        self._command = command

    async def call(self, invocation: Invocation) -> Output:
        try:
            argv = self._render(invocation)
        except ExpressionError as error:
            return _failed("arguments", str(error))
        if not argv or not argv[0]:
            return _failed("arguments", "no program is left to run: the first element is empty")
        try:
            finished = await run_process(self._command._replace(argv=argv, run_id=str(invocation.run.get("id", ""))))
        except StartFailed as error:
            return _failed("not_started", str(error))
        return report(finished, self._command)

    async def close(self) -> None: ...

    def touches(self, names: Mapping[str, Mapping[str, Any]], arguments: Mapping[str, Any]) -> Touched:
        """What a call with these arguments would run; a command that can't be filled in runs nothing."""
        known = {**names, "args": arguments}
        try:
            argv = _filled(self._argv, known)
            chosen = _filled((element for element in self._argv if not element.is_fixed), known)
        except ExpressionError:
            return NOTHING
        return replace(by_names(arguments), command=tuple(argv), chosen=tuple(chosen))

    def _render(self, invocation: Invocation) -> list[str]:
        return _filled(self._argv, _names(invocation))


def _filled(elements: Iterable[Element], names: Mapping[str, object]) -> list[str]:
    rendered = (element.render_element(names) for element in elements)
    return [text for text in rendered if text is not None]


def report(finished: Finished, command: Command) -> Output:
    """What a program did, as the result of a call."""
    stdout, stderr = decode_captured(finished.stdout), decode_captured(finished.stderr)
    facts = {"exit_code": finished.exit_code} if not finished.signal else {"signal": signal_name(finished.signal)}
    spill = finished.stdout.spill
    problem = _problem(finished, command)
    if problem is not None and not finished.stopped and (why := sandboxed(command, finished, stderr.text, stdout.text)):
        problem = ToolError(category=problem.category, message=f"{problem.message}; {why}")
    return Output(
        text=_noted(stdout) if problem is None else _tails(stdout, stderr),
        data=facts,
        error=problem,
        status="ok" if problem is None else "timeout" if finished.stopped else "error",
        overflow=spill,
        full_bytes=finished.stdout.size if spill else 0,
    )


def sandboxed(command: Command, finished: Finished, *said: str) -> str:
    """What the sandbox may have stopped, by what a program that failed says, or nothing."""
    if command.wall is None or not finished.rung:
        return ""
    return stopped_by(command.wall, finished.rung, "\n".join(text[-_TAIL:] for text in said))


def signal_name(number: int) -> str:
    """`SIGSEGV` for 11; the number itself for a signal without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _problem(finished: Finished, command: Command) -> ToolError | None:
    if finished.stopped:
        message = f"no result after {command.timeout:g} s; it was stopped and may have acted"
        return ToolError(category="timeout", message=message)
    if finished.signal:
        return ToolError(category="signal", message=f"exit signal {signal_name(finished.signal)}")
    if finished.exit_code:
        return ToolError(category="exit", message=f"exit {finished.exit_code}")
    return None


def _noted(decoded: Decoded) -> str:
    if not decoded.replaced:
        return decoded.text
    return f"{decoded.text}\n[{decoded.replaced} bytes that are not UTF-8 were replaced by \ufffd]"


def _tails(stdout: Decoded, stderr: Decoded) -> str:
    """The ends of both streams, what went wrong first."""
    parts = [
        f"{name}:\n{_end(decoded.text)}" for name, decoded in (("stderr", stderr), ("stdout", stdout)) if decoded.text
    ]
    return "\n".join(parts)


def _end(text: str) -> str:
    """The last lines: half a line might be half a key, which nobody would recognise as one."""
    if len(text) <= _TAIL:
        return text
    kept = text[-_TAIL:]
    return "…" + (kept.partition("\n")[2] or kept)


def _failed(category: str, message: str) -> Output:
    return Output(status="error", error=ToolError(category=category, message=message))


def _names(invocation: Invocation) -> dict[str, object]:
    return {
        "args": invocation.arguments,
        "inputs": invocation.inputs,
        "run": invocation.run,
        "identity": invocation.identity,
    }
