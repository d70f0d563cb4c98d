"""running: what `run` and `resume` share: signals, progress, the result on stdout, the exit code."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from agentspec.api.run import Running
from agentspec.api.workspace import Workspace, workspace
from agentspec.cli.progress import Progress, progress_for
from agentspec.runtime.result import Result

EXIT_CODES = {"done": 0, "suspended": 3}
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143}


class Outputs:
    """Where things go: the answer to stdout, events to their file, the rest to stderr."""

    def __init__(self, *, as_json: bool, events: IO[str] | None, progress: Progress) -> None:
        self.as_json = as_json
        self.events = events
        self.progress = progress

    def on_event(self, event: dict[str, Any]) -> None:
        if self.events is not None:
            self.events.write(json.dumps(event, ensure_ascii=False, default=str) + "\n")
            self.events.flush()
        self.progress.show(event)

    def notice(self, line: str) -> None:
        self.progress.say(line)


@contextmanager
def outputs(*, as_json: bool, events: str | None, quiet: bool) -> Iterator[Outputs]:
    """Open what a run writes to. `--json` and `--events -` would both want stdout."""
    if as_json and events == "-":
        raise click.UsageError("`--json` and `--events -` both write to standard output: give `--events` a file")
    with progress_for(sys.stderr, quiet=quiet) as progress:
        if events is None or events == "-":
            yield Outputs(as_json=as_json, events=sys.stdout if events else None, progress=progress)
            return
        with Path(events).open("w", encoding="utf-8") as file:
            yield Outputs(as_json=as_json, events=file, progress=progress)


def finish(prepare: Callable[[Workspace], Running], out: Outputs) -> int:
    """Drive a run to its end, print its result, and say by the exit code how it ended."""
    result, stopped_by = asyncio.run(_drive(prepare))
    if out.as_json:
        print(json.dumps(result.as_json(), ensure_ascii=False, indent=2))
    elif out.events is not sys.stdout and result.text:
        print(result.text)
    out.progress.end(result)
    if result.status == "interrupted":
        return SIGNALS[stopped_by or signal.SIGINT]
    return EXIT_CODES.get(result.status, 1)


async def _drive(prepare: Callable[[Workspace], Running]) -> tuple[Result, signal.Signals | None]:
    received: list[signal.Signals] = []
    async with workspace() as shared:
        running = prepare(shared)
        loop = asyncio.get_running_loop()

        def stop(number: signal.Signals) -> None:
            received.append(number)
            running.abort("signal")

        for number in SIGNALS:
            loop.add_signal_handler(number, stop, number)
        try:
            result = await running.go()
        finally:
            for number in SIGNALS:
                loop.remove_signal_handler(number)
        return result, received[0] if received else None
