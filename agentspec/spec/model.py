"""model: the section that says who answers.

Only keys, types, limits and documentation; what a key does stands with the adapters and policies that act on it.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from agentspec.spec.base import Items, Maybe, Record, Some, key
from agentspec.spec.kinds import (
    Address,
    Count,
    Duration,
    Expression,
    Free,
    HeaderName,
    HeaderText,
    Line,
    Mark,
    No,
    Period,
    ProviderRef,
    Python,
    Share,
    ToolRef,
    Variable,
)
from agentspec.spec.prices import Prices

Effort = Literal["auto", "off", "minimal", "low", "medium", "high", "max"]
ToolFormat = Literal["auto", "native", "json", "text"]
Temperature = Annotated[float, Field(ge=0, le=2)]
TopP = Annotated[float, Field(gt=0, le=1)]
Stop = Annotated[str, Field(min_length=1)]
Stops = Some[Stop]
SECTION = "the section's"


class Reasoning(Record):
    """How much the model thinks before it answers, in the provider's own terms where it has them."""

    policy: Effort = key("How hard to think; `auto` leaves it to the task.", "auto")
    scale: Literal["small", "medium", "large"] = key("How large the thinking budget of a level is.", "small")
    task: Maybe[Literal["agent", "code", "verify", "summarize"]] = key("What the thinking is for.", None)


class Retry(Record):
    """How transient failures of a provider are tried again."""

    max_attempts: Count = key("Attempts of one call, the first included.", 3)
    base: Duration = key("The wait after the first failure; it doubles from there.", "500ms")
    max: Duration = key("The longest wait that doubling leads to.", "30s")
    max_wait: Duration = key("A server's own `Retry-After` above this ends the route at once.", "120s")
    jitter: bool = key("Spread the waits so that many runs do not come back together.", default=True)


class CircuitBreaker(Record):
    """When a route is left alone for a while."""

    threshold: Count = key("Failures in a row that open the circuit.", 5)
    reset: Period = key("How long it stays open.", "30s")


class RateLimit(Record):
    """How fast a provider may be called, by all runs of a process together."""

    requests_per_minute: Maybe[Count] = key("Calls in a minute.", None)
    tokens_per_minute: Maybe[Count] = key("Tokens in a minute, input and output.", None)
    concurrency: Maybe[Count] = key("Calls in flight at a time.", None)


class PromptCache(Record):
    """Provider prompt caching, spelled out."""

    ttl: Literal["5m", "1h"] = key("How long the provider keeps a prefix.", "5m")


class Shadow(Record):
    """A second model that is asked the same for comparison; its answers are recorded and never used."""

    provider: Maybe[ProviderRef] = key("Who is asked.", None, shown="the run's provider")
    model: Line = key("The model that is asked.")
    sample: Share = key("The share of calls that is mirrored.", 1)
    prices: Maybe[Prices] = key("What it costs, for a model the catalogue lacks.", None, shown="the catalogue's")


class OneTool(Record):
    """The model must call this tool."""

    tool: ToolRef = key("The tool.")


