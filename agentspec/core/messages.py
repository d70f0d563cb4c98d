"""messages: what a conversation is made of, and what models and tools answer.

The transcript only grows: nothing here is ever changed or removed.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from agentspec.core.record import Record

ToolStatus = Literal[
    "ok",
    "error",
    "invalid_arguments",
    "unknown_tool",
    "denied",
    "timeout",
    "cancelled",
    "skipped",
    "deferred",
    "unknown_outcome",
]
ProviderStatus = Literal["ok", "error", "open"]
Finish = Literal["stop", "tool_calls", "length", "content_filter", "refusal", "pause", "other"]
FailureClass = Literal[
    "auth",
    "rate_limited",
    "timeout",
    "server_error",
    "invalid_request",
    "content_filter",
    "connection",
    "bad_response",
    "circuit_open",
    "context_overflow",
]


class ToolCall(Record, frozen=True):
    """One tool call that a model asked for; `arguments` is the text exactly as it came."""

    id: str
    name: str
    arguments: str


class Usage(Record, frozen=True):
    """Tokens of one model call; `estimated` where the provider did not report them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False
    cache_write_tokens: int = 0  # of the input, where a provider charges more for what it puts into its cache


class ProviderCall(Record, frozen=True):
    """One call of a tool that the provider itself ran while it answered: it passed no gate of ours.

    `status` is `open` where the answer ended before the result came. `found` are the tools that a search has loaded.
    """

    name: str
    id: str = ""
    arguments: Any = None
    status: ProviderStatus = "ok"
    found: tuple[str, ...] = ()


class Mirrored(Record, frozen=True):
    """What a second model said to the same request, for comparison; `error` is the class of its failure."""

    provider: str
    model: str
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    ms: int = 0
    error: str = ""
    message: str = ""


class Reply(Record, frozen=True):
    """What a model answered, normalised: ids unique and non-empty, names non-blank, calls in order.

    `extra` holds what only the provider that made it understands (reasoning items, signatures), to be sent back
    unchanged to `origin` and to no other. `finish_text` keeps the provider's own word; `is_complete` is whether that
    word said that nothing is missing, and only then may the form of a call be mended. `lost` tells in words which calls
    came unusable and are not among `calls`.

    `text` is what a person may see. Where the model wrote more than that (calls in text, a sentinel), `raw` is all of
    it, to be shown to the model again; `is_from_text` says that the calls were read out of it.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    finish_text: str = ""
    is_complete: bool = True
    usage: Usage = Usage()
    model: str = ""
    provider: str = ""
    request_id: str = ""
    reasoning: str = ""
    extra: dict[str, Any] = {}
    origin: str = ""
    lost: tuple[str, ...] = ()
    request_hash: str = ""  # which bytes were asked
    prefix_share: float = 0.0  # of the bytes of the request before, up to its harness: what this one begins with
    prefix_bytes: int = 0  # how many those are; 0 where it was the first
    raw: str = ""
    is_from_text: bool = False
    has_sentinel: bool = False
    is_unsent: bool = False  # nobody was asked: the answer was kept
    mirrored: Mirrored | None = None
    waited_ms: int = 0  # before the call was made, for a rate
    held_ms: int = 0  # the longest time in which the code of a plug-in let nothing else run, where it was long
    provider_calls: tuple[ProviderCall, ...] = ()


class Failure(Record, frozen=True):
    """Why a model call gave no answer. `message` is already redacted; `retry_after` in seconds."""

    category: FailureClass
    message: str
    retryable: bool = False
    http_status: int | None = None
    retry_after: float | None = None
    provider: str = ""
    model: str = ""
    request_id: str = ""
    text: str = ""  # visible text that came before the failure, never an answer
    usage: Usage = Usage()  # what it cost all the same, where the provider said so
    limit: str = ""  # the pot, shared with other runs, that had too little left for the call: then it is unsent
    request_hash: str = ""
    prefix_share: float = 0.0
    prefix_bytes: int = 0
    is_unsent: bool = False  # nobody was asked: the model is left alone for a while
    waited_ms: int = 0
    held_ms: int = 0


class Used(Record, frozen=True):
    """What the run of an agent used that a tool call has run: `cost_usd` is None where nobody knows a price."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False
    cost_usd: float | None = None
    provider_calls: int = 0
    judge_calls: int = 0
    tool_calls: int = 0


class ToolError(Record, frozen=True):
    """Why a tool call failed, in a form that the model and a program can read."""

    category: str
    message: str
    retryable: bool = False


MEDIA_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")  # of images that every provider takes


class Picture(Record, frozen=True):
    """An image, by the SHA-256 of the bytes that are kept of it: messages and journals hold its name."""

    artifact: str
    media_type: str
    size: int


class ToolResult(Record, frozen=True):
    """The envelope of one tool call. Only `text` is shown to the model."""

    name: str
    call_id: str
    status: ToolStatus = "ok"
    text: str = ""
    arguments: Any = None
    data: Any = None
    error: ToolError | None = None
    effect: str = "none"
    duration_ms: int = 0
    truncated: bool = False
    full_bytes: int = 0
    artifact: str | None = None
    digest: str = ""  # of the full text, before it was capped
    used: Used | None = None  # by the run of an agent
    pictures: tuple[Picture, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the call did what it was asked to."""
        return self.status == "ok"


class SystemMessage(Record, frozen=True, tag_field="role", tag="system"):
    """What the model is told before all else."""

    text: str


class UserMessage(Record, frozen=True, tag_field="role", tag="user"):
    """What the person, or the runtime in their place, says."""

    text: str
    pictures: tuple[Picture, ...] = ()


class AssistantMessage(Record, frozen=True, tag_field="role", tag="assistant"):
    """What the model said. `raw` is all that it wrote, where that is more than `text` shows to a person."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    extra: dict[str, Any] = {}
    origin: str = ""
    raw: str = ""


class ToolMessage(Record, frozen=True, tag_field="role", tag="tool"):
    """The result of the call with this id."""

    call_id: str
    name: str
    text: str
    status: ToolStatus = "ok"
    pictures: tuple[Picture, ...] = ()


PICTURED = (ToolMessage, UserMessage)  # the messages that may hold images
Message: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolMessage
