"""orders: what the shell must do. Journaled before they are performed; numbered, never drawn."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from agentspec.core.messages import Failure, ToolCall
from agentspec.core.record import Record

Effect = Literal["none", "read", "write", "process", "network", "terminal"]
RepeatClass = Literal["read", "idempotent", "once"]


class Order(Record, frozen=True, tag_field="kind"):
    """Something that the kernel wants done."""


class CallModel(Order, frozen=True, tag="call_model"):
    """Show the first `length` messages of the transcript to the model, and `harness` after them."""

    id: int
    turn: int
    attempt: int
    length: int
    harness: str | None = None
    tools: tuple[str, ...] | None = None  # None: all of the plan's
    max_output_tokens: int | None = None
    tool_choice: str | None = None


class CallTool(Order, frozen=True, tag="call_tool"):
    id: int
    turn: int
    index: int
    call: ToolCall
    arguments: dict[str, Any]
    effect: Effect
    repeat: RepeatClass
    repaired: bool = False


class Ask(Order, frozen=True, tag="ask"):
    """Ask someone who is not the model: the clock (`question` in seconds), a person, a judge."""

    id: int
    who: str
    question: Any


class Cancel(Order, frozen=True, tag="cancel"):
    order: int


class Note(Order, frozen=True, tag="note"):
    """Write a decision to the event stream: `event` is its kind there."""

    event: str
    fields: dict[str, Any] = {}


class Outcome(Record, frozen=True):
    """How and why a run ends. `place` names the bound that ended it (`execution.limits.tokens`)."""

    status: str
    reason: str
    failure: Failure | None = None
    place: str | None = None
    detail: str = ""


class Finish(Order, frozen=True, tag="finish"):
    outcome: Outcome


AnyOrder: TypeAlias = CallModel | CallTool | Ask | Cancel | Note | Finish
