"""Ollama's `/api/chat`: requests that its own types take, answers whole and line by line."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.models.registry import make_model
from agentspec.adapters.models.wires.body import read_body
from agentspec.adapters.models.wires.draft import Complained, Cut, Draft, Unreadable
from agentspec.adapters.models.wires.lines import LineParser
from agentspec.adapters.models.wires.ollama_reply import OllamaReader
from agentspec.adapters.models.wires.ollama_wire import OllamaWire, url_of
from agentspec.core.messages import AssistantMessage, Reply, ToolCall, ToolMessage, Usage
from agentspec.core.transcript import Transcript
from agentspec.ports import ModelRequest, ModelSettings
from tests.adapters.models.asking import OPENING, TOOL
from tests.adapters.models.conversations import decoded
from tests.servers.loopback import Loopback, chunk, response, stream_head

CALL = {"function": {"name": "lookup", "arguments": {"key": "a"}}}
MESSAGE = {"role": "assistant", "thinking": "Look it up.", "content": "I look 🙂.", "tool_calls": [CALL]}
LINES = {"content-type": "application/x-ndjson"}


def body(message=MESSAGE, reason="stop", **more):
    return {
        "model": "m-1",
        "created_at": "2026-11-30T10:00:00Z",
        "message": message,
        "done": True,
        "done_reason": reason,
        "prompt_eval_count": 90,
        "eval_count": 28,
        **more,
    }


def events(size=4):
    head = {"model": "m-1", "created_at": "2026-11-30T10:00:00Z", "done": False}
    for name in ("thinking", "content"):
        for at in range(0, len(MESSAGE[name]), size):
            yield {**head, "message": {"role": "assistant", "content": "", name: MESSAGE[name][at : at + size]}}
    yield {**head, "message": {"role": "assistant", "content": "", "tool_calls": [CALL]}}
    yield body({"role": "assistant", "content": ""})


def streamed(*told):
    return b"".join(json.dumps(each).encode() + b"\n" for each in told)


def read(data):
    draft = Draft(None)
    read_body(json.dumps(data).encode(), OllamaReader(draft))
    return draft.reply(provider="ollama", model="asked", origin="here", taken=set(), position=2, sent=400)


WHOLE = Reply(
    text="I look 🙂.",
    calls=(ToolCall("call_2_0", "lookup", '{"key":"a"}'),),
    finish="tool_calls",
    finish_text="stop",
    usage=Usage(input_tokens=90, output_tokens=28),
    model="m-1",
    provider="ollama",
    reasoning="Look it up.",
)


async def ask(server, *, stream=False, **given):
    client = HttpClient()
    base = server.url.removesuffix("/v1")
    model = make_model(ModelSettings(provider="ollama", model="m-1", base_url=base, stream=stream, **given), {}, client)
    try:
        return await model.answer(ModelRequest(OPENING, tools=(TOOL,)), None)
    finally:
        await client.close()


@pytest.mark.parametrize("size", [1, 3, 40])
async def test_a_whole_answer_and_lines_of_any_pieces_give_the_same_reply(size):
    pieces = [stream_head(LINES), chunk(streamed(*events(size))), chunk(b"")]
    async with Loopback([[response(body())], pieces]) as server:
        replies = [await ask(server, stream=stream) for stream in (False, True)]

    assert [replace(reply, request_hash="", prefix_share=0.0) for reply in replies] == [WHOLE, WHOLE]
    assert server.asked[0].line == "POST /api/chat HTTP/1.1"


async def test_an_error_in_the_middle_of_a_stream_is_that_error():
    told = [*[*events()][:3], {"error": "model runner has unexpectedly stopped"}]

    async with Loopback([[stream_head(LINES), chunk(streamed(*told)), chunk(b"")]]) as server:
        failure = await ask(server, stream=True)

    assert (failure.category, failure.retryable) == ("server_error", True)
    assert "unexpectedly stopped" in failure.message


async def test_a_model_that_was_not_pulled_is_told():
    async with Loopback([[response({"error": "model 'm-1' not found"}, 404)]]) as server:
        failure = await ask(server)

    assert (failure.category, failure.http_status) == ("invalid_request", 404)
    assert "model 'm-1' not found" in failure.message


def test_an_answer_that_was_cut_by_its_length_says_so():
    reply = read(body({"role": "assistant", "content": "I"}, "length"))

    assert (reply.finish, reply.is_complete) == ("length", False)


@pytest.mark.parametrize("data", [{}, [], "x", {"error": "no"}, {"message": {"content": "x"}, "done": False}])
def test_what_is_no_answer_is_told(data):
    with pytest.raises((Unreadable, Complained, Cut)):
        read(data)


NAMES = [
    "message",
    "content",
    "thinking",
    "tool_calls",
    "function",
    "name",
    "arguments",
    "done",
    "done_reason",
    "error",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "text", "stop"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_an_answer_or_none(value):
    with contextlib.suppress(Unreadable, Complained, Cut):
        assert isinstance(read(value), Reply)


@given(st.lists(st.binary(max_size=6).map(lambda data: data.replace(b"\n", b"")), max_size=5), st.data())
def test_lines_are_the_same_wherever_they_are_cut(lines, data):
    text = b"\n".join(lines)
    cut = data.draw(st.integers(0, len(text)))
    parser = LineParser()

    found = [*parser.feed(text[:cut]), *parser.feed(text[cut:]), *parser.rest()]

    assert [event.data for event in found] == [line for line in lines if line.strip()]


def sent(*messages, constant=None, **fields):
    wire = OllamaWire({"model": "m-1", **(constant or {})}, "here m-1")
    return decoded(wire.body(ModelRequest(Transcript([*OPENING, *messages]), **fields), stream=False))


def test_a_request_is_what_never_changes_then_messages_then_what_varies():
    told = sent(
        AssistantMessage(calls=(ToolCall("c1", "lookup", '{"key":"a"}'),)),
        ToolMessage("c1", "lookup", ""),
        constant={"temperature": 0.5, "stop": "END", "options": {"num_ctx": 8192}, "think": True},
        tools=(TOOL,),
        harness="Be quick.",
        max_output_tokens=64,
        schema={"type": "object"},
    )

    assert list(told) == ["model", "think", "stream", "tools", "messages", "options", "format"]
    assert told["options"] == {"temperature": 0.5, "stop": ["END"], "num_ctx": 8192, "num_predict": 64}
    assert told["messages"][2:] == [
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "tool", "tool_name": "lookup", "content": "(no output)"},
        {"role": "user", "content": "Be quick."},
    ]


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("[::1]", "http://[::1]:11434"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("http://box:1", "http://box:1"),
    ],
)
def test_the_host_need_not_be_a_whole_address(host, url):
    assert url_of(host) == url
