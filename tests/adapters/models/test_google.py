"""Gemini's `generateContent`: requests that the vendor's types take, answers whole and in pieces, refusals by class."""

import base64
import contextlib
import itertools
import json

import pytest
from google.genai.types import ToolConfig
from hypothesis import given, settings
from hypothesis import strategies as st

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.models.registry import make_model
from agentspec.adapters.models.wires.body import read_body
from agentspec.adapters.models.wires.draft import Complained, Cut, Draft, Unreadable
from agentspec.adapters.models.wires.google_reply import GenerateReader
from agentspec.adapters.models.wires.google_wire import GenerateWire, path_of
from agentspec.core.messages import AssistantMessage, Reply, SystemMessage, ToolCall, ToolMessage, Usage, UserMessage
from agentspec.core.transcript import Transcript
from agentspec.ports import ModelRequest, ModelSettings
from tests.adapters.models.asking import KEY, OPENING, TOOL
from tests.adapters.models.conversations import conversations, decoded
from tests.servers.loopback import Loopback, response

ORIGIN = "here m-1"
SIGNED = base64.b64encode(b"signed").decode()
USAGE = {"promptTokenCount": 90, "cachedContentTokenCount": 60, "candidatesTokenCount": 20, "thoughtsTokenCount": 8}
PARTS = [
    {"text": "Look it up.", "thought": True},
    {"text": "I look 🙂.", "thoughtSignature": SIGNED},
    {"functionCall": {"id": "f1", "name": "lookup", "args": {"key": "a", "n": 1}}, "thoughtSignature": SIGNED},
    {"functionCall": {"name": "ping", "args": {}}},
]


def body(*parts, reason="STOP", **more):
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": reason, "index": 0}
    return {"candidates": [candidate], "usageMetadata": USAGE, "modelVersion": "m-1-2026", "responseId": "r1", **more}


def events(*parts, reason="STOP", size=4):
    for part in parts:
        text = part.get("text", "")
        pieces = [{**part, "text": text[at : at + size]} for at in range(0, len(text), size)] if text else [part]
        for piece in pieces[:-1]:
            piece.pop("thoughtSignature", None)
        for piece in pieces:
            yield {"candidates": [{"content": {"role": "model", "parts": [piece]}}], "responseId": "r1"}
    yield {
        "candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": reason}],
        "usageMetadata": USAGE,
        "modelVersion": "m-1-2026",
        "responseId": "r1",
    }


def streamed(*told):
    return b"".join(f"data: {json.dumps(each)}\r\n\r\n".encode() for each in told)


def read(data):
    draft = Draft(None)
    read_body(data if isinstance(data, bytes) else json.dumps(data).encode(), GenerateReader(draft))
    return draft.reply(provider="google", model="asked", origin=ORIGIN, taken=set(), position=4, sent=400)


WHOLE = Reply(
    text="I look 🙂.",
    calls=(ToolCall("f1", "lookup", '{"key":"a","n":1}'), ToolCall("call_4_1", "ping", "{}")),
    finish="tool_calls",
    finish_text="stop",
    usage=Usage(input_tokens=90, output_tokens=28, cached_input_tokens=60, reasoning_tokens=8),
    model="m-1-2026",
    provider="google",
    request_id="r1",
    reasoning="Look it up.",
    extra={
        "message": {"parts": [{"text": "I look 🙂.", "thoughtSignature": SIGNED}]},
        "calls": {"f1": {"id": "f1", "thoughtSignature": SIGNED}},
    },
    origin=ORIGIN,
)


# --- answers


def test_a_whole_answer_and_a_stream_of_any_pieces_give_the_same_reply():
    assert read(body(*PARTS)) == WHOLE
    assert read([*events(*PARTS)]) == WHOLE
    for size in (1, 3, 40):
        assert read(streamed(*events(*PARTS, size=size))) == WHOLE


