"""tools: a tool as the kernel knows it: what it takes, what it may do, and whether it may run twice."""

from __future__ import annotations

from typing import Any

from agentspec.core.orders import Effect, RepeatClass
from agentspec.core.record import Record


class ToolPlan(Record, frozen=True):
    """A tool as the kernel knows it. `parameters` is a JSON Schema 2020-12 object schema.

    `repeat` tells what may happen to a call whose outcome a crash has swallowed: `read` and `idempotent` run again,
    `once` never does.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    effect: Effect
    kind: str
    repeat: RepeatClass = "once"
    timeout: float = 120.0
    is_concurrent: bool = False
