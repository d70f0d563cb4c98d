"""ends: every status that a run can have: what it says, and who has ended the run by it."""

from __future__ import annotations

import msgspec

from agentspec.core.orders import NATURAL, Outcome


class Terminal(msgspec.Struct, frozen=True):
    """The terminal outcome. Only `kind == "natural"` proves completion."""

    kind: str
    reason: str
    owner: str
    lifecycle_state: str
    run_record_status: str


# kind: owner, lifecycle_state, run_record_status
TERMINALS: dict[str, tuple[str, str, str]] = {
    "natural": ("agent", "completed", "completed"),
    "policy_stop": ("policy", "stopped", "stopped"),
    "policy_budget": ("policy", "stopped", "failed"),
    "policy_no_progress": ("policy", "stopped", "failed"),
    "policy_guardrail": ("policy", "stopped", "failed"),
    "completion_unverified": ("policy", "failed", "failed"),
    "failed": ("policy", "failed", "failed"),
    "provider_error": ("provider", "failed", "failed"),
    "runtime_error": ("harness", "failed", "failed"),
    "user_cancelled": ("user", "cancelled", "cancelled"),
    "idle": ("policy", "stopped", "stopped"),
    "watchdog": ("policy", "stopped", "stopped"),
    "interrupted": ("agent", "suspended", "suspended"),
    "suspended": ("agent", "suspended", "suspended"),
}
# The kind of every status of the runtime's own; a word that a rule made up is a stop of the policy, whatever it is.
KINDS: dict[str, str] = {
    "done": "natural",
    "completion_unverified": "completion_unverified",
    "failed": "failed",
    "stuck": "policy_no_progress",
    "budget_exhausted": "policy_budget",
    "provider_error": "provider_error",
    "error": "runtime_error",
    "input_guardrail": "policy_guardrail",
    "cancelled": "user_cancelled",
    "interrupted": "interrupted",
    "suspended": "suspended",
    "idle": "idle",
    "watchdog": "watchdog",
}
# Every status that a run of a store can have, and what it says; the words that a spec itself ends runs with
# (`loop_control` with `stop: WORD`) come beside them.
STATUSES: dict[str, str] = {
    "done": "The work is done: the model answered, and what the spec asks of an answer was met.",
    "completion_unverified": "There is an answer, and nobody could say in time that it is good enough.",
    "failed": "The run came to an end without what the spec requires; the reason names it.",
    "stuck": "The model went on without getting anywhere: only words, the same call again, or nothing at all.",
    "budget_exhausted": "A bound of `execution` ended it; the last line names the bound.",
    "provider_error": "The model could not be asked, or did not answer; the reason is the class of the failure.",
    "error": "Something in the run itself failed.",
    "input_guardrail": "The task was refused before any work was done.",
    "cancelled": "Somebody cancelled it for good.",
    "interrupted": "It was stopped (Ctrl-C, `kill`): `agentspec resume` goes on.",
    "suspended": "It waits for something or somebody: `agentspec resume` goes on.",
    "idle": "It waits, and nothing is left that could wake it.",
    "watchdog": "It waited for too long.",
    "running": "A process drives it now.",
    "crashed": "Its process is gone without a word: `agentspec resume` goes on.",
}


def terminal_of(outcome: Outcome) -> Terminal:
    kind = KINDS.get(outcome.status, "policy_stop")
    if kind == "natural" and outcome.reason not in NATURAL:
        kind = "policy_stop"
    owner, lifecycle, record = TERMINALS[kind]
    return Terminal(kind, outcome.reason, owner, lifecycle, record)
