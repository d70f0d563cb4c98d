"""job_report: a command's end, or how far it is, as the result of a call: bounded, and saying how to read the rest."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentspec.adapters.tools.programs.capture import Capture
from agentspec.adapters.tools.programs.decode import decode
from agentspec.adapters.tools.programs.jobs import Job
from agentspec.adapters.tools.programs.run import sandboxed, signal_name
from agentspec.core.messages import ToolError
from agentspec.ports import Output

_LINE = 4096  # bytes of a cut line that are left out


class Shown(NamedTuple):
    """How much of an output is shown at once, and the names of the tools for more, "" without them."""

    most: int
    reader: str
    canceller: str


def report(job: Job, shown: Shown) -> Output:
    """What a command did: its output, or both ends of it; a failure with what it said about it."""
    if job.problem:
        return Output(status="error", error=ToolError(category="not_started", message=job.problem))
    if job.is_running:
        return _running(job, shown)
    error, status = _problem(job)
    code = job.outcome.exit_code if job.outcome is not None and not job.outcome.signal else None
    if error is None and not code:
        text = _whole(job, shown)
    else:
        first = f"exit {code}\n" if error is None else ""
        text = (first + _both(job, shown)).rstrip("\n") + _sandboxed(job)
    note = _unfiltered(job, shown)
    if note:
        text += ("" if text.endswith("\n") else "\n") + note
    return Output(text=text, data=facts_of(job), error=error, status=status)


def facts_of(job: Job) -> dict[str, Any]:
    """What a program may want to know of a command."""
    facts: dict[str, Any] = {
        "id": job.name,
        "running": job.is_running,
        "stdout_bytes": job.stdout.size,
        "stderr_bytes": job.stderr.size,
        **({} if job.unfiltered is None else {"unfiltered_bytes": job.unfiltered.size}),
    }
    if job.outcome is not None:
        ended = job.outcome
        facts |= {"signal": signal_name(ended.signal)} if ended.signal else {"exit_code": ended.exit_code}
    return facts | ({"cancelled": True} if job.is_cancelled else {})


def state_of(job: Job) -> str:
    """How it stands, in a few words."""
    ended = job.outcome
    if job.is_running:
        return f"running for {job.seconds:.0f} s"
    if job.problem:
        return "not started"
    if job.is_cancelled or ended is None:
        return "cancelled"
    if ended.stopped:
        return "stopped: its time was up"
    return f"exit signal {signal_name(ended.signal)}" if ended.signal else f"exit {ended.exit_code}"


def part(capture: Capture, offset: int, length: int) -> tuple[str, int]:
    """The text from a byte on, in whole lines where there is more, and the byte where the next part begins."""
    data = capture.read(offset, length)
    end = offset + len(data)
    if end < capture.size and (newline := data.rfind(b"\n") + 1):
        data = data[:newline]
    elif end < capture.size:
        data = data[: len(data) - _half(data)] or data
    return decode(data, size=capture.size).text, offset + len(data)


def ending(capture: Capture, length: int) -> str:
    """The last bytes of a stream, from the beginning of a line where there is one."""
    data = capture.read(max(0, capture.size - length), length)
    if len(data) < capture.size:
        newline = data.find(b"\n") + 1
        data = data[newline:] if newline < min(len(data), _LINE) else data
    return decode(data, size=capture.size).text


def _running(job: Job, shown: Shown) -> Output:
    words = f"`{job.name}` runs in the background ({state_of(job)})"
    ways = [f"`{shown.reader}` shows its output"] if shown.reader else []
    ways += [f"`{shown.canceller}` stops it"] if shown.canceller else []
    ways += ["it is stopped when the run ends"]
    text = f"{words}; {', '.join(ways)}"
    so_far = _both(job, shown._replace(most=shown.most // 4))
    return Output(text=f"{text}\n{so_far}".rstrip("\n"), data=facts_of(job))


def _problem(job: Job) -> tuple[ToolError | None, Any]:
    ended, limit = job.outcome, job.command.timeout
    if job.is_cancelled or ended is None:
        return ToolError(category="cancelled", message="it was stopped and may have acted"), "cancelled"
    if ended.stopped:
        message = f"no result after {limit:g} s; it was stopped and may have acted"
        return ToolError(category="timeout", message=message), "timeout"
    if ended.signal:
        return ToolError(category="signal", message=f"exit signal {signal_name(ended.signal)}"), "error"
    return None, "ok"


def _unfiltered(job: Job, shown: Shown) -> str:
    """That more came before the filters of a line than they let through, as a line behind the output."""
    capture = job.unfiltered
    if capture is None or capture.size <= job.stdout.size or not shown.reader:
        return ""
    return f"[{capture.size} bytes before the filter: `{shown.reader}` with `id: {job.name}`, `stream: unfiltered`]"


def _sandboxed(job: Job) -> str:
    """What the sandbox may have stopped, as a line behind the output."""
    ended = job.outcome
    if ended is None or ended.stopped or job.is_cancelled:
        return ""
    why = sandboxed(job.command, ended, ending(job.stderr, _LINE), ending(job.stdout, _LINE))
    return f"\n[{why}]" if why else ""


def _whole(job: Job, shown: Shown) -> str:
    """stdout as it is; what else there is to read is said behind it."""
    if not job.stdout.size:
        return f"(nothing on stdout) stderr:\n{_ends(job, 'stderr', shown)}" if job.stderr.size else ""
    text = _ends(job, "stdout", shown)
    if not job.stderr.size or not shown.reader:
        return text
    newline = "" if text.endswith("\n") else "\n"
    note = f"[{job.stderr.size} bytes on stderr: `{shown.reader}` with `id: {job.name}`, `stream: stderr`]"
    return f"{text}{newline}{note}"


def _both(job: Job, shown: Shown) -> str:
    half = shown._replace(most=shown.most // 2)
    parts = [f"{name}:\n{_ends(job, name, half)}" for name in ("stderr", "stdout") if job.stream(name).size]
    return "\n".join(text.rstrip("\n") for text in parts)


def _ends(job: Job, name: str, shown: Shown) -> str:
    """A stream, or where it is too large its beginning and its end, with what is missing between them."""
    capture = job.stream(name)
    if capture.size <= shown.most:
        return decode(capture.read(0, capture.size), size=capture.size).text
    head, next_byte = part(capture, 0, shown.most // 4)
    tail = ending(capture, shown.most * 3 // 4)
    way = f": `{shown.reader}` with `id: {job.name}`, `stream: {name}`, `offset: {next_byte}`" if shown.reader else ""
    newline = "" if head.endswith("\n") else "\n"
    return f"{head}{newline}[… {capture.size} bytes in all, the middle is left out here{way} …]\n{tail}"


def _half(data: bytes) -> int:
    """How many bytes at the end are a character that goes on."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 != 0x80:
            length = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
            return back if length > back else 0
    return 0
