"""The terminal outcome of every status and reason: only a natural end proves completion."""

import pytest

from agentspec.core.orders import Outcome
from agentspec.runtime.ends import Terminal, terminal_of

ENDS = [
    *(
        ("done", reason, "natural", "agent", "completed", "completed")
        for reason in ("natural", "sentinel", "completed")
    ),
    ("done", "required_tools_satisfied", "natural", "agent", "completed", "completed"),
    ("done", "stalled_judge_done", "natural", "agent", "completed", "completed"),
    ("done", "stop_after_tool", "policy_stop", "policy", "stopped", "stopped"),
    ("done", "post_turn_stop", "policy_stop", "policy", "stopped", "stopped"),
    ("done", "a reason of the author's", "policy_stop", "policy", "stopped", "stopped"),
    ("out_of_scope", "post_turn_stop", "policy_stop", "policy", "stopped", "stopped"),
    *((word, "natural", "policy_stop", "policy", "stopped", "stopped") for word in ("natural", "user_cancelled", "x")),
    ("budget_exhausted", "tokens", "policy_budget", "policy", "stopped", "failed"),
    ("stuck", "repeated_call", "policy_no_progress", "policy", "stopped", "failed"),
    ("input_guardrail", "tripwire", "policy_guardrail", "policy", "stopped", "failed"),
    ("completion_unverified", "judge_deadline", "completion_unverified", "policy", "failed", "failed"),
    ("failed", "required_tools_missing", "failed", "policy", "failed", "failed"),
    ("provider_error", "auth", "provider_error", "provider", "failed", "failed"),
    ("error", "context_overflow", "runtime_error", "harness", "failed", "failed"),
    ("cancelled", "user", "user_cancelled", "user", "cancelled", "cancelled"),
    ("idle", "no_wake_source", "idle", "policy", "stopped", "stopped"),
    ("watchdog", "no_event", "watchdog", "policy", "stopped", "stopped"),
    ("interrupted", "signal", "interrupted", "agent", "suspended", "suspended"),
    ("suspended", "approval", "suspended", "agent", "suspended", "suspended"),
]


@pytest.mark.parametrize(("status", "reason", "kind", "owner", "lifecycle", "record"), ENDS)
def test_an_end_is_told_by_who_made_it_and_what_became_of_the_run(status, reason, kind, owner, lifecycle, record):
    assert terminal_of(Outcome(status, reason)) == Terminal(kind, reason, owner, lifecycle, record)
