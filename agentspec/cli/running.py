"""running: what `run` and `resume` share: signals, progress, the result on stdout, the exit code."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import IO, Any

import click

from agentspec.api.running import Running
from agentspec.api.workspace import Workspace, workspace
from agentspec.cli.terminal.progress import Lines, Progress, Quiet
from agentspec.cli.terminal.say import complain, print_json, print_text
from agentspec.cli.terminal.signals import Signals
from agentspec.compose.project import project_folder, state_folder
from agentspec.errors import JournalError
from agentspec.runtime.result import Result
from agentspec.syntax.written import EVENTS, why_not
from agentspec.text.paths import is_there
from agentspec.text.visible import plain_json

EXIT_CODES = {"done": 0, "suspended": 3}


class Outputs:
    """Where things go: the answer to stdout, events to their file, the rest to stderr."""

    def __init__(self, *, as_json: bool, events: IO[str] | None, progress: Progress, signals: Signals) -> None:
        self.as_json = as_json
        self.events = events
        self.shows_text = events is not sys.stdout and not as_json
        self.progress = progress
        self.signals = signals
        self.has_begun = False

    def on_event(self, event: dict[str, Any]) -> None:
        if self.events is not None:
            self._write(self.events, event)
        try:
            self.progress.show(event)
        except OSError:  # whoever read standard error has gone; the run is not theirs to end
            self.progress = Quiet(sys.stderr)

    def _write(self, events: IO[str], event: dict[str, Any]) -> None:
        """A run is not lost because its events can't be written any more: that is said, and the run goes on."""
        line = plain_json(json.dumps(event, ensure_ascii=events.isatty(), default=str))
        try:
            if not self.has_begun and events is not sys.stdout:
                with suppress(OSError):  # a pipe or a device has nothing to replace
                    events.truncate(0)  # what stood there before is replaced only when a run has really begun
            self.has_begun = True
            events.write(line + "\n")
            events.flush()
        except OSError as error:
            self.events = None
            self.notice(f"the events are not written any more: {error.strerror}")

    def notice(self, line: str) -> None:
        self.progress.say(line)


@contextmanager
def outputs(*, as_json: bool, events: str | None, quiet: bool, goes_on: bool = False) -> Iterator[Outputs]:
    """Open what a run writes to. `--json` and `--events -` would both want stdout.

    Where a run `goes_on`, its events go on in their file.
    """
    if as_json and events == "-":
        raise click.UsageError("`--json` and `--events -` both write to standard output: give `--events` a file")
    with Signals().heard() as signals, progress_for(sys.stderr, quiet=quiet) as progress:
        if events is None or events == "-":
            yield Outputs(as_json=as_json, events=sys.stdout if events else None, progress=progress, signals=signals)
            return
        path = Path(events)
        why = why_not(path, EVENTS)
        if why:
            raise click.UsageError(f"`--events`: {why}")
        was_there = is_there(path)
        with _opened(path) as file:
            out = Outputs(as_json=as_json, events=file, progress=progress, signals=signals)
            out.has_begun = goes_on
            try:
                yield out
            finally:
                if not (out.has_begun or was_there):
                    path.unlink(missing_ok=True)  # nothing was started


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    try:
        file = path.open("a", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise click.UsageError(f"`--events`: can't write `{path}`: {error.strerror}") from None
    try:
        yield file
    finally:
        with suppress(OSError):  # what could not be written has been said
            file.close()


def finish(prepare: Callable[[Workspace], Awaitable[Running]], out: Outputs) -> int:
    """Drive a run to its end, print its result, and say by the exit code how it ended."""
    if out.signals.received:
        complain("stopped by a signal; nothing was started")
        return out.signals.exit_code
    made: list[Running] = []
    try:
        with redirect_stdout(sys.stderr):  # a function of the author's may print: that is no answer
            result = asyncio.run(_drive(prepare, out, made))
    except JournalError as error:
        if not made:
            raise
        return _stranded(error, made[0], out)
    if out.as_json:
        print_json(result.as_json())
    elif out.shows_text and result.text:
        _print_text(result)
    out.progress.end(result, way_on(made[0]))
    sys.stdout.flush()
    if result.status == "interrupted":
        return out.signals.exit_code
    return EXIT_CODES.get(result.status, 1)


def _print_text(result: Result) -> None:
    """The answer to stdout; what came before a model failed is none."""
    if result.status == "provider_error":
        complain(f"what was said before it failed, which is no answer:\n{result.text}")
    else:
        print_text(result.text)


def way_on(running: Running) -> str:
    """The command that goes on with a run from the working directory."""
    kept_in = running.kept_in
    command = f"agentspec resume {running.run_id}"
    try:
        here = Path.cwd()
    except OSError:  # it was deleted meanwhile
        return f"{command} --store {shlex.quote(str(kept_in))}"
    if kept_in == state_folder(project_folder(here)):
        return command
    shown = kept_in.relative_to(here) if kept_in.is_relative_to(here) else kept_in
    return f"{command} --store {shlex.quote(str(shown))}"


def _stranded(error: JournalError, running: Running, out: Outputs) -> int:
    """The store failed while the run went on: nothing was done that is not in it, and it can be gone on with."""
    if out.as_json:
        told = {"category": "error", "reason": "store_failed", "message": str(error), "run_id": running.run_id}
        print_json({"error": told, "diagnostics": []})
    complain(str(error), f"the run stopped; go on with: {way_on(running)}")
    return 1


async def _drive(prepare: Callable[[Workspace], Awaitable[Running]], out: Outputs, made: list[Running]) -> Result:
    async with workspace() as shared:
        running = await prepare(shared)
        made.append(running)
        out.progress.begin(running.state.facts.iteration)
        out.signals.stop(running)
        return await running.go()


@contextmanager
def progress_for(stream: IO[str], *, quiet: bool) -> Iterator[Progress]:
    """The progress that fits a stream: drawn on a terminal, lines elsewhere."""
    if quiet:
        yield Quiet(stream)
    elif stream.isatty() and os.environ.get("TERM") != "dumb":
        from agentspec.cli.terminal.drawn import drawn  # noqa: PLC0415 - rich is loaded on a terminal only

        with drawn(stream) as progress:
            yield progress
    else:
        yield Lines(stream)
