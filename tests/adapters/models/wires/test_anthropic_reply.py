"""Answers of the Messages API, whole and in pieces: the same content gives the same reply, and half of one gives none."""

import contextlib
import json

import pytest
from anthropic.types import RawMessageStreamEvent
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from pydantic import TypeAdapter

from agentspec.adapters.models.wires.anthropic_reply import MessagesReader
from agentspec.adapters.models.wires.body import read_body
from agentspec.adapters.models.wires.draft import Complained, Cut, Draft, Unreadable
from agentspec.core.messages import Reply, ToolCall, Usage
from agentspec.ports import Delta

EVENT = TypeAdapter(RawMessageStreamEvent)
USAGE = {"input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 85, "output_tokens": 1}
LAST = {"output_tokens": 40, "output_tokens_details": {"thinking_tokens": 8}}
BLOCKS = [
    {"type": "thinking", "thinking": "Look it up.", "signature": "c2lnbmVk"},
    {"type": "redacted_thinking", "data": "b3BhcXVl"},
    {"type": "text", "text": "I look 🙂."},
    {"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {"key": "a", "n": 1}},
    {"type": "tool_use", "id": "toolu_2", "name": "ping", "input": {}},
]
START = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m-1-2026", "content": []}
PIECES = {"thinking": "thinking_delta", "signature": "signature_delta", "text": "text_delta"}


def body(*blocks, reason="end_turn", **more):
    return {
        **START,
        "content": list(blocks),
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": USAGE | LAST,
        **more,
    }


def events(*blocks, reason="end_turn", size=4, stop=True, details=None):
    """The events of a stream of these blocks, in pieces of a few characters."""
    yield {"type": "message_start", "message": {**START, "stop_reason": None, "stop_sequence": None, "usage": USAGE}}
    yield {"type": "ping"}
    for place, block in enumerate(blocks):
        empty = {
            **block,
            **{name: "" for name in PIECES if name in block},
            **({"input": {}} if "input" in block else {}),
        }
        yield {"type": "content_block_start", "index": place, "content_block": empty}
        texts = {PIECES[name]: (name, block[name]) for name in PIECES if name in block}
        if block.get("input"):
            texts["input_json_delta"] = ("partial_json", json.dumps(block["input"]))
        for kind, (name, text) in texts.items():
            for start in range(0, len(text), size):
                piece = {"type": kind, name: text[start : start + size]}
                yield {"type": "content_block_delta", "index": place, "delta": piece}
        yield {"type": "content_block_stop", "index": place}
    delta = {"stop_reason": reason, "stop_sequence": None, **({"stop_details": details} if details else {})}
    yield {"type": "message_delta", "delta": delta, "usage": LAST}
    if stop:
        yield {"type": "message_stop"}


def streamed(*told):
    return b"".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in told)


def read(data, listen=None):
    draft = Draft(listen)
    read_body(data if isinstance(data, bytes) else json.dumps(data).encode(), MessagesReader(draft))
    return draft.reply(provider="anthropic", model="asked", origin="here", taken=set(), position=4, sent=400)


WHOLE = Reply(
    text="I look 🙂.",
    calls=(ToolCall("toolu_1", "lookup", '{"key": "a", "n": 1}'), ToolCall("toolu_2", "ping", "")),
    finish="tool_calls",
    finish_text="tool_use",
    usage=Usage(input_tokens=100, output_tokens=40, cached_input_tokens=85, reasoning_tokens=8, cache_write_tokens=5),
    model="m-1-2026",
    provider="anthropic",
    request_id="msg_1",
    reasoning="Look it up.",
    extra={"message": {"content": BLOCKS[:3]}},
    origin="here",
)


def test_a_whole_answer_and_a_stream_give_the_same_reply():
    compact = ToolCall("toolu_1", "lookup", '{"key":"a","n":1}')

    assert read(streamed(*events(*BLOCKS, reason="tool_use"))) == WHOLE
    assert read(body(*BLOCKS, reason="tool_use")) == replace(WHOLE, calls=(compact, WHOLE.calls[1]))


@given(st.integers(1, 40))
def test_the_size_of_the_pieces_changes_nothing(size):
    assert read(streamed(*events(*BLOCKS, reason="tool_use", size=size))) == WHOLE


def test_a_listener_hears_the_pieces_in_their_order():
    heard = []

    read(streamed(*events(BLOCKS[0], BLOCKS[2], BLOCKS[3], reason="tool_use", size=40)), heard.append)

    assert heard == [
        Delta("reasoning_delta", "Look it up."),
        Delta("text_delta", "I look 🙂."),
        Delta("tool_call_delta", "", 0, "lookup"),
        Delta("tool_call_delta", '{"key": "a", "n": 1}', 0),
    ]


@pytest.mark.parametrize("cut", range(0, 2000, 37))
def test_a_stream_that_is_cut_anywhere_before_its_reason_is_no_answer(cut):
    data = streamed(*events(*BLOCKS, reason="tool_use"))
    reason = data.index(b"event: message_delta")

    with pytest.raises((Cut, Unreadable)):
        read(data[: cut % reason])


def test_a_stream_whose_last_event_is_missing_is_whole_where_it_has_said_why_it_stopped():
    assert read(streamed(*events(*BLOCKS, reason="tool_use", stop=False))) == WHOLE


@pytest.mark.parametrize(
    ("reason", "finish", "complete"),
    [
        ("end_turn", "stop", True),
        ("stop_sequence", "stop", True),
        ("max_tokens", "length", False),
        ("model_context_window_exceeded", "length", False),
        ("pause_turn", "pause", False),
        ("a new one", "other", False),
    ],
)
def test_a_reason_means_the_same_in_both_forms(reason, finish, complete):
    for reply in (read(body(BLOCKS[2], reason=reason)), read(streamed(*events(BLOCKS[2], reason=reason)))):
        assert (reply.finish, reply.finish_text, reply.is_complete) == (finish, reason, complete)


def test_a_refusal_says_why():
    details = {"type": "refusal", "category": "bio", "explanation": "No."}

    for reply in (
        read(body(reason="refusal", stop_details=details)),
        read(streamed(*events(reason="refusal", details=details))),
    ):
        assert (reply.finish, reply.text) == ("refusal", "bio: No.")


@pytest.mark.parametrize(
    "odd",
    [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        {"type": "a new kind", "text": "no"},
        {},
        "text",
        None,
    ],
)
def test_a_block_of_another_kind_says_nothing(odd):
    assert read(body(odd, BLOCKS[2])).text == "I look 🙂."


def test_an_error_in_the_middle_of_a_stream_is_a_complaint():
    told = [*events(*BLOCKS)][:6]
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}

    with pytest.raises(Complained):
        read(streamed(*told, error))


