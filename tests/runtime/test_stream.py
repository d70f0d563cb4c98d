"""The event stream: what each event holds."""

import pytest

from agentspec.core.events import ToolReturned
from agentspec.core.messages import ToolError, ToolResult
from agentspec.core.orders import Note
from agentspec.runtime.journal import AnyRecord
from agentspec.runtime.stream import Stream
from agentspec.testing import call

WHOLE = {
    "ok": True,
    "status": "ok",
    "name": "look",
    "call_id": "c1",
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
FAILED = {"category": "expression", "message": "no", "retryable": False}


def returned(result: ToolResult) -> ToolReturned:
    return ToolReturned(at=1.0, order=1, call=call("look"), result=result)


@pytest.mark.parametrize(
    ("record", "fields"),
    [
        (returned(ToolResult("look", "c1")), WHOLE),
        (
            returned(ToolResult("look", "c1", "error", error=ToolError("expression", "no"))),
            WHOLE | {"ok": False, "status": "error", "error": FAILED},
        ),
        (
            Note(
                event="tool_result", fields={"name": "look", "call_id": "c1", "status": "denied", "text": "DENIED: no"}
            ),
            WHOLE | {"ok": False, "status": "denied", "text": "DENIED: no"},
        ),
    ],
    ids=["it succeeded", "it failed", "it was refused"],
)
def test_the_result_of_a_call_has_every_field(record: AnyRecord, fields: dict[str, object]) -> None:
    heard: list[dict[str, object]] = []

    Stream("r1", (heard.append,)).publish(record, at=2.0)

    assert heard == [{"run_id": "r1", "seq": 1, "ts": 2.0, "kind": "tool_result", **fields}]
