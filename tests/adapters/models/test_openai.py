"""A Chat Completions endpoint, asked for real: one call, one answer, streamed or not."""

import asyncio
from itertools import pairwise

import pytest
from msgspec.structs import replace

from agentspec.adapters.http.client import HttpClient
from agentspec.core.messages import AssistantMessage, Failure, Reply, ToolCall, ToolMessage, Usage, UserMessage
from agentspec.core.transcript import Transcript
from agentspec.ports import Delta, ModelRequest
from tests.adapters.models.asking import KEY, OPENING, TOOL, ask, model_at
from tests.servers.loopback import (
    DONE,
    STALL,
    Loopback,
    call_piece,
    chunk,
    completion,
    piece,
    response,
    stream,
    stream_head,
    usage_piece,
)


@pytest.fixture
async def client():
    made = HttpClient()
    yield made
    await made.close()


CALLS = [
    {"id": f"c{n}", "type": "function", "function": {"name": "lookup", "arguments": f'{{"key":"{n}"}}'}} for n in (1, 2)
]
PLAIN = response(
    completion({"content": "Let me look.", "tool_calls": CALLS}, "tool_calls"), headers={"x-request-id": "req-1"}
)
PIECES = (
    piece({"role": "assistant", "content": ""}), piece({"content": "Let me "}), piece({"content": "look."}),
    call_piece(0, "c1", "lookup", ""), call_piece(0, None, None, '{"key":"1"}'), call_piece(1, "c2", "lookup", '{"key":'),
    call_piece(1, None, None, '"2"}'), piece({}, "tool_calls"), usage_piece(), DONE,
)  # fmt: skip
REPLY = Reply(
    text="Let me look.",
    calls=(ToolCall("c1", "lookup", '{"key":"1"}'), ToolCall("c2", "lookup", '{"key":"2"}')),
    finish="tool_calls",
    finish_text="tool_calls",
    usage=Usage(11, 5),
    model="m-1",
    provider="openai",
    request_id="chatcmpl-1",
)


async def test_a_plain_answer_is_read_whole():
    async with Loopback([[PLAIN]]) as server:
        assert await ask(server.url) == REPLY


async def test_a_stream_gives_the_same_reply_and_is_heard_in_order():
    heard = []
    async with Loopback([[stream_head(), *(chunk(each) for each in PIECES), chunk(b"")]]) as server:
        reply = await ask(server.url, stream=True, listen=heard.append)

    assert reply == REPLY
    assert heard == [
        Delta("text_delta", "Let me "),
        Delta("text_delta", "look."),
        Delta("tool_call_delta", "", 0, "lookup"),
        Delta("tool_call_delta", '{"key":"1"}', 0, ""),
        Delta("tool_call_delta", '{"key":', 1, "lookup"),
        Delta("tool_call_delta", '"2"}', 1, ""),
    ]


async def test_a_piece_is_heard_before_the_next_one_is_sent():
    heard = []
    async with Loopback([[stream_head(), chunk(b"".join(PIECES[:2])), STALL]]) as server:
        answer = await ask(server.url, stream=True, listen=heard.append, timeout=0.3)

    assert heard == [Delta("text_delta", "Let me ")]
    assert (answer.category, answer.text) == ("timeout", "Let me ")


async def test_the_request_carries_the_key_once_and_nothing_that_changes_by_itself():
    async with Loopback([[PLAIN]]) as server:
        await ask(server.url)
        await ask(server.url)

    first, second = server.asked
    assert first.line == "POST /v1/chat/completions HTTP/1.1"
    assert first.body == second.body
    assert first.headers == {
        "host": f"127.0.0.1:{server.port}",
        "accept-encoding": "identity",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "user-agent": "agentspec",
        "authorization": f"Bearer {KEY}",
        "content-length": str(len(first.body)),
    }


async def test_streaming_follows_the_listener_unless_the_spec_says():
    async with Loopback([[PLAIN]]) as server:
        await ask(server.url, stream=None)
        await ask(server.url, stream=None, listen=lambda _: None)
        await ask(server.url, stream=False, listen=lambda _: None)

        assert [asked.json["stream"] for asked in server.asked] == [False, True, False]


async def test_a_conversation_goes_over_one_connection_and_each_request_begins_with_the_one_before(client):
    transcript = OPENING
    async with Loopback([[stream(*PIECES)]]) as server:
        model = model_at(server.url, client)
        for number in range(5):
            request = ModelRequest(transcript, (TOOL,), f"Step {number}.", max_output_tokens=100 + number)
            reply = await model.answer(request, lambda _: None)
            transcript = transcript.append(AssistantMessage(reply.text, reply.calls, origin=reply.origin))
            for call in reply.calls:
                transcript = transcript.append(ToolMessage(call.id, call.name, "found"))

        bodies = [asked.body for asked in server.asked]
        assert server.connections == 1
    for number, (before, after) in enumerate(pairwise(bodies)):
        shared = before[: before.index(b',{"role":"user","content":"Step %d."}' % number)]
        assert after.startswith(shared)


