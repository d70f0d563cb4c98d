"""proposals: the four things a run ever wants next. A policy rules on each before it becomes an order."""

from __future__ import annotations

from typing import Any, TypeAlias

from agentspec.core.messages import Reply, ToolCall
from agentspec.core.orders import Outcome
from agentspec.core.record import Record


class Think(Record, frozen=True):
    """Call the model in turn `turn`; `attempt` counts from 1 within the turn."""

    turn: int
    attempt: int = 1
    tools: tuple[str, ...] | None = None
    max_output_tokens: int | None = None
    tool_choice: str | None = None


class Take(Record, frozen=True):
    """Adopt this reply."""

    reply: Reply


class Act(Record, frozen=True):
    """Run this tool call; `arguments` is None until a policy has read them."""

    call: ToolCall
    index: int
    arguments: dict[str, Any] | None = None
    repaired: bool = False
    is_cut: bool = False  # the reply did not say that it was complete


class End(Record, frozen=True):
    """Finish like this."""

    outcome: Outcome


Proposal: TypeAlias = Think | Take | Act | End
