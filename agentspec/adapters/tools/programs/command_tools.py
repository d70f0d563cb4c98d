"""command_tools: what the tools of the toolkit `command` do with one call."""

from __future__ import annotations

import functools
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.adapters.tools.files.beneath import Beneath, Refused
from agentspec.adapters.tools.files.tool import failed
from agentspec.adapters.tools.kit import Tell
from agentspec.adapters.tools.programs.allowed import Allowed, NotAllowedHere
from agentspec.adapters.tools.programs.job_report import Shown, ending, facts_of, part, report, state_of
from agentspec.adapters.tools.programs.jobs import Job, Jobs, TooMany
from agentspec.adapters.tools.programs.process import Command
from agentspec.adapters.tools.sandbox.wall import Wall
from agentspec.core.commands.tap import tapped
from agentspec.ports import Invocation, Output

_TAIL = 8 * 1024
_SHELL = "/bin/sh"
_KEEP = 64 * 1024
MOST_SECONDS = 7 * 24 * 3600


class Progress(NamedTuple):
    """How a running command is told of: how often, in seconds, with how much of its output, and to whom."""

    every: float
    most: int
    tell: Tell


class World(NamedTuple):
    """What the tools of one run share."""

    beneath: Beneath
    allowed: Allowed
    jobs: Jobs
    shown: Shown
    env: Mapping[str, str]
    timeout: float
    grace: float
    background_after: float | None
    wall: Wall | None = None
    keeps_unfiltered: bool = True
    progress: Progress | None = None


Do = Callable[[World, Invocation], Awaitable[Output]]


class CommandTool:
    """One tool: `do` answers a call; what it may not do becomes an error for the model."""

    def __init__(self, do: Do, world: World) -> None:
        self._do, self._world = do, world

    async def call(self, invocation: Invocation) -> Output:
        try:
            return await self._do(self._world, invocation)
        except Refused as refusal:
            return failed(refusal.category, str(refusal))
        except NotAllowedHere as refusal:
            return failed("denied", str(refusal))
        except TooMany:
            return failed("busy", "too many commands run already; wait for one to end, or cancel one")

    async def close(self) -> None:
        await self._world.jobs.close()


async def run_command(world: World, invocation: Invocation) -> Output:
    """Run a program to its end, or leave it running behind."""
    command = _command(world, invocation)
    job = world.jobs.start(command, invocation.key)
    if world.progress is not None:
        job.report(world.progress.every, functools.partial(_tell, world.progress, invocation))
    if invocation.arguments.get("background"):
        await job.started()
    else:
        await job.wait(world.background_after)
    return report(job, world.shown)


def _tell(progress: Progress, invocation: Invocation, job: Job) -> None:
    said = ending(job.stdout if job.stdout.size else job.stderr, progress.most) if progress.most else ""
    about = {"call_id": invocation.call_id, "name": invocation.name}
    progress.tell("progress_reported", {**about, **facts_of(job), "seconds": round(job.seconds, 1), "text": said})


async def read_command_output(world: World, invocation: Invocation) -> Output:
    """A stretch of what a command has printed."""
    job = _job(world, invocation)
    stream, offset = invocation.arguments.get("stream") or "stdout", invocation.arguments.get("offset") or 0
    length = min(invocation.arguments.get("length") or world.shown.most, world.shown.most)
    capture = job.stream(stream)
    text, end = part(capture, offset, length)
    more = f"; go on with `offset: {end}`" if end < capture.size or job.is_running else ""
    return _with_note(job, text, f"bytes {offset} to {end} of {capture.size} on {stream}{more}", {"next_offset": end})


async def read_command_output_tail(world: World, invocation: Invocation) -> Output:
    """The end of what a command has printed."""
    job = _job(world, invocation)
    stream = invocation.arguments.get("stream") or "stdout"
    length = min(invocation.arguments.get("bytes") or _TAIL, world.shown.most)
    text = ending(job.stream(stream), length)
    return _with_note(job, text, f"the end of {job.stream(stream).size} bytes on {stream}", {})


async def cancel_command(world: World, invocation: Invocation) -> Output:
    """A command that doesn't run any more."""
    job = _job(world, invocation)
    was_running = job.is_running
    await job.cancel()
    words = f"`{job.name}` was stopped" if was_running else f"`{job.name}` had ended before: {state_of(job)}"
    return Output(text=words, data=facts_of(job))


def _command(world: World, invocation: Invocation) -> Command:
    """The command that a call means, if it may run. Raises `Refused` and `NotAllowedHere`."""
    arguments = invocation.arguments
    cwd = _folder(world.beneath, arguments.get("cwd") or ".")
    tap = ""
    match arguments.get("argv"), arguments.get("line"):
        case [str(program), *_] as argv, None if program:
            whole = world.allowed.admit(argv, cwd)
        case None, str(line) if line.strip():
            world.allowed.admit_line(line, cwd)
            tap = f"@{invocation.key}@"
            kept = tapped(line, tap) if world.keeps_unfiltered else None
            tap = tap if kept is not None else ""
            whole = [_SHELL, "-c", line if kept is None else kept.line]
        case _:
            raise Refused("arguments", "no program is named: give its name and its arguments as `argv`")
    return Command(
        argv=whole,
        cwd=cwd,
        env=world.env,
        timeout=_limit(world, arguments),
        grace=world.grace,
        keep=max(world.shown.most, _KEEP),
        run_id=str(invocation.run.get("id", "")),
        wall=world.wall,
        stdin=str(arguments.get("stdin") or "").encode("utf-8", "replace"),
        tap=tap,
    )


def _folder(beneath: Beneath, path: str) -> Path:
    with beneath.folder(path) as folder:
        return beneath.root / os.path.relpath(folder.real, os.path.realpath(beneath.root))


def _limit(world: World, arguments: Mapping[str, Any]) -> float | None:
    """Seconds that a command may take: what the model asks for, within what the spec allows, but none behind."""
    wanted = arguments.get("timeout")
    if arguments.get("background") or world.background_after is not None:
        return min(float(wanted), MOST_SECONDS) if wanted else None
    return min(float(wanted), world.timeout) if wanted else world.timeout


def _with_note(job: Job, text: str, note: str, facts: Mapping[str, Any]) -> Output:
    newline = "" if not text or text.endswith("\n") else "\n"
    return Output(text=f"{text}{newline}[`{job.name}`: {state_of(job)}; {note}]", data={**facts_of(job), **facts})


def _job(world: World, invocation: Invocation) -> Job:
    name = str(invocation.arguments["id"])
    job = world.jobs.find(name)
    if job is None:
        known = ", ".join(f"`{each}`" for each in world.jobs.names[-10:])
        there = f"; there are {known}" if known else ""
        raise Refused("not_found", f"there is no command `{name}`{there} (none outlives the process of its run)")
    return job
