"""ports: what a run needs from the outside, as Protocols. No code.

An adapter never lets a library's exception out: the world's failures are values (`Failure`, `Output` with an error).
Cancellation is asyncio's own: an adapter cleans up in `finally` and re-raises `CancelledError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from agentspec.compose.provider_tools import ProviderTool
from agentspec.core.messages import (
    AssistantMessage,
    Failure,
    Picture,
    Reply,
    SystemMessage,
    ToolCall,
    ToolError,
    ToolMessage,
    ToolResult,
    Usage,
    Used,
    UserMessage,
)
from agentspec.core.record import Record
from agentspec.core.transcript import Transcript

__all__ = [
    "Artifacts",
    "AssistantMessage",
    "Clock",
    "Delta",
    "Failure",
    "Instant",
    "Invocation",
    "Journal",
    "JournalRecord",
    "Model",
    "ModelRequest",
    "ModelSettings",
    "Output",
    "Picture",
    "Provider",
    "ProviderTool",
    "Reply",
    "Respondent",
    "Restorable",
    "SystemMessage",
    "Tool",
    "ToolCall",
    "ToolError",
    "ToolMessage",
    "ToolResult",
    "ToolSchema",
    "Transcript",
    "Usage",
    "UserMessage",
]


MAX_ANSWER = 16 << 20  # bytes of an answer that are held; the longest real ones have less than a tenth


class ToolSchema(Record, frozen=True):
    """A tool as the model sees it; `parameters` is a JSON Schema 2020-12 object schema.

    One that `is_deferred` is loaded when the provider's own search has found it; `namespace` is its group there. A
    provider without a search shows it like the others.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    is_deferred: bool = False
    namespace: str = ""


class ModelSettings(Record, frozen=True):
    """What a spec says about the model of one route. Durations in seconds; `stream` None is the author's `auto`:
    streamed where somebody listens. No key stands in here: `api_key_env` is the variable that holds it.

    `sampling` holds `temperature`, `top_p`, `seed`, `stop`, … exactly as they go out; `options` is passed through and
    wins over everything that is set here. `idle_timeout` is for streams, `first_byte_timeout` (None: only `timeout`
    counts) for the wait until the server begins to answer; an answer over `max_bytes` is refused.
    """

    provider: str = ""
    model: str = ""
    base_url: str | None = None
    api_key_env: str | None = None
    headers: dict[str, str] = {}
    options: dict[str, Any] = {}
    sampling: dict[str, Any] = {}
    reasoning: Any = None  # as a spec has it
    # Of the model, where its own provider serves it.
    is_known_to_think: bool = False
    longest_answer: int | None = None
    timeout: float = 120.0
    idle_timeout: float = 60.0
    connect_timeout: float = 10.0
    first_byte_timeout: float | None = None
    max_bytes: int = MAX_ANSWER
    context_window: int | None = None  # where the author says it: what a local model is loaded with
    stream: bool | None = None
    cache_ttl: str | None = "5m"  # how long a provider that is told so keeps a prompt; None: it is told nothing


class ModelRequest(Record, frozen=True):
    """One call of a model: constant things first, then the transcript, then what varies by turn.

    The transcript only grows between requests of one run, so an adapter may keep the bytes of messages that it has
    already encoded (`Transcript.is_extension_of`). `harness` is one further message at the very end that is not part
    of the transcript. `role` tells what the call is for, `format` how tools are offered and calls are written, and
    `schema` is the JSON Schema of the whole answer, for those who can hold a model to it, and `exact_schema` a narrower
    one, for those who can hold it to a union of objects as well. `options` are provider options of this call alone.
    `allowed` are the tools that may be called, where a provider can be told so without a change of what stands before.
    `search` is how the provider is to find tools that are deferred; empty: none are. `provider_tools` are those that
    the provider may run itself. `route` is the number of the way that is to answer, for those that know several.
    `begun` is the beginning of the answer, for those who are known to go on with it: their reply has it as well.
    """

    transcript: Transcript
    tools: tuple[ToolSchema, ...] = ()
    harness: str | None = None
    max_output_tokens: int | None = None
    tool_choice: str | None = None
    format: Literal["native", "json", "text"] = "native"
    is_constrained: bool = True
    schema: dict[str, Any] | None = None
    exact_schema: dict[str, Any] | None = None
    options: dict[str, Any] = {}
    allowed: tuple[str, ...] | None = None
    search: str = ""
    provider_tools: tuple[ProviderTool, ...] = ()
    role: Literal["worker", "judge", "summary", "repair"] = "worker"
    deadline: float | None = None  # seconds that are left for the whole call
    artifacts: Artifacts | None = None  # what keeps the images of the conversation, and those of the answer
    route: int = 0
    is_mirrored: bool = False  # a second model is asked the same, by those that know one
    begun: str = ""


