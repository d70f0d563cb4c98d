"""program: a server that is a program: its messages over its standard input and output, line by line.

Nothing that it started is left running. What it prints beside messages is skipped and told once; what it says on
standard error is data: its end is kept to explain a failure.

Framing and shutdown: Model Context Protocol 2025-11-25, basic/transports and basic/lifecycle.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

from agentspec.adapters.tools.programs.descendants import MARK, end_survivors
from agentspec.adapters.tools.programs.process import Command
from agentspec.adapters.tools.programs.starting import StartFailed, why_not_started
from agentspec.adapters.tools.threads import begin
from agentspec.text.visible import one_line

MESSAGE_MAX = 32 * 1024 * 1024  # bytes of one message
STDERR_KEPT = 4096
STDIN_GRACE = 2.0  # seconds that a program has to end after its standard input was closed
_READ = 64 * 1024
_SHOWN = 200  # characters of a line that is no message


class Program:
    """A running server program. `has_ended` when no message will come any more, `ending` says how where it is known."""

    def __init__(self, command: Command, notice: Callable[[str], None]) -> None:
        self._command, self._notice = command, notice
        self._token = f"{command.run_id}/{uuid4().hex}"
        self._stderr = bytearray()
        self._has_noise = False
        self._process: asyncio.subprocess.Process | None = None
        self.ending = ""
        self.has_ended = False

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[tuple[Any, Any]]:
        """The two streams of messages, as the SDK wants a transport. Raises `StartFailed`."""
        import anyio  # noqa: PLC0415 - comes with the optional `mcp`

        process = self._process = await self._start()
        to_session, incoming = anyio.create_memory_object_stream[Any](0)
        outgoing, from_session = anyio.create_memory_object_stream[Any](0)
        tasks = [
            asyncio.create_task(self._read(process, to_session)),
            asyncio.create_task(self._write(process, from_session, to_session)),
            asyncio.create_task(self._listen(process)),
        ]
        try:
            yield incoming, outgoing
        finally:
            try:
                await self._stop(process, tasks)
            finally:
                for stream in (to_session, incoming, outgoing, from_session):
                    stream.close()

    def explain(self) -> str:
        """How it ended, and the end of what it said on standard error."""
        said = self._stderr.decode("utf-8", "replace").strip().splitlines()[-3:]
        words = one_line(" / ".join(line.strip() for line in said))[-_SHOWN:]
        return (self.ending or "it closed the connection") + (f"; it said: {words}" if words else "")

    async def _start(self) -> asyncio.subprocess.Process:
        command = self._command
        try:
            return await asyncio.create_subprocess_exec(
                *command.argv,
                cwd=command.cwd,
                env={**command.env, MARK: self._token},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=_READ,
            )
        except OSError as error:
            raise StartFailed(why_not_started(command.argv[0], command.cwd, error)) from error
        except ValueError as error:  # a NUL or a lone surrogate inside an element
            raise StartFailed(f"`{command.argv[0]}` can't be started: {error}") from error

    async def _read(self, process: asyncio.subprocess.Process, session: Any) -> None:
        """Hand on each message; at the end of the stream whoever waits for an answer learns that none will come."""
        import anyio  # noqa: PLC0415 - comes with the optional `mcp`

        assert process.stdout is not None
        rest = bytearray()
        gone = (anyio.BrokenResourceError, anyio.ClosedResourceError)
        with contextlib.suppress(OSError, *gone):
            while chunk := await process.stdout.read(_READ):
                searched = len(rest)
                rest += chunk
                for line in _lines(rest, searched):
                    message = self._message(line)
                    if message is not None:
                        await session.send(message)
                if len(rest) > MESSAGE_MAX:
                    self.ending = f"it sent a message of more than {MESSAGE_MAX} bytes"
                    break
        if not self.ending:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.2):  # one that has closed its output is usually about to end
                    self.ending = _ended(await process.wait())
        self.has_ended = True
        session.close()

    def _message(self, line: bytes) -> Any:
        from mcp.shared.message import SessionMessage  # noqa: PLC0415 - optional, and slow to load
        from mcp_types import jsonrpc_message_adapter  # noqa: PLC0415

        if not line.strip():
            return None
        try:
            return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
        except (ValueError, RecursionError):
            if not self._has_noise:
                self._has_noise = True
                shown = one_line(line[:_SHOWN].decode("utf-8", "replace").strip())
                self._notice(f"it prints what is no message, which is skipped: {shown}")
            return None

    async def _write(self, process: asyncio.subprocess.Process, session: Any, to_session: Any) -> None:
        assert process.stdin is not None
        try:
            async for sent in session:
                line = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(line.encode() + b"\n")
                await process.stdin.drain()
        except OSError:
            self.has_ended = True
            to_session.close()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        with contextlib.suppress(OSError):
            while chunk := await process.stderr.read(_READ):
                self._stderr += chunk
                del self._stderr[:-STDERR_KEPT]

    async def _stop(self, process: asyncio.subprocess.Process, tasks: list[asyncio.Task[None]]) -> None:
        """Close its input, wait, TERM, wait, KILL; then whatever it left behind. Cancelled, it is killed at once."""
        polite = True
        try:
            assert process.stdin is not None
            process.stdin.close()
            if not await _ends(process, STDIN_GRACE):
                _signal(process, signal.SIGTERM)
                await _ends(process, self._command.grace)
        except asyncio.CancelledError:
            polite = False
            raise
        finally:
            if process.returncode is None:
                _signal(process, signal.SIGKILL)
            for task in tasks:
                task.cancel()
            sweep = begin(functools.partial(end_survivors, process.pid, self._token, polite=polite), "end a server")
            await asyncio.shield(asyncio.gather(sweep, *tasks, return_exceptions=True))
            await _ends(process, 1.0)
            transport: Any = getattr(process, "_transport", None)
            if transport is not None:  # a child that left the group may still hold a pipe; nothing public closes it
                transport.close()


def _lines(rest: bytearray, searched: int) -> Iterator[bytes]:
    """Take whole lines from the front; what was searched before holds no end of a line."""
    end = rest.find(b"\n", searched)
    if end < 0:
        return
    whole = bytes(rest[: rest.rfind(b"\n")])
    del rest[: len(whole) + 1]
    yield from whole.split(b"\n")


async def _ends(process: asyncio.subprocess.Process, seconds: float) -> bool:
    """Whether the program has ended within so many seconds.

    Its return code is looked at: `wait` also waits for its pipes, which a child of it may hold.
    """
    until = asyncio.get_running_loop().time() + seconds
    while process.returncode is None:
        if asyncio.get_running_loop().time() >= until:
            return False
        await asyncio.sleep(0.01)
    return True


def _signal(process: asyncio.subprocess.Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _ended(code: int) -> str:
    if code >= 0:
        return f"it ended with exit code {code}"
    try:
        return f"it was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was ended by signal {-code}"