@pytest.mark.parametrize(
    ("reason", "finish", "complete"),
    [
        ("STOP", "stop", True),
        ("MAX_TOKENS", "length", False),
        ("SAFETY", "content_filter", False),
        ("RECITATION", "content_filter", False),
        ("SPII", "content_filter", False),
        ("OTHER", "other", False),
    ],
)
def test_a_reason_means_the_same_in_both_forms(reason, finish, complete):
    for reply in (read(body(PARTS[1], reason=reason)), read(streamed(*events(PARTS[1], reason=reason)))):
        assert (reply.finish, reply.is_complete) == (finish, complete)


def test_a_prompt_that_was_blocked_is_no_answer():
    reply = read({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 9}})

    assert (reply.finish, reply.text) == ("content_filter", "the prompt was blocked (PROHIBITED_CONTENT)")


def test_a_stream_without_its_reason_is_cut():
    told = [*events(*PARTS)][:-1]

    with pytest.raises(Cut):
        read(streamed(*told))


@pytest.mark.parametrize("data", [{}, [], "x", 3, {"error": {"code": 500, "message": "no"}}, {"candidates": []}])
def test_what_is_no_answer_is_told(data):
    with pytest.raises((Unreadable, Complained, Cut)):
        read(data)


NAMES = ["candidates", "content", "parts", "text", "functionCall", "name", "args", "id", "finishReason", "thought",
         "thoughtSignature", "usageMetadata", "promptTokenCount", "promptFeedback", "blockReason", "error"]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "text", "STOP"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(JSON, min_size=1, max_size=4))
def test_any_json_is_an_answer_or_none(values):
    for data in (values, values[0], streamed(*values)):
        with contextlib.suppress(Unreadable, Complained, Cut):
            assert isinstance(read(data), Reply)


# --- requests


CALLED = ToolCall("c1", "lookup", "{}")


def sent(*messages, constant=None, **fields):
    wire = GenerateWire({"model": "m-1", **(constant or {})}, ORIGIN)
    opening = (SystemMessage("You look things up."), UserMessage("Go."))
    return decoded(wire.body(ModelRequest(Transcript([*opening, *messages]), **fields), stream=False))


def test_a_request_is_what_never_changes_then_contents_then_what_varies():
    call = AssistantMessage(
        text="I look 🙂.", calls=WHOLE.calls, origin=ORIGIN, extra=WHOLE.extra, reasoning="Look it up."
    )
    told = sent(
        call,
        ToolMessage("f1", "lookup", "found"),
        ToolMessage("call_4_1", "ping", ""),
        constant={"temperature": 0.5, "stop": "END", "max_tokens": 900},
        tools=(TOOL,),
        harness="Be quick.",
        max_output_tokens=64,
    )

    assert list(told) == ["tools", "systemInstruction", "contents", "generationConfig"]
    assert told["generationConfig"] == {"temperature": 0.5, "stopSequences": ["END"], "maxOutputTokens": 64}
    assert told["contents"] == [
        {"role": "user", "parts": [{"text": "Go."}]},
        {"role": "model", "parts": PARTS[1:]},
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "f1", "name": "lookup", "response": {"output": "found"}}},
                {"functionResponse": {"name": "ping", "response": {"output": "(no output)"}}},
            ],
        },
        {"role": "user", "parts": [{"text": "Be quick."}]},
    ]


def test_between_two_answers_somebody_else_speaks_and_has_the_last_word():
    """A call that does not follow what somebody else said is refused, and so is every request with it from then on."""
    said = [AssistantMessage("Half."), AssistantMessage("I look.", (CALLED,)), ToolMessage("c1", "lookup", "x")]

    told = sent(*said, AssistantMessage("Done."))["contents"]

    assert [(each["role"], *(part.get("text", "") for part in each["parts"])) for each in told] == [
        ("user", "Go."),
        ("model", "Half."),
        ("user", "Go on."),
        ("model", "I look.", ""),
        ("user", ""),
        ("model", "Done."),
        ("user", "Go on."),
    ]


