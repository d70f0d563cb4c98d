"""tools: what a model may call, what a call is, and what it brings back. No code."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from agentspec.core.messages import Picture, ToolError, ToolResult, Used
from agentspec.core.record import Record


class Output(Record, frozen=True):
    """What a tool brought back, before it is capped: `text` for the model, `data` for programs.

    `overflow` is a file with the whole output where it was too large to keep in memory (`text` then holds its head
    and tail, and `full_bytes` its size); the caller takes the file over.

    `pictures` are images among its artifacts that the model is shown with the text.

    `used` is what the run of another agent has used. A tool that is `waiting` has asked somebody who is not there:
    `data` lists what it asks, as mappings with `call_id` and `what`. The run is suspended, and the same call is made
    again when it goes on.
    """

    text: str = ""
    data: Any = None
    error: ToolError | None = None
    status: Literal["ok", "error", "denied", "timeout", "cancelled", "waiting"] = "ok"
    overflow: Path | None = None
    full_bytes: int = 0
    used: Used | None = None
    pictures: tuple[Picture, ...] = ()


class Invocation(Record, frozen=True):
    """One call of a tool with arguments that have passed every gate."""

    name: str
    call_id: str
    arguments: dict[str, Any]
    key: str  # idempotency key: the same when a run is resumed, another for a call that the model really made again
    run: dict[str, Any] = {}  # the `run.*` names of expressions
    inputs: dict[str, Any] = {}
    at: float = 0.0  # when it is made, in seconds since the epoch
    identity: dict[str, Any] = {}  # who the run acts for: `user`, `roles`, `tenant`


class Tool(Protocol):
    """Something a model may call."""

    async def call(self, invocation: Invocation) -> Output:
        """Do it once. A failure is an `Output` with an error, never an exception."""
        ...

    async def close(self) -> None:
        """The run is over: stop what is still going on."""
        ...


@runtime_checkable
class Instant(Protocol):
    """A tool that only computes: it waits for nothing and touches nothing, so its answer needs no task of its own."""

    def compute(self, invocation: Invocation) -> Output:
        """What `call` gives."""
        ...


@runtime_checkable
class Restorable(Protocol):
    """A tool that remembers its calls of this run, and nothing else."""

    def restore(self, result: ToolResult) -> None:
        """Take in a call of the journal, in the order of the journal, before the run goes on."""
        ...
