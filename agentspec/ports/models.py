"""models: who answers in a run, and what they are asked. No code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Protocol

from agentspec.compose.provider_tools import ProviderTool
from agentspec.core.messages import Failure, Reply
from agentspec.core.record import Record
from agentspec.core.transcript import Transcript
from agentspec.ports.stores import Artifacts

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
