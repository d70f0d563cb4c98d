"""lifecycle: the section that says how a run starts, waits and continues.

Only keys, types, limits and documentation; nothing here waits or starts anything.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from agentspec.spec.base import Items, Maybe, Record, Some, key
from agentspec.spec.kinds import Count, Duration, Glob, Line, Mark, PathText, Period, Text, ToolRef, Variable

Carry = Literal["inherit", "fork", "reset", "compact"]


class Hook(Record):
    """A tool call that the runtime makes itself, under the same authority."""

    tool: ToolRef = key("The tool.")
    args: Annotated[dict[str, Any], Mark("templates", place="prompt")] = key("Its arguments.", {})


class Seed(Record):
    """A conversation that a session begins with."""

    jsonl: PathText = key("The file, one JSON line a message.")
    truncate_to_last: Maybe[Count] = key("Only so many messages from the end.", None)
    drop_tool_calls: bool = key("Leave calls and results out.", default=False)


class Session(Record):
    """The conversation that several runs continue."""

    id: Maybe[Text] = key("Its id.", None, shown="a new one")
    carry: Carry = key("What a new run takes from the one before.", "inherit")
    seed: Maybe[Seed] = key("What it begins with.", None)


class Conditions(Record):
    """What ends a wait."""

    some_of = ("trigger", "timeout", "on_event")

    trigger: Maybe[Line | Some[Line]] = key("A trigger from outside.", None)
    timeout: Maybe[Period] = key("Time.", None)
    on_event: Maybe[Line | Some[Line]] = key("An event of the run or its children.", None)


class Suspend(Record):
    """Whether and until when a model may wait."""

    allow: bool = key("Whether the model has the tool that waits.", default=True)
    conditions: Maybe[Conditions] = key("What ends a wait where the model says nothing.", None)


class Daemon(Record):
    """Idle instead of ending."""

    wake_interval: Maybe[Period] = key("Wake up by the clock.", None)
    watch_paths: Maybe[Some[Glob]] = key("Wake up when a file changes.", None)
    queue_capacity: Count = key("Messages and triggers that wait.", 256)
    idle_watchdog_attempts: Maybe[Count] = key("Wake-ups without work after which the run ends.", None)
    consolidate_on_idle: bool = key("Compact the conversation before idling.", default=False)


class Worktree(Record):
    """A copy of a repository for each worker."""

    repo: PathText = key("The repository.", ".")
    branch: Maybe[Line] = key("The branch that is checked out.", None, shown="a new one")
    cleanup: bool = key("Whether it is removed at the end.", default=True)


class CarryOver(Record):
    """What a worker takes along, spelled out."""

    transcript: Carry = key("What it takes of the conversation.", "reset")
    artifacts: Literal["none", "inherit", "copy"] = key("What it takes of the artifacts.", "none")


class Workers(Record):
    """Background sub-agents."""

    max: Count = key("Workers at a time.", 4)
    worktree: bool | Worktree = key("Whether each has its own copy of the repository.", default=False)
    carry: Carry | CarryOver = key("What a worker takes along.", "reset")
    cwd: Maybe[PathText] = key("Where workers start.", None, shown="the project folder")
    env: Items[Variable] = key("Environment variables that workers see.", [])
    resume_when: Maybe[Conditions] = key("What wakes a paused worker.", None)
    continue_transcript: bool = key("Whether a resumed worker goes on with its conversation.", default=True)


class Lifecycle(Record):
    """How it starts, waits, continues."""

    session: Session = key("The conversation that several runs continue.", {})
    suspend: bool | Suspend = key("Whether a model may wait for something.", default=True)
    daemon: bool | Daemon = key("Idle instead of ending.", default=False)
    workers: Maybe[Workers] = key("Background sub-agents.", None)
    on_start: Items[Hook] = key("Tool calls before the first turn.", [])
    on_end: Items[Hook] = key("Tool calls after the last turn.", [])
    grace: Duration = key("Time between the polite and the hard stop of running tools.", "5s")
