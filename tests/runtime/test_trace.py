"""A run told line by line: the calls of a turn in the order in which the model asked, whenever they ended."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from agentspec.core.events import ModelFailed, ModelReplied, ToolReturned
from agentspec.core.messages import Failure, Reply, ToolCall, ToolResult
from agentspec.core.orders import CallTool, Note
from agentspec.runtime.trace import Trace

RAN = [ToolCall(f"r{n}", "read", f'{{"n":{n}}}') for n in range(4)]
REFUSED = [ToolCall(f"x{n}", "nowhere", "{") for n in range(3)]


def started(call):
    return CallTool(id=1, turn=1, index=0, call=call, arguments={"n": 1}, effect="read", repeat="read")


def returned(call):
    return ToolReturned(at=1.0, order=1, call=call, result=ToolResult(name=call.name, call_id=call.id, text="ok"))


def refused(call):
    result = ToolResult(name=call.name, call_id=call.id, status="unknown_tool", text="ERROR: no")
    return Note(event="tool_result", fields=to_builtins(result))


@given(asked=st.permutations([*RAN, *REFUSED]), ended=st.permutations([*RAN, *REFUSED]))
def test_calls_stand_in_the_order_in_which_they_were_asked_for_each_before_its_result(asked, ended):
    trace = Trace()

    trace.take(ModelReplied(at=1.0, order=1, reply=Reply(text="I look.", calls=tuple(asked))), 1)
    for call in RAN:
        trace.take(started(call), 1)
    for call in ended:
        trace.take(returned(call) if call in RAN else refused(call), 1)
    trace.take(ModelReplied(at=2.0, order=2, reply=Reply(text="end")), 2)

    lines = trace.lines()
    assert lines[0] == {"kind": "turn", "turn": 1, "text": "I look.", "calls": [call.name for call in asked]}
    assert [(line["kind"], line["id"]) for line in lines[1:-1]] == [
        (kind, call.id) for call in asked for kind in ("call", "result")
    ]
    assert lines[-1] == {"kind": "turn", "turn": 2, "text": "end", "calls": []}


def test_a_refused_call_shows_its_arguments_as_they_came_and_one_in_flight_has_no_result():
    trace = Trace()

    trace.take(ModelReplied(at=1.0, order=1, reply=Reply(calls=(RAN[0], REFUSED[0], RAN[1]))), 1)
    trace.take(started(RAN[0]), 1)
    trace.take(refused(REFUSED[0]), 1)

    assert trace.lines()[1:] == [
        {"kind": "call", "id": "r0", "name": "read", "arguments": {"n": 1}},
        {"kind": "call", "id": "x0", "name": "nowhere", "arguments": "{"},
        {"kind": "result", "id": "x0", "name": "nowhere", "status": "unknown_tool", "text": "ERROR: no"},
    ]


def test_a_failed_call_of_the_model_is_a_line_of_its_own_and_a_long_value_is_a_digest():
    trace = Trace()

    trace.take(ModelFailed(at=1.0, order=1, failure=Failure(category="timeout", message="too slow")), 1)
    trace.take(ModelReplied(at=1.0, order=1, reply=Reply(text="x" * 5_000)), 1)

    failed, turn = trace.lines()
    assert failed == {"kind": "model_failed", "error": "timeout", "message": "too slow"}
    assert turn["text"] == {"bytes": 5_002, "head": '"' + "x" * 199}
