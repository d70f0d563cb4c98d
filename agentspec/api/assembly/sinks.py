"""sinks: where the events and the words of a run go beside its journal, as `observability` says.

Everything here hears what the mask has let through. A file that can't be written is told once, and ends no run.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from agentspec.errors import NotFound
from agentspec.runtime.stream import Listener
from agentspec.spec.settings import Settings
from agentspec.syntax.within import within
from agentspec.syntax.written import TRANSCRIPT, why_not
from agentspec.text.visible import plain_json

Notice = Callable[[str], None]
ADDED = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


def sinks_of(settings: Settings, project: Path, notice: Notice) -> tuple[Listener, ...]:
    """A listener for each of `observability.events`: what is only live (pieces of a reply) goes to none of them."""
    return tuple(
        _sink(given, project, notice) for given in settings.get("observability.events") or () if given != "otel"
    )


def _sink(given: str | dict[str, str], project: Path, notice: Notice) -> Listener:
    if isinstance(given, str):
        return _to_stderr
    return Lines(project, given["jsonl"], notice).hear


def _to_stderr(event: dict[str, Any]) -> None:
    if event["seq"] is not None:
        sys.stderr.write(plain_json(json.dumps(event, default=str)) + "\n")


class Lines:
    """Adds one JSON line an event to a file of the project; runs at once don't mix their lines."""

    def __init__(self, project: Path, name: str, notice: Notice) -> None:
        self._path, self._name, self._notice = within(project, name), name, notice
        self._is_lost = False

    def hear(self, event: dict[str, Any]) -> None:
        if event["seq"] is None or self._is_lost:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, ADDED, 0o600)
            try:
                os.write(descriptor, (json.dumps(event, default=str) + "\n").encode())
            finally:
                os.close(descriptor)
        except OSError as error:
            self._is_lost = True
            self._notice(f"`observability.events`: `{self._name}` can't be written: {error.strerror}; the run goes on")


def write_transcript(
    settings: Settings, project: Path, run_id: str, messages: Iterable[Message], notice: Notice
) -> None:
    """Write the conversation of a run, where `observability.transcript_dir` wants it: one JSON line a message.

    The file has the name of the run, a line the form of `context.history`; a run that goes on writes all of it again.
    """
    folder = settings.text("observability.transcript_dir")
    if folder is None:
        return
    try:
        kept_in = within(project, folder)
        kept_in.mkdir(parents=True, exist_ok=True)
        path = kept_in / f"{run_id}.jsonl"
        why = why_not(path, TRANSCRIPT)
        if why:
            notice(f"`observability.transcript_dir`: {why}; the run goes on")
            return
        descriptor = os.open(path, ADDED | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(msgspec.json.encode(_turn(message)) + b"\n" for message in messages)
    except NotFound as problem:  # a link was put there while the run went on
        notice(f"`observability.transcript_dir`: {problem}; the run goes on")
    except OSError as error:
        notice(f"`observability.transcript_dir`: `{folder}` can't be written: {error.strerror}; the run goes on")


def _turn(message: Message) -> dict[str, Any]:
    match message:
        case SystemMessage(text=text):
            return {"role": "system", "content": text}
        case UserMessage(text=text):
            return {"role": "user", "content": text}
        case ToolMessage(call_id=call_id, name=name, text=text):
            return {"role": "tool_result", "content": text, "call_id": call_id, "name": name}
        case AssistantMessage(text=text, raw=raw, calls=calls):
            said: dict[str, Any] = {"role": "assistant", "content": raw or text}
            return said | ({"tool_calls": msgspec.to_builtins(calls)} if calls else {})