class Call(Record):
    """The settings of one call; a route has the keys of the section, and takes over what it does not say itself."""

    not_both: ClassVar[tuple[tuple[str, str], ...]] = (("model", "ladder"),)

    provider: Maybe[ProviderRef] = key(
        "Who answers: `openai`, `openai_responses`, `anthropic`, `google`, `ollama`, `process`, `local`, `script`, or "
        "the name of an installed plug-in.",
        None,
        shown="the first one configured",
    )
    model: Maybe[Line] = key("The model's id, as its provider writes it.", None, shown="the provider's")
    ladder: Maybe[Annotated[Line, Mark("reference", to="ladder")]] = key(
        "A ladder of the catalogue (`small`, `mid`, `frontier`) instead of a model's id: its rung for the provider.",
        None,
    )
    base_url: Maybe[Address] = key("Where a compatible server answers.", None, shown="the provider's")
    api_key_env: Maybe[Variable] = key(
        "The environment variable that holds the key; a spec never holds the key itself.", None, shown="the provider's"
    )
    headers: Maybe[dict[HeaderName, HeaderText]] = key("Extra headers of every call.", None)
    options: Maybe[Free] = key("Passed through to the provider as they are.", None)
    temperature: Maybe[Temperature] = key("Sampling temperature, 0 to 2.", None)
    top_p: Maybe[TopP] = key("Nucleus sampling, above 0 up to 1.", None)
    seed: Maybe[int] = key("The sampling seed, where the provider takes one.", None)
    stop: Maybe[Stop | Stops] = key("A text, or several, at which the answer ends.", None)
    max_output_tokens: Maybe[Count] = key("The longest answer of one call.", None)
    tool_choice: Maybe[Literal["auto", "none", "required"] | OneTool] = key(
        "Whether the model may, may not or must call tools; what it must call is asked for until a call has come.", None
    )
    context_window: Maybe[Count] = key(
        "Tokens that fit, for a model the catalogue lacks.", None, shown="the catalogue's"
    )
    prices: Maybe[Prices] = key("What it costs, for a model the catalogue lacks.", None, shown="the catalogue's")


class Route(Call):
    """One of several ways to an answer; the first whose `when` holds is used for the turn."""

    not_both = (*Call.not_both, ("when", "python"))

    label: Maybe[Line] = key("The name that `fallback` and the result use.", None)
    when: Maybe[Annotated[str, Expression("model.routes.when")]] = key(
        "Use this route when it holds; the last route without it is the default.", None
    )
    python: Maybe[Python] = key("A function that decides instead of `when`.", None)
    reasoning: Maybe[Effort | Reasoning] = key("How much the model thinks.", None, shown=SECTION)
    tool_format: Maybe[ToolFormat] = key("How tools are called.", None, shown=SECTION)
    timeout: Maybe[Period] = key("The whole call.", None, shown=SECTION)
    idle_timeout: Maybe[Period] = key("Silence within a stream.", None, shown=SECTION)
    prompt_cache: Maybe[Literal["auto", "off"] | PromptCache] = key("Cache breakpoints.", None, shown=SECTION)
    prefill: Maybe[Literal["auto", "on", "off"]] = key("Whether a cut answer is continued.", None, shown=SECTION)


class Model(Call):
    """Who answers."""

    reasoning: Effort | Reasoning = key("How much the model thinks; an explicit provider option wins.", "auto")
    tool_format: ToolFormat = key(
        "How tools are called: the provider's way, one constrained JSON object a turn, or tagged text. `auto` takes "
        "the catalogue's choice and falls back in this order where a provider refuses.",
        "auto",
    )
    timeout: Period = key("The whole call.", "120s")
    idle_timeout: Period = key("Silence within a stream.", "60s")
    prompt_cache: Literal["auto", "off"] | PromptCache = key(
        "Cache breakpoints after the tools, the system message and the last stable message.", "auto"
    )
    prefill: Literal["auto", "on", "off"] = key(
        "Whether an answer that was cut off is continued by giving its beginning back: `auto` where the catalogue "
        "knows that the model takes it, `on` also at a server of your own.",
        "auto",
    )

    routes: Maybe[Some[Route]] = key(
        "Routes in order: cheap by default and frontier on escalation is two of them.", None
    )
    fallback: Items[Annotated[Line, Mark("reference", to="route")]] = key(
        "Labels or models that are tried in order after the retries of a route have failed.", []
    )
    native_tool_fallback: Literal["allow", "allow_once", "reject"] = key(
        "What happens to calls that a model writes as text in a native-tool turn.", "allow"
    )
    retry: No | Retry = key("How transient failures are tried again; `false` turns it off.", {})
    circuit_breaker: Maybe[CircuitBreaker] = key("Leave a route alone after failures in a row.", None)
    rate_limit: Maybe[RateLimit] = key("How fast the provider may be called.", None)
    cache: Literal["off", "read_write", "read_only"] = key("Answers kept by the exact request.", "off")
    shadow: Maybe[Shadow] = key("Mirror calls to a second model, for comparison.", None)
    stream: Literal["auto"] | bool = key("Whether answers are streamed.", "auto")
