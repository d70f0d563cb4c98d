"""statuses: the words with which a rule may end a run, and those that the runtime keeps for itself."""

from __future__ import annotations

from typing import Final

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
