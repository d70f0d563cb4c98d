"""process: run one program in its own process group, with bounded output, until it ends or is stopped.

Nothing that it started is left running, whatever ended it. The event loop never waits: each program has a thread that
starts it, reads it and stops it (a start costs about a millisecond, and a full disk may stall a write).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Literal, NamedTuple
from uuid import uuid4

from agentspec.adapters.tools.programs.capture import KEEP, SPILL_MAX, Capture, Captured
from agentspec.adapters.tools.programs.descendants import MARK, end_survivors, signal_others
from agentspec.adapters.tools.programs.starting import StartFailed, why_not_started
from agentspec.adapters.tools.sandbox.enclose import Enclosed, NoWall, enclose
from agentspec.adapters.tools.sandbox.wall import Wall
from agentspec.adapters.tools.threads import begin

_QUIET = 0.05  # seconds without output after which an exited program is not waited for
_DRAIN = 0.5  # seconds at most: a child in the background may hold the pipe for ever, and print for ever
_POLL = 0.02  # seconds between looks at the program where there is no pidfd
_READ = 64 * 1024


class Command(NamedTuple):
    """What to run: never a shell line, always whole arguments. Times in seconds."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    timeout: float | None = None
    grace: float = 5.0
    keep: int = KEEP
    spill_max: int = SPILL_MAX
    run_id: str = ""  # whose processes they are, to be found where this process is killed
    stdin: bytes = b""
    wall: Wall | None = None
    tap: str = ""  # stands in the last argument for a place that a copy of some output is written to


class Watch(NamedTuple):
    """What of a program its caller looks at while it runs. `started` is called in the program's thread, `tap` takes
    what is written to the place of the command's `tap`.
    """

    stdout: Capture
    stderr: Capture
    started: Callable[[], None] | None = None
    tap: Capture | None = None


class Finished(NamedTuple):
    """How a program ended: with `exit_code`, or by the `signal` of that number; `rung` is the wall around it."""

    exit_code: int
    signal: int
    stopped: Literal["", "timeout", "cancelled"]
    stdout: Captured
    stderr: Captured
    rung: str = ""


