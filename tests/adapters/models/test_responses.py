"""OpenAI's Responses API: requests that the vendor's types take, answers whole and in pieces, reasoning kept in order."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.responses import ResponseStreamEvent
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

from agentspec.adapters.models.wires.body import read_body
from agentspec.adapters.models.wires.draft import Complained, Cut, Draft, Unreadable
from agentspec.adapters.models.wires.failures import Refusal
from agentspec.adapters.models.wires.responses_reply import ResponsesReader
from agentspec.adapters.models.wires.responses_wire import ResponsesWire
from agentspec.core.messages import AssistantMessage, Reply, SystemMessage, ToolCall, ToolMessage, Usage, UserMessage
from agentspec.core.transcript import Transcript
from agentspec.ports import Delta, ModelRequest
from tests.adapters.models.asking import OPENING, TOOL
from tests.adapters.models.conversations import decoded

REQUEST = TypeAdapter(ResponseCreateParamsNonStreaming)
EVENT = TypeAdapter(ResponseStreamEvent)
ORIGIN = "here m-1"
USAGE = {
    "input_tokens": 90,
    "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 0},
    "output_tokens": 28,
    "output_tokens_details": {"reasoning_tokens": 8},
    "total_tokens": 118,
}
THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "Look it up."}],
    "encrypted_content": "b3BhcXVl",
}
SAID = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "I look 🙂.", "annotations": []}],
}
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "lookup",
    "arguments": '{"key":"a"}',
    "status": "completed",
}
PING = {**CALL, "id": "fc_2", "call_id": "call_2", "name": "ping", "arguments": "{}"}
ITEMS = [THOUGHT, SAID, CALL, PING]


def body(*items, status="completed", reason=None, **more):
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m-1-2026",
        "status": status,
        "output": list(items),
        "incomplete_details": {"reason": reason} if reason else None,
        "error": None,
        "usage": USAGE,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "metadata": {},
        "instructions": None,
        "temperature": 1.0,
        "top_p": 1.0,
        **more,
    }


def events(*items, size=4, end="response.completed", **more):
    count = iter(range(10_000))

    def event(kind, **fields):
        return {"type": kind, "sequence_number": next(count), **fields}

    yield event("response.created", response=body(status="in_progress", usage=None))
    for place, item in enumerate(items):
        started = {**item, "arguments": ""} if "arguments" in item else {**item, "summary": [], "content": []}
        yield event("response.output_item.added", output_index=place, item=started)
        kinds = [
            ("response.reasoning_summary_text.delta", {"summary_index": 0}, item.get("summary", ())),
            ("response.output_text.delta", {"content_index": 0, "logprobs": []}, item.get("content", ())),
            ("response.function_call_arguments.delta", {}, [{"text": item.get("arguments", "")}]),
        ]
        for kind, fields, parts in kinds:
            for text in (part["text"] for part in parts):
                for at in range(0, len(text), size):
                    piece = text[at : at + size]
                    yield event(kind, output_index=place, item_id=item["id"], delta=piece, **fields)
        yield event("response.output_item.done", output_index=place, item=item)
    yield event(end, response=body(*items, **more))


def streamed(*told):
    return b"".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in told)


def read(data, listen=None):
    draft = Draft(listen)
    read_body(data if isinstance(data, bytes) else json.dumps(data).encode(), ResponsesReader(draft))
    return draft.reply(provider="openai_responses", model="asked", origin=ORIGIN, taken=set(), position=4, sent=400)


WHOLE = Reply(
    text="I look 🙂.",
    calls=(ToolCall("call_1", "lookup", '{"key":"a"}'), ToolCall("call_2", "ping", "{}")),
    finish="tool_calls",
    finish_text="completed",
    usage=Usage(input_tokens=90, output_tokens=28, cached_input_tokens=60, reasoning_tokens=8),
    model="m-1-2026",
    provider="openai_responses",
    request_id="resp_1",
    reasoning="Look it up.",
    extra={
        "message": {
            "items": [
                THOUGHT,
                SAID,
                {"type": "function_call", "call_id": "call_1"},
                {"type": "function_call", "call_id": "call_2"},
            ]
        },
        "calls": {"call_1": {"call_id": "call_1"}, "call_2": {"call_id": "call_2"}},
    },
    origin=ORIGIN,
)


# --- answers


def test_a_whole_answer_and_a_stream_of_any_pieces_give_the_same_reply():
    assert read(body(*ITEMS)) == WHOLE
    for size in (1, 3, 40):
        assert read(streamed(*events(*ITEMS, size=size))) == WHOLE


def test_a_stream_that_tells_everything_in_its_last_event_is_whole():
    first, *_, last = events(*ITEMS)

    assert read(streamed(first, last)) == WHOLE


def test_a_listener_hears_the_pieces_in_their_order():
    heard = []

    read(streamed(*events(THOUGHT, SAID, CALL, size=40)), heard.append)

    assert heard == [
        Delta("reasoning_delta", "Look it up."),
        Delta("text_delta", "I look 🙂."),
        Delta("tool_call_delta", "", 0, "lookup"),
        Delta("tool_call_delta", '{"key":"a"}', 0),
    ]


@pytest.mark.parametrize(
    ("reason", "finish"), [("max_output_tokens", "length"), ("content_filter", "content_filter"), ("new", "other")]
)
def test_an_answer_that_is_not_complete_says_why_in_both_forms(reason, finish):
    told = {"status": "incomplete", "reason": reason}

    for reply in (read(body(SAID, **told)), read(streamed(*events(SAID, end="response.incomplete", **told)))):
        assert (reply.finish, reply.finish_text, reply.is_complete) == (finish, reason, False)


def test_a_refusal_is_one():
    refused = {**SAID, "content": [{"type": "refusal", "refusal": "No."}]}

    assert (read(body(refused)).finish, read(body(refused)).text) == ("refusal", "No.")


def test_a_failed_answer_is_its_error():
    error = {"code": "server_error", "message": "no"}
    failed = {"type": "response.failed", "response": body(status="failed", error=error)}

    for data in (body(status="failed", error=error), streamed(failed), streamed({"type": "error", **error})):
        with pytest.raises(Complained):
            read(data)


def test_a_stream_without_its_last_event_is_cut():
    with pytest.raises(Cut):
        read(streamed(*[*events(*ITEMS)][:-1]))


@pytest.mark.parametrize("data", [{}, [], "x", 3, {"output": []}, {"output": [], "status": "queued"}])
def test_what_is_no_answer_is_told(data):
    with pytest.raises((Unreadable, Complained, Cut)):
        read(data)


NAMES = ["type", "output", "item", "output_index", "status", "content", "text", "delta", "response", "error", "usage",
         "call_id", "name", "arguments", "incomplete_details", "reason", "summary", "id"]  # fmt: skip
KINDS = ["message", "reasoning", "function_call", "output_text", "completed", "response.completed",
         "response.output_item.added", "response.output_item.done", "response.output_text.delta",
         "response.function_call_arguments.delta"]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from(["", "text", *KINDS]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(JSON, min_size=1, max_size=4))
def test_any_json_is_an_answer_or_none(values):
    data = b"".join(f"data: {json.dumps(value)}\n\n".encode() for value in values)
    for told in (values[0], data):
        with contextlib.suppress(Unreadable, Complained, Cut):
            assert isinstance(read(told), Reply)


# --- requests


def wire(**constant):
    return ResponsesWire({"model": "m-1", **constant}, ORIGIN)


def sent(*messages, constant=None, **fields):
    opening = (SystemMessage("You look things up."), UserMessage("Go."))
    request = ModelRequest(Transcript([*opening, *messages]), **fields)
    return decoded(wire(**(constant or {})).body(request, stream=False))


def test_a_request_is_what_never_changes_then_items_then_what_varies():
    turn = [
        AssistantMessage(text="I look 🙂.", calls=WHOLE.calls, origin=ORIGIN, extra=WHOLE.extra),
        ToolMessage("call_1", "lookup", "found"),
        ToolMessage("call_2", "ping", ""),
    ]

    told = sent(
        *turn,
        constant={"temperature": 0.5, "seed": 1, "stop": "END", "max_tokens": 900},
        tools=(TOOL,),
        harness="Be quick.",
        max_output_tokens=64,
        tool_choice="lookup",
    )

    assert list(told) == ["store", "include", "model", "temperature", "stream", "tools", "input", *list(told)[7:]]
    assert (told["max_output_tokens"], told["tool_choice"]) == (64, {"type": "function", "name": "lookup"})
    made = {name: CALL[name] for name in ("type", "call_id", "name", "arguments")}
    assert told["input"] == [
        {"role": "system", "content": "You look things up."},
        {"role": "user", "content": "Go."},
        THOUGHT,
        SAID,
        made,
        {**made, "call_id": "call_2", "name": "ping", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "found"},
        {"type": "function_call_output", "call_id": "call_2", "output": "(no output)"},
        {"role": "user", "content": "Be quick."},
    ]


def test_reasoning_goes_to_no_other_model():
    other = AssistantMessage(text="I look 🙂.", calls=WHOLE.calls, origin="there m-2", extra=WHOLE.extra)

    told = sent(other, ToolMessage("call_1", "lookup", "found"), ToolMessage("call_2", "ping", "pong"))

    kinds = [item.get("type", item.get("role")) for item in told["input"][2:]]
    assert kinds == ["assistant", "function_call", "function_call", "function_call_output", "function_call_output"]


@pytest.mark.parametrize("empty", [{"summary": []}, {"summary": None, "content": None}, {"encrypted_content": None}])
def test_an_item_of_reasoning_that_holds_none_does_not_go_back(empty):
    thought = {"type": "reasoning", "id": "rs_1", **empty}

    for data in (body(thought, SAID, CALL), streamed(*events({**thought, "summary": [], "content": []}, SAID, CALL))):
        reply = read(data)
        message = AssistantMessage(text=reply.text, calls=reply.calls, origin=reply.origin, extra=reply.extra)
        told = sent(message, ToolMessage("call_1", "lookup", "found"))["input"][2:]

        assert [item.get("type", item.get("role")) for item in told] == [
            "assistant",
            "function_call",
            "function_call_output",
        ]
        assert "msg_1" not in json.dumps(told)


def test_a_model_that_does_not_reason_is_not_asked_for_its_reasoning():
    writer = wire()
    words = "Encrypted content is not supported with this model."
    refusal = Refusal("invalid_request", retryable=False, retry_after=None, words=words)

    assert writer.adapt(refusal)
    assert not writer.adapt(refusal)
    assert b"include" not in writer.body(ModelRequest(OPENING), stream=False)