class Delta(Record, frozen=True):
    """A piece of a reply while it streams; live only, never journaled."""

    kind: Literal["text_delta", "tool_call_delta", "reasoning_delta", "restart"]
    text: str = ""
    index: int = 0
    name: str = ""


class Model(Protocol):
    """Someone who answers. One instance serves one run; what is shared (connections) lives behind it."""

    provider: str
    name: str

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        """Make exactly one physical call: no retries in here."""
        ...

    async def close(self) -> None:
        """The run is over: give back what belongs to it alone."""
        ...


class Provider(Protocol):
    """What an installed package offers under the entry point `agentspec.providers`: it makes the model of a run."""

    def __call__(self, settings: ModelSettings, project: Path) -> Model:
        """A model for one run; relative paths of the spec begin at `project`.

        Raises `agentspec.Unavailable` where something is missing that the person can get (a key, a file), and
        `agentspec.SpecInvalid` for settings that can't be meant.
        """
        ...


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
    status: Literal["ok", "error", "timeout", "cancelled", "waiting"] = "ok"
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


class Respondent(Protocol):
    """Someone who answers a policy's question and is no model: a command, the workspace, a hook, a person."""

    async def answer(self, question: Any) -> Any:
        """The answer as plain JSON values. What goes wrong in the world is an answer too, never an exception."""
        ...


class Clock(Protocol):
    """Time, from outside: `now` is seconds since the epoch, `elapsed` never goes backwards."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def elapsed(self) -> float:
        """Seconds since some moment; never goes backwards."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Come back after so many seconds."""
        ...


class Artifacts(Protocol):
    """Large outputs by the SHA-256 of their bytes."""

    def put(self, data: bytes | Path) -> str:
        """Keep bytes, or take over a file; gives its name, the same for the same bytes."""
        ...

    def read(self, artifact: str, offset: int, length: int) -> bytes:
        """At most `length` bytes of it, from `offset` on. Raises `NotFound` where there is no such artifact."""
        ...

    def size(self, artifact: str) -> int:
        """Its bytes. Raises `NotFound` where there is no such artifact."""
        ...


class JournalRecord(Record, frozen=True):
    """One line of a journal: `seq` counts from 1 without gaps within a run."""

    seq: int
    kind: str
    at: float
    body: bytes


class Journal(Protocol):
    """The append-only record of one run, held under a lease by one process."""

    run_id: str

    def append(
        self,
        records: Sequence[tuple[str, float, bytes]],
        *,
        barrier: bool,
        line: Mapping[str, Any] | None = None,
    ) -> int:
        """Append `(kind, at, body)` records atomically and return the last `seq`.

        With `barrier` they are durable on return; else they are in the store at the latest when `flush` returns, and
        nothing may act on them before.

        `line` is what the run's line in `runs` says from then on, as in `describe`: both change together or not at all.
        Raises `JournalError` (the store failed) or its child `LeaseLost` (another process drives the run now).
        """
        ...

    async def flush(self, *, durable: bool) -> None:
        """Return when everything appended is in the store, and with `durable` on the disk; raises `JournalError`.

        Those who wait at once share one commit and one sync.
        """
        ...

    def check_lease(self) -> None:
        """Raise `LeaseLost` unless this process still holds the run; asked right before an external effect."""
        ...

    def read(self) -> list[JournalRecord]:
        """All records of the run, in their order."""
        ...

    def describe(self, fields: Mapping[str, Any]) -> None:
        """Update the run's line in `runs` (status, stop_reason, finished_at, llm, …)."""
        ...

    def close(self) -> None:
        """Give the lease back; what was appended stays."""
        ...