async def test_ids_stay_unique_over_the_turns_of_a_conversation(client):
    transcript, ids = OPENING, []
    async with Loopback([[PLAIN]]) as server:
        model = model_at(server.url, client)
        for _ in range(3):
            reply = await model.answer(ModelRequest(transcript, (TOOL,)), None)
            ids += [call.id for call in reply.calls]
            transcript = transcript.append(AssistantMessage(reply.text, reply.calls))
            for call in reply.calls:
                transcript = transcript.append(ToolMessage(call.id, call.name, "found"))

    assert ids == ["c1", "c2", "call_5_0", "call_5_1", "call_8_0", "call_8_1"]


async def test_a_conversation_that_does_not_pair_is_not_sent(client):
    transcript = Transcript([UserMessage("x"), AssistantMessage(calls=(ToolCall("c1", "lookup", "{}"),))])
    async with Loopback([[PLAIN]]) as server:
        failure = await model_at(server.url, client).answer(ModelRequest(transcript), None)

    assert (failure.category, failure.retryable, server.asked) == ("invalid_request", False, [])
    assert failure.message.endswith("not sent, the conversation is not whole: the call `c1` has no result")


@pytest.mark.parametrize("deadline", [0.0, -1.0])
async def test_without_time_left_nothing_is_sent(client, deadline):
    async with Loopback([[PLAIN]]) as server:
        failure = await model_at(server.url, client).answer(ModelRequest(OPENING, deadline=deadline), None)

    assert (failure.category, server.asked) == ("timeout", [])


async def test_a_deadline_that_is_nearer_than_the_limit_counts(client):
    async with Loopback([[STALL]]) as server:
        failure = await model_at(server.url, client, timeout=60.0).answer(ModelRequest(OPENING, deadline=0.1), None)

    assert failure.message.endswith("no whole answer within 0.1 s")


async def test_a_cancelled_call_is_cancelled_and_its_connection_is_gone(client):
    async with Loopback([[stream_head(), chunk(PIECES[1]), STALL]]) as server:
        model, heard = model_at(server.url, client), asyncio.Event()
        task = asyncio.create_task(model.answer(ModelRequest(OPENING), lambda _: heard.set()))
        await heard.wait()
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task


def complaint(message):
    return [response({"error": {"message": message, "type": "invalid_request_error"}}, 400)]


@pytest.mark.parametrize(
    ("message", "learned"),
    [
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            lambda body: "max_tokens" not in body and body["max_completion_tokens"] == 9,
        ),
        ("Unknown field: stream_options", lambda body: "stream_options" not in body),
        ("messages.2.content: None is not a valid string", lambda body: body["messages"][2]["content"] == ""),
    ],
)
async def test_a_dialect_is_learned_from_one_complaint_and_only_once(client, message, learned):
    called = AssistantMessage(calls=(ToolCall("c1", "lookup", "{}"),))
    transcript = OPENING.append(called).append(ToolMessage("c1", "lookup", "x"))
    request = ModelRequest(transcript, (TOOL,), max_output_tokens=9)
    async with Loopback([complaint(message), [stream(*PIECES)], complaint(message)]) as server:
        model = model_at(server.url, client, stream=True)
        first, second, third = [await model.answer(request, None) for _ in range(3)]

    assert (first.category, first.retryable, isinstance(second, Reply)) == ("invalid_request", True, True)
    assert not learned(server.asked[0].json)
    assert learned(server.asked[1].json)
    assert (third.category, third.retryable) == ("invalid_request", False)


OF_MISTRAL = "Tool call id was {} but must be a-z, A-Z, 0-9, with a length of 9."
OF_OPENAI = "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40."


@pytest.mark.parametrize(
    ("status", "words", "kept", "changed"),
    [
        (400, OF_MISTRAL, "abcdefgh9", "call_PTL_8xhu3uwZk"),
        (500, OF_MISTRAL, "abcdefgh9", "call_49c89af0"),
        (400, OF_OPENAI, "call_1", "c" * 41),
    ],
)
async def test_an_id_that_the_server_refuses_is_the_same_new_one_in_the_call_and_in_its_result(
    client, status, words, kept, changed
):
    called = AssistantMessage(calls=(ToolCall(kept, "lookup", "{}"), ToolCall(changed, "lookup", "{}")))
    transcript = OPENING.append(called).append(ToolMessage(kept, "lookup", "x"))
    transcript = transcript.append(ToolMessage(changed, "lookup", "y"))
    refused = [response({"object": "error", "message": words.format(changed)}, status)]
    async with Loopback([refused, [stream(*PIECES)], [stream(*PIECES)]]) as server:
        model = model_at(server.url, client, stream=True)
        answers = [await model.answer(ModelRequest(transcript, (TOOL,)), None) for _ in range(3)]

    assert [isinstance(answer, Reply) for answer in answers] == [False, True, True]
    assert answers[0].retryable
    for asked in server.asked[1:]:
        *_, told, first, second = asked.json["messages"]
        ids = [call["id"] for call in told["tool_calls"]]
        assert ids == [first["tool_call_id"], second["tool_call_id"]]
        assert ids[0] == kept
        assert ids[1] != changed
        assert len(ids[1]) in (9, 40)
        assert ids[1].isalnum()


