"""statuses: the words with which a rule may end a run, and those that the runtime keeps for itself."""

from __future__ import annotations

from typing import Final, Literal, get_args

STATUS: Final = r"^[a-z][a-z0-9_]*$"
# `stop` may not claim what the runtime alone can say (runtime page, section 4).
RESERVED_STATUSES: Final = (
    "done",
    "completion_unverified",
    "suspended",
    "interrupted",
    "cancelled",
    "provider_error",
    "error",
    "input_guardrail",
    "idle",
    "watchdog",
)
# Those that a rule may give as well.
OPEN_STATUSES: Final = ("failed", "stuck", "budget_exhausted")
RUN_STATUSES: Final = (*RESERVED_STATUSES, *OPEN_STATUSES)
LIMITS: Final = (
    "wall_clock",
    "working_time",
    "tokens",
    "cost_usd",
    "tool_calls",
    "consecutive_failures",
    "provider_calls",
)
ErrorClass = Literal[
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
FAILURES: Final = get_args(ErrorClass)
# Why a run ends, in the runtime's own words; a rule with a `reason` gives others.
STOP_REASONS: Final = (
    *("completed", "natural", "sentinel", "required_tools_satisfied", "stalled_judge_done", "stop_after_tool"),
    *("completion_judge_cap_reached", "turn_end_cap_reached", "verify_attempts_exhausted", "verifier_failed"),
    *("judge_deadline", "judge_budget", "judge_timeout", "judge_failed", "artifact_missing"),
    *("max_iterations", *LIMITS, "max_nudges", "repeated_call", "thrash", "barren_reply"),
    *("required_tools_missing", "output_invalid", "output_truncated", "tool_error"),
    *("repeated_denial", "parse_dropped", "internal", "tripwire", *FAILURES),
    *("approval", "input", "tool_result", "signal", "user", "parent"),
    *("loop_control", "post_turn_stop"),
)
