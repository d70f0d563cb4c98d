"""result: the one record that says how a run ended and what it took. `tally` counts it."""

from __future__ import annotations

from typing import Any

import msgspec

from agentspec.runtime.ends import Terminal
from agentspec.runtime.route_use import RouteUse


class SpecName(msgspec.Struct, frozen=True):
    name: str
    hash: str


class LlmUse(msgspec.Struct, kw_only=True):
    """What the models cost: `iterations` counts turns, `provider_calls` every physical call."""

    iterations: int = 0
    provider_calls: int = 0
    judge_calls: int = 0
    duration_ms: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None
    unpriced_tools: list[str] = []  # that the provider ran, and nobody knows what it charges for: it comes on top
    usage_estimated: bool = False
    empty_retries: int = 0
    provider: str | None = None  # who answered last
    model: str | None = None
    prefix_share: float | None = None  # of what was sent, up to the harness's words: what the next request began with
    prefix_breaks: dict[str, int] = {}  # how often it was less than all, by what changed it
    routes: list[RouteUse] = []  # where there are several
    own: dict[str, Any] | None = None  # the same numbers without those of children, where there were any


class ToolUse(msgspec.Struct, kw_only=True):
    """Every call by name in order, and the names that succeeded or were rejected at least once.

    `text_fallbacks` are the replies whose calls came as text where the provider's own were asked for, and
    `text_fallbacks_rejected` those of them that were not taken.
    """

    calls: list[str] = []
    successful: list[str] = []
    rejected: list[str] = []
    mode: str = "native"
    text_fallbacks: int = 0
    text_fallbacks_rejected: int = 0


class Budget(msgspec.Struct, kw_only=True):
    mode: str = "fixed"
    initial: int = 0
    max: int = 0
    final_limit: int = 0
    extensions_used: int = 0
    decisions: list[dict[str, Any]] = []


class Stall(msgspec.Struct, kw_only=True):
    """How much the run repeated itself: calls that brought the same again, and each repetition too many."""

    repeated_tool_calls: int = 0
    warnings: list[dict[str, Any]] = []
    suspected_loop: bool = False


class RunError(msgspec.Struct, kw_only=True):
    """What went wrong, for programs. `message` holds no secret."""

    category: str
    reason: str
    message: str
    provider: str | None = None
    model: str | None = None
    phase: str | None = None
    retryable: bool = False
    http_status: int | None = None


class Result(msgspec.Struct, kw_only=True):
    """The result of a run. `text` is the last accepted answer, else the last text that was not empty.

    `stopped_by` names the bound or the rule of the spec that ended the run, where one did, with the file and line in
    which it stands.

    >>> from agentspec import run_sync
    >>> result = run_sync("examples/first-look/first-look.yaml", sets=["execution.max_iterations=2"])
    >>> result.status, result.stopped_by["limit"], result.llm.iterations  # the last one for last words
    ('budget_exhausted', 'execution.max_iterations', 3)
    """

    run_id: str
    session_id: str
    spec: SpecName
    status: str
    stop_reason: str
    terminal: Terminal
    text: str = ""
    visible_text: str = ""
    output: Any = None
    output_valid: bool | None = None
    llm: LlmUse
    tools: ToolUse
    adaptive_budget: Budget
    completion_judge: dict[str, Any] | None = None
    turn_end_condition: dict[str, Any] | None = None
    stall: Stall
    compactions: list[dict[str, Any]] = []
    missing_required_tools: list[str] = []
    declared_artifacts: dict[str, Any] | None = None
    error: RunError | None = None
    handle: dict[str, Any] | None = None
    wrapped_up: bool = False
    stopped_by: dict[str, Any] | None = None
    trace: list[dict[str, Any]] | None = None
    decisions: list[dict[str, Any]] | None = None

    @property
    def is_done(self) -> bool:
        """Whether the run ended with its work done; a bound, a failure or an interrupt is no such end."""
        return self.status == "done"

    def as_json(self) -> dict[str, Any]:
        """The result object as plain values, every field present."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return built