@pytest.mark.parametrize(
    ("words", "longest"),
    [
        (
            (
                "max_tokens is too large: 16384. This model supports at most 4096 completion tokens, whereas you provided "
                "16384."
            ),
            4096,
        ),
        (
            (
                "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is 8192 "
                "tokens and your request has 20 input tokens"
            ),
            4096,
        ),
    ],
)
async def test_an_answer_that_is_longer_than_a_server_allows_is_asked_for_as_long_as_it_does(client, words, longest):
    request = ModelRequest(OPENING, max_output_tokens=16_384)
    async with Loopback([complaint(words), [PLAIN], complaint(words)]) as server:
        model = model_at(server.url, client)
        first, second, third = [await model.answer(request, None) for _ in range(3)]

    assert (first.retryable, isinstance(second, Reply), third.retryable) == (True, True, False)
    assert server.asked[1].json["max_tokens"] == longest


async def test_a_fixed_limit_of_the_output_is_renamed_as_well(client):
    words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    async with Loopback([complaint(words), [PLAIN]]) as server:
        model = model_at(server.url, client, sampling={"max_tokens": 9, "seed": 1})
        answers = [await model.answer(ModelRequest(OPENING), None) for _ in range(2)]

    assert [type(answer) for answer in answers] == [Failure, Reply]
    assert {key: server.asked[1].json.get(key) for key in ("max_tokens", "max_completion_tokens", "seed")} == {
        "max_tokens": None,
        "max_completion_tokens": 9,
        "seed": 1,
    }


async def test_many_runs_share_the_client_and_none_hears_another(client):
    async def run(server, number):
        model, heard = model_at(server.url, client), []
        transcript = Transcript([UserMessage(f"run {number}")])
        answers = [await model.answer(ModelRequest(transcript), heard.append) for _ in range(3)]
        return answers, heard

    async with Loopback([[stream(*PIECES)]]) as server:
        results = await asyncio.gather(*(run(server, number) for number in range(50)))

        answers = [answer for answers, _ in results for answer in answers]
        assert all(replace(answer, request_hash="", prefix_share=0.0, prefix_bytes=0) == REPLY for answer in answers)
        assert {len(heard) for _, heard in results} == {18}
        assert server.connections <= 50


@pytest.mark.parametrize(
    ("message", "finish", "words"),
    [
        ({"content": "Half an"}, "content_filter", "the answer was withheld by the provider's content filter"),
        ({"content": None, "refusal": "I won't."}, "stop", "the model refused: I won't."),
        ({"content": "", "tool_calls": CALLS}, "content_filter", "the answer was withheld"),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_refused_answer_is_final_and_its_cost_is_kept(message, finish, words, streamed):
    plain, pieces = (
        response(completion(message, finish)),
        stream(piece(message), piece({}, finish), usage_piece(), DONE),
    )
    async with Loopback([[pieces if streamed else plain]]) as server:
        failure = await ask(server.url, stream=streamed)

    assert (failure.category, failure.retryable, failure.usage) == ("content_filter", False, Usage(11, 5))
    assert words in failure.message


async def test_settings_go_out_as_they_stand_and_options_win():
    async with Loopback([[PLAIN]]) as server:
        await ask(
            server.url,
            sampling={"temperature": 0.2, "stop": ["x"]},
            options={"temperature": 0, "vendor": {"a": None}},
            headers={"X-Team": "blue"},
        )

    body = server.asked[0].json
    assert (body["temperature"], body["stop"], body["vendor"]) == (0, ["x"], {"a": None})
    assert server.asked[0].headers["x-team"] == "blue"


async def test_a_server_of_ones_own_needs_no_key():
    client = HttpClient()
    async with Loopback([[PLAIN]]) as server:
        model = model_at(server.url, client, api_key_env=None, headers={"authorization": ""})
        await model.answer(ModelRequest(OPENING), None)
        await client.close()

    assert KEY not in str(server.asked[0].headers)


async def test_a_failure_never_shows_a_header_of_the_author():
    echo = response({"error": {"message": "bad header geheim-1234"}}, 400)
    async with Loopback([[echo]]) as server:
        failure = await ask(server.url, headers={"X-Token": "geheim-1234"})

    assert isinstance(failure, Failure)
    assert "geheim" not in repr(failure)