class _Stop:
    """Asks the thread to stop its program: once politely, twice at once."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        self.count = 0

    def request(self) -> None:
        self.count += 1
        os.write(self._writer, b".")

    def close(self) -> None:
        os.close(self.reader)
        os.close(self._writer)


async def run_process(command: Command, watch: Watch | None = None) -> Finished:
    """Run a program to its end. Cancelled, it stops the program and everything it started, then re-raises.

    Raises `StartFailed`.
    """
    stop = _Stop()
    outcome = begin(lambda: _Run(command, stop, watch).to_the_end(), f"run {command.argv[0]}")
    try:
        return await asyncio.shield(outcome)
    except asyncio.CancelledError:
        await _stopped(outcome, stop)
        if watch is None and outcome.exception() is None and (spill := outcome.result().stdout.spill):
            spill.unlink(missing_ok=True)
        raise
    finally:
        stop.close()


async def _stopped(outcome: asyncio.Future[Finished], stop: _Stop) -> None:
    """Wait until nothing of the program is left; being cancelled again only makes it quicker."""
    stop.request()
    while not outcome.done():
        try:
            await asyncio.wait((outcome,))
        except asyncio.CancelledError:
            stop.request()
    outcome.exception()  # looked at, so that nobody reports it as lost


class _Run:
    """One program, driven in its thread."""

    def __init__(self, command: Command, stop: _Stop, watch: Watch | None) -> None:
        self.command, self.stop = command, stop
        self.token = f"{command.run_id}/{uuid4().hex}"
        self.stopped: Literal["", "timeout", "cancelled"] = ""
        self.watch = watch or Watch(Capture(command.keep, command.spill_max), Capture(command.keep, 0))
        self.stdout, self.stderr = self.watch.stdout, self.watch.stderr
        self.enclosed = Enclosed(list(command.argv), dict(command.env))
        self.tap: list[int] = list(os.pipe()) if command.tap and self.watch.tap is not None else []  # to read, to write

    def to_the_end(self) -> Finished:
        try:
            return self._finished(self._start())
        finally:
            self.enclosed.close()
            for end in self.tap:
                os.close(end)

    def _finished(self, process: subprocess.Popen[bytes]) -> Finished:
        if self.watch.started is not None:
            self.watch.started()
        assert process.stdout is not None
        assert process.stderr is not None
        streams = {process.stdout.fileno(): self.stdout, process.stderr.fileno(): self.stderr}
        if self.tap and self.watch.tap is not None:
            streams[self.tap[0]] = self.watch.tap
        pidfd = _pidfd(process.pid)
        try:
            self._until_exit(process, streams, pidfd)
            self._drain(streams)
        finally:
            end_survivors(process.pid, self.token, polite=not self.stopped, namespace=self.enclosed.namespace)
            code = process.wait()
            process.stdout.close()
            process.stderr.close()
            if pidfd is not None:
                os.close(pidfd)
        code = self.enclosed.code(code)
        stdout, stderr = self.stdout.finish(), self.stderr.finish()
        return Finished(max(code, 0), max(-code, 0), self.stopped, stdout, stderr, self.enclosed.rung)

    def _start(self) -> subprocess.Popen[bytes]:
        command = self.command
        stdin = _stdin_of(command)
        try:
            env = {**command.env, MARK: self.token}
            argv = self._argv()
            if command.wall is None:
                self.enclosed = Enclosed(argv, env)
            else:
                self.enclosed = enclose(argv, env, command.cwd, command.wall)
            process = subprocess.Popen(  # noqa: S603 - whole arguments, no shell; what may run was decided before
                self.enclosed.argv,
                cwd=command.cwd,
                env=self.enclosed.env,
                pass_fds=(*self.enclosed.fds, *self.tap[1:]),
                stdin=stdin or subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
            self.enclosed.started(process.pid)
            if self.tap:  # its end is the program's alone, so that it ends with it
                os.close(self.tap.pop())
            return process
        except NoWall as error:
            raise StartFailed(str(error)) from error
        except OSError as error:
            raise StartFailed(why_not_started(command.argv[0], command.cwd, error)) from error
        except ValueError as error:  # a NUL or a lone surrogate inside an element
            raise StartFailed(f"an argument of `{command.argv[0]}` can't be passed to a program: {error}") from error
        finally:
            if stdin is not None:
                stdin.close()

    def _argv(self) -> list[str]:
        """The arguments, with the place of the tap as the program can open it (proc(5), `/proc/self/fd`)."""
        argv = list(self.command.argv)
        if self.tap:
            argv[-1] = argv[-1].replace(self.command.tap, f"/dev/fd/{self.tap[1]}")
        return argv

    def _until_exit(self, process: subprocess.Popen[bytes], streams: dict[int, Capture], pidfd: int | None) -> None:
        """Read until the program itself has ended, stopping it when its time is up or somebody asks."""
        command = self.command
        poll = select.poll()
        for fd in (*streams, self.stop.reader, *((pidfd,) if pidfd is not None else ())):
            poll.register(fd, select.POLLIN)
        deadline = time.monotonic() + command.timeout if command.timeout is not None else None
        kill_at: float | None = None
        while not _has_exited(process):
            now = time.monotonic()
            if self.stop.count and not self.stopped:
                self.stopped = "cancelled"
            elif deadline is not None and now >= deadline and not self.stopped:
                self.stopped = "timeout"
            if self.stopped and kill_at is None:
                self._ask_to_end(process.pid)
                kill_at = now + command.grace
                poll.unregister(self.stop.reader)
            if kill_at is not None and (now >= kill_at or self.stop.count > 1):
                _signal_group(process.pid, signal.SIGKILL)
                kill_at = now + 1  # a process in an uninterruptible wait dies when it can
            wake_at = kill_at if kill_at is not None else deadline
            wait = None if wake_at is None else max(0.0, wake_at - now)
            if pidfd is None or kill_at is not None:
                wait = min(_POLL, wait) if wait is not None else _POLL
            for fd, _ in poll.poll(None if wait is None else wait * 1000 + 1):
                if fd in streams and not _read(fd, streams[fd]):
                    poll.unregister(fd)
                    streams.pop(fd)

    def _ask_to_end(self, leader: int) -> None:
        if self.enclosed.has_monitor:  # which would end at once, and its program with it
            signal_others(leader, self.token, signal.SIGTERM)
        else:
            _signal_group(leader, signal.SIGTERM)

    def _drain(self, streams: dict[int, Capture]) -> None:
        """Take what is still in the pipes, without waiting for whoever else holds them."""
        poll = select.poll()
        for fd in streams:
            poll.register(fd, select.POLLIN)
        until = time.monotonic() + _DRAIN
        while streams and time.monotonic() < until:
            ready = poll.poll(_QUIET * 1000)
            if not ready:
                return
            for fd, _ in ready:
                if not _read(fd, streams[fd]):
                    poll.unregister(fd)
                    streams.pop(fd)


def _stdin_of(command: Command) -> IO[bytes] | None:
    """What a program is to read, as a file without a name: a pipe would wait for a program that doesn't read."""
    if not command.stdin:
        return None
    try:
        stdin = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the program has it
        stdin.write(command.stdin)
        stdin.seek(0)
    except OSError as error:
        raise StartFailed(f"the input of `{command.argv[0]}` can't be kept: {error.strerror}") from error
    return stdin


def _read(fd: int, capture: Capture) -> bool:
    """Whether there was anything: nothing means the end of the stream."""
    chunk = os.read(fd, _READ)
    capture.feed(chunk)
    return bool(chunk)


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):  # not Linux, or an old kernel
        return None


def _has_exited(process: subprocess.Popen[bytes]) -> bool:
    """Whether the program has ended. It is not reaped, so that its group keeps its number until all are stopped."""
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # this process ignores its children's ends, so that the system reaped it
        return True


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