@given(conversations(ORIGIN), st.sampled_from([None, "Note."]))
@settings(max_examples=25, deadline=None)
def test_any_conversation_is_in_an_order_that_is_taken(conversation, harness):
    wire = GenerateWire({"model": "m-1"}, ORIGIN)

    contents = decoded(wire.body(ModelRequest(conversation, harness=harness), stream=False))["contents"]

    roles = [each["role"] for each in contents]
    assert ("model", "model") not in itertools.pairwise(roles)
    assert (roles[0], roles[-1]) == ("user", "user")
    for before, after in itertools.pairwise(contents):
        called = [part for part in before["parts"] if "functionCall" in part]
        assert len(called) == len([part for part in after["parts"] if "functionResponse" in part])


def test_a_call_that_another_model_made_has_no_signature_of_it():
    call = AssistantMessage(calls=WHOLE.calls, origin="there m-2", extra=WHOLE.extra)

    told = sent(call, ToolMessage("f1", "lookup", "found"), ToolMessage("call_4_1", "ping", "pong"))

    signatures = [part.get("thoughtSignature") for part in told["contents"][1]["parts"]]
    assert signatures == ["skip_thought_signature_validator", None]
    assert not any("id" in part["functionCall"] for part in told["contents"][1]["parts"])


@pytest.mark.parametrize(
    ("fields", "config"),
    [
        ({"tool_choice": "none"}, {"mode": "NONE"}),
        ({"tool_choice": "required"}, {"mode": "ANY"}),
        ({"tool_choice": "lookup"}, {"mode": "ANY", "allowedFunctionNames": ["lookup"]}),
        ({"allowed": ("lookup",)}, {"mode": "VALIDATED", "allowedFunctionNames": ["lookup"]}),
    ],
)
def test_which_tools_may_be_called_is_told_behind_the_contents(fields, config):
    told = sent(tools=(TOOL,), **fields)

    assert told["toolConfig"] == {"functionCallingConfig": config}
    ToolConfig.model_validate(told["toolConfig"])


def test_a_schema_holds_the_answer_to_it():
    told = sent(schema={"type": "object"})

    assert told["generationConfig"] == {
        "responseMimeType": "application/json",
        "responseJsonSchema": {"type": "object"},
    }


# --- over the network


async def ask(server, *, stream=False, transcript=OPENING, **given):
    client = HttpClient()
    base = server.url.removesuffix("/v1")
    model = make_model(
        ModelSettings(provider="google", model="m-1", base_url=base, stream=stream, **given),
        {"GEMINI_API_KEY": KEY},
        client,
    )
    try:
        return await model.answer(ModelRequest(transcript, tools=(TOOL,)), None)
    finally:
        await client.close()


@pytest.mark.parametrize(
    ("status", "error", "category", "after"),
    [
        (
            400,
            {"message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"},
            "auth",
            None,
        ),
        (
            429,
            {
                "message": "You exceeded your current quota",
                "status": "RESOURCE_EXHAUSTED",
                "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}],
            },
            "rate_limited",
            34.0,
        ),
        (503, {"message": "The model is overloaded.", "status": "UNAVAILABLE"}, "server_error", None),
        (
            400,
            {"message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."},
            "context_overflow",
            None,
        ),
        (404, {"message": "models/m-1 is not found", "status": "NOT_FOUND"}, "invalid_request", None),
    ],
)
async def test_a_refusal_is_of_its_class(status, error, category, after):
    async with Loopback([[response({"error": {"code": status, **error}}, status)]]) as server:
        failure = await ask(server)

    assert (failure.category, failure.retry_after, failure.http_status) == (category, after, status)
    assert KEY not in failure.message


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("gemini-3.5-flash", "/v1beta/models/gemini-3.5-flash:generateContent"),
        ("tunedModels/mine", "/v1beta/tunedModels/mine:generateContent"),
        ("a b?c", "/v1beta/models/a%20b%3Fc:generateContent"),
    ],
)
def test_a_model_is_a_part_of_the_address(model, path):
    assert path_of(model, stream=False) == path
