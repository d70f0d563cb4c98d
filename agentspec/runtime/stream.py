"""stream: what the world may see of a run: each record of its journal as one event with a number.

A pure view of the journal: the same numbers live, on export and after a resume.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from agentspec.core.events import (
    AbortRequested,
    Answered,
    Consulted,
    DeadlineReached,
    ModelFailed,
    ModelReplied,
    Resumed,
    RunStarted,
    ToolReturned,
    ToolsChanged,
    Unanswered,
    UserSaid,
)
from agentspec.core.limits.price import (
    SHADOW,
    Price,
    cost_of_call,
    cost_of_mirror,
    price_for,
    price_of_question,
    worker_on,
)
from agentspec.core.messages import Failure, Mirrored, Reply, UserMessage
from agentspec.core.orders import Ask, CallModel, CallTool, Cancel, Consult, Finish, Note
from agentspec.ports import Delta
from agentspec.runtime.journal import AnyRecord
from agentspec.runtime.prefix import Prefixes

SILENT = frozenset((DeadlineReached, AbortRequested, Answered, Unanswered, UserSaid, CallModel, Ask, Consult, Cancel))
ENVELOPE: dict[str, Any] = {
    "ok": True,
    "status": "ok",
    "name": "",
    "call_id": "",
    "arguments": None,
    "text": "",
    "data": None,
    "error": None,
    "effect": "none",
    "duration_ms": 0,
    "truncated": False,
    "full_bytes": 0,
    "artifact": None,
}
Listener = Callable[[dict[str, Any]], None]


class Stream:
    """Turns records into events and hands them to listeners, counting from `start`."""

    def __init__(
        self,
        run_id: str,
        listeners: tuple[Listener, ...] = (),
        start: int = 0,
        prices: Mapping[str, Price] | None = None,
        labels: Sequence[str] = (),
    ) -> None:
        """`labels` are those of the routes by their numbers, where there are several."""
        self.run_id = run_id
        self.prices = prices or {}
        self.labels = labels
        self.listeners = listeners
        self.is_silent = False  # what is published now was heard when it happened: it is only counted
        self.seq = start
        self._calls: dict[int, CallModel] = {}
        self._prefixes = Prefixes()

    def publish(self, record: AnyRecord, at: float) -> None:
        if not self.listeners:  # nobody will ever hear, nor ask for a number
            return
        if isinstance(record, CallModel):
            self._calls[record.id] = record
            self._prefixes.asked(record)
        if self.is_silent:
            self.seq += is_public(record)
            if isinstance(record, ModelReplied | ModelFailed):
                self._calls.pop(record.order, None)
                self._prefixes.answered(record.order, _answer(record))
            return
        body = self._body(record)
        if body is None:
            return
        self.seq += 1
        kind, fields = body
        event = {"run_id": self.run_id, "seq": self.seq, "ts": at, "kind": kind, **fields}
        for listener in self.listeners:
            listener(event)

    def live(self, delta: Delta, at: float) -> None:
        """A piece of a reply while it streams: never stored, so without a number."""
        fields: dict[str, Any] = {"text": delta.text}
        if delta.kind == "tool_call_delta":
            fields |= {"index": delta.index, "name": delta.name}
        event = {"run_id": self.run_id, "seq": None, "ts": at, "kind": delta.kind, **fields}
        for listener in self.listeners:
            listener(event)

    def _body(self, record: AnyRecord) -> tuple[str, dict[str, Any]] | None:
        match record:
            case RunStarted():
                return "run_started", _started(record)
            case ModelReplied() | ModelFailed():
                call = self._calls.pop(record.order, None)
                breaks = self._prefixes.answered(record.order, _answer(record))
                label = self.labels[record.route] if self.labels else ""
                fields = _model_call(record, call, price_for(self.prices, worker_on(record.route)), label)
                if isinstance(record, ModelReplied) and record.reply.mirrored is not None:
                    fields["shadow"] = _mirrored(record.reply.mirrored, self.prices.get(SHADOW))
                return "model_call", fields | {"prefix_breaks": list(breaks)}
            case CallTool():
                return "tool_call", {
                    "turn": record.turn,
                    "index": record.index,
                    "call_id": record.call.id,
                    "name": record.call.name,
                    "arguments": record.arguments,
                    "effect": record.effect,
                    "repaired": record.repaired,
                }
            case ToolReturned():
                return "tool_result", _envelope(msgspec.to_builtins(record.result))
            case ToolsChanged():
                return "tools_changed", {
                    "server": record.server,
                    "added": record.added,
                    "changed": record.changed,
                    "removed": record.removed,
                }
            case Note(event="tool_result"):  # a call that was refused
                return "tool_result", _envelope(record.fields)
            case Note():
                return record.event, record.fields
            case Resumed():
                return "resumed", {"reason": record.reason}
            case Finish():
                outcome = record.outcome
                return "run_finished", {
                    "status": outcome.status,
                    "stop_reason": outcome.reason,
                    "detail": outcome.detail,
                }
            case Consulted():
                price = price_of_question(self.prices, record.asker, record.route)
                label = self.labels[record.route] if record.route is not None else ""
                return "model_call", _consultation(record, price, label)
            case Unanswered(questions=questions) if questions:
                return "input_requested", {"questions": list(questions)}
            case (
                DeadlineReached()
                | AbortRequested()
                | Answered()
                | Unanswered()
                | UserSaid()
                | CallModel()
                | Ask()
                | Consult()
                | Cancel()
            ):
                return None


def is_public(record: AnyRecord) -> bool:
    """Whether a record has an event of its own in the stream."""
    return type(record) not in SILENT or bool(isinstance(record, Unanswered) and record.questions)


def _envelope(fields: dict[str, Any]) -> dict[str, Any]:
    """The result of a call with every field, also those that have their defaults."""
    whole = ENVELOPE | fields
    error = whole["error"]
    return whole | {"ok": whole["status"] == "ok", "error": None if error is None else {"retryable": False} | error}


def _started(record: RunStarted) -> dict[str, Any]:
    task = next((message.text for message in reversed(record.opening) if isinstance(message, UserMessage)), "")
    return {
        "session_id": record.session_id,
        "spec": {"name": record.spec_name, "hash": record.spec_hash},
        "task": task,
    }


def _answer(record: ModelReplied | ModelFailed) -> Reply | Failure:
    return record.failure if isinstance(record, ModelFailed) else record.reply


def _model_call(
    record: ModelReplied | ModelFailed, call: CallModel | None, price: Price | None, label: str
) -> dict[str, Any]:
    answer = _answer(record)
    fields = {"turn": call.turn if call else 0, "attempt": call.attempt if call else 0}
    fields |= _physical(answer, record.ms, price, label)
    if isinstance(answer, Failure):
        return fields
    return fields | {"finish": answer.finish, "text": answer.text, "calls": [call.name for call in answer.calls]}


def _consultation(record: Consulted, price: Price | None, label: str) -> dict[str, Any]:
    """A call of a model beside the worker: `role` and `asker` say whose it is."""
    answer = record.failure if record.failure is not None else record.reply or Reply()
    return {"role": record.role, "asker": record.asker, "error": None, **_physical(answer, record.ms, price, label)}


def _physical(answer: Reply | Failure, ms: int, price: Price | None, label: str) -> dict[str, Any]:
    """What is told of every call of a model, whoever has asked."""
    fields: dict[str, Any] = {
        "ms": ms,
        "route": f"{answer.provider}:{answer.model}",
        "request_hash": answer.request_hash or None,
        "prefix_share": answer.prefix_share if answer.prefix_bytes else None,
        "tokens": msgspec.to_builtins(answer.usage),
        "cost_usd": _cost(answer, price, ms),
        "error_class": None,
    }
    fields |= {"label": label} if label else {}
    fields |= {"unsent": True} if answer.is_unsent else {}
    fields |= {name: ms for name in ("waited_ms", "held_ms") if (ms := getattr(answer, name))}
    if isinstance(answer, Failure):
        fields |= {
            "error_class": answer.category,
            "error": answer.message,
            "http_status": answer.http_status,
            "retryable": answer.retryable,
        }
    return fields


def _cost(answer: Reply | Failure, price: Price | None, ms: int) -> float | None:
    return None if price is None else round(cost_of_call(answer, price, ms), 12)


def _mirrored(seen: Mirrored, price: Price | None) -> dict[str, Any]:
    """What a second model said to the same request."""
    return {
        "route": f"{seen.provider}:{seen.model}",
        "ms": seen.ms,
        "tokens": msgspec.to_builtins(seen.usage),
        "cost_usd": None if price is None else round(cost_of_mirror(seen, price), 12),
        "text": seen.text,
        "calls": [call.name for call in seen.calls],
        "error_class": seen.error or None,
        "error": seen.message or None,
    }


def digest(value: object) -> str:
    """A short stable name for a value: the SHA-256 of its JSON with sorted keys."""
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()[:16]
