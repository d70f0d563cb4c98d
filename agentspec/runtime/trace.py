"""trace: a run told line by line: turns, and under each its calls in the order in which the model asked for them.

A fold over the journal's records. When a call ended changes nothing about where it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from agentspec.core.events import ModelFailed, ModelReplied, ToolReturned
from agentspec.core.messages import ToolCall
from agentspec.core.orders import CallTool, Note
from agentspec.runtime.journal import AnyRecord

VALUE_SHOWN = 4096  # bytes of a value in the trace; longer ones are digests, the journal has them whole
LONGEST = 6  # bytes of a character in JSON, at most
TRACED = frozenset((ModelReplied, ModelFailed, CallTool, ToolReturned))  # records that a trace tells of, beside notes


class Trace:
    """Lines of a run. A call is followed by its result; one that was refused has both, one in flight has no result."""

    def __init__(self) -> None:
        self._told: list[dict[str, Any]] = []
        self._asked: dict[str, ToolCall] = {}  # by id, the calls of the last reply
        self._calls: dict[str, dict[str, Any]] = {}
        self._results: dict[str, dict[str, Any]] = {}

    def take(self, record: AnyRecord, turn: int) -> None:
        """Take in a record of the journal that belongs to this turn."""
        match record:
            case ModelReplied(reply=reply):
                calls = [call.name for call in reply.calls]
                self._tell({"kind": "turn", "turn": turn, "text": _shown(reply.text), "calls": calls})
                self._asked = {call.id: call for call in reply.calls}
            case ModelFailed(failure=failure):
                self._tell({"kind": "model_failed", "error": failure.category, "message": failure.message})
            case CallTool(call=call):
                self._calls[call.id] = _call(call, record.arguments)
            case ToolReturned(result=result):
                self._settle(result.call_id, result.name, result.status, result.text)
            case Note(event="tool_result", fields=fields):
                self._settle(*_of_note(fields))
            case _:
                pass

    def lines(self) -> list[dict[str, Any]]:
        """What can be told so far."""
        return [*self._told, *self._of_calls()]

    def _tell(self, line: dict[str, Any]) -> None:
        self._told += [*self._of_calls(), line]
        self._asked, self._calls, self._results = {}, {}, {}

    def _settle(self, call_id: str, name: str, status: str, text: str) -> None:
        asked = self._asked.get(call_id)
        if call_id not in self._calls and asked is not None:  # it was refused before it became an order
            self._calls[call_id] = _call(asked, asked.arguments)
        line = {"kind": "result", "id": call_id, "name": name, "status": status, "text": _shown(text)}
        self._results[call_id] = line

    def _of_calls(self) -> list[dict[str, Any]]:
        pairs = ((self._calls.get(call_id), self._results.get(call_id)) for call_id in self._asked)
        return [line for pair in pairs for line in pair if line is not None]


def _call(call: ToolCall, arguments: Any) -> dict[str, Any]:
    return {"kind": "call", "id": call.id, "name": call.name, "arguments": _shown(arguments)}


def _of_note(fields: Mapping[str, Any]) -> tuple[str, str, str, str]:
    return fields["call_id"], fields["name"], fields["status"], fields["text"]


def _shown(value: Any) -> Any:
    if isinstance(value, str) and LONGEST * len(value) < VALUE_SHOWN:
        return value
    encoded = msgspec.json.encode(value)
    return (
        value
        if len(encoded) <= VALUE_SHOWN
        else {"bytes": len(encoded), "head": encoded[:200].decode("utf-8", "replace")}
    )
