"""drawn: progress on a terminal: finished turns as lines, the one in flight with a spinner below them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from agentspec.cli.terminal.progress import Counts, describe, ending
from agentspec.runtime.result import Result
from agentspec.text.visible import one_line, visible

ASKED, ANSWERED = ("approval_requested", "question_asked"), ("approval_decided", "question_answered")


class Drawn:
    """Implements `progress.Progress` with rich."""

    def __init__(self, console: Console, status: Status) -> None:
        self.console = console
        self.status = status
        self.counts = Counts()
        self.running: list[str] = []
        self.asked = 0  # questions that stand on the terminal

    def show(self, event: dict[str, Any]) -> None:
        self.counts.take(event)
        line = describe(event, self.counts)
        if line is not None:
            self.say(one_line(line))
        match event["kind"]:
            case "tool_call":
                self.running.append(event["name"])
            case "tool_result" if event["name"] in self.running:
                self.running.remove(event["name"])
            case _:
                pass
        kind = event.get("event", event)["kind"]  # an agent that is called asks as well
        self.asked += (kind in ASKED) - (kind in ANSWERED)
        if self.asked:
            self.status.stop()
            return
        what = ", ".join(dict.fromkeys(self.running)) or "the model"
        self.status.start()  # only now: before it, a question may stand on the terminal
        self.status.update(escape(visible(f"turn {self.counts.turn} · {what} · {self.counts.tokens} tokens")))

    def say(self, line: str) -> None:
        self.console.print(visible(line), markup=False, highlight=False, style="dim")

    def begin(self, turn: int) -> None:
        self.counts.turn = turn

    def end(self, result: Result, way_on: str) -> None:
        self.status.stop()
        style = "green" if result.status == "done" else "red"
        self.console.print(
            visible(ending(result, way_on, self.counts.failure)), markup=False, highlight=False, style=style
        )


@contextmanager
def drawn(stream: IO[str]) -> Iterator[Drawn]:
    console = Console(file=stream, no_color=bool(os.environ.get("NO_COLOR")))
    status = console.status("starting")
    try:
        yield Drawn(console, status)
    finally:
        status.stop()