@pytest.mark.parametrize("data", [{}, {"content": "x"}, [], "x", {"type": "error", "error": {"type": "api_error"}}])
def test_what_is_no_message_is_told(data):
    with pytest.raises((Unreadable, Complained)):
        read(data)


@pytest.mark.parametrize("usage", [None, {}, {"input_tokens": "10", "output_tokens": -1}, {"input_tokens": True}])
def test_counts_that_cannot_be_true_are_estimated(usage):
    assert read(body(BLOCKS[2], usage=usage)).usage.estimated


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "text", "tool_use", "thinking", "end_turn"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "content",
                    "index",
                    "delta",
                    "content_block",
                    "text",
                    "thinking",
                    "input",
                    "id",
                    "stop_reason",
                    "usage",
                    "message",
                    "input_tokens",
                    "output_tokens",
                    "partial_json",
                    "signature",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_an_answer_or_none(value):
    with contextlib.suppress(Unreadable, Complained, Cut):
        assert isinstance(read(value), Reply)


@given(st.lists(JSON, max_size=5))
def test_any_events_are_an_answer_or_none(values):
    data = b"".join(f"data: {json.dumps(value)}\n\n".encode() for value in values)
    with contextlib.suppress(Unreadable, Complained, Cut):
        assert isinstance(read(data or b"data: 1\n\n"), Reply)
