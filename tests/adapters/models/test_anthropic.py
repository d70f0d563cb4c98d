"""A model behind the Messages API, asked over the network: keys, versions, refusals, streams that end anywhere."""

import json

import pytest

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.models.registry import make_model
from agentspec.core.messages import AssistantMessage, Failure, ToolMessage
from agentspec.ports import ModelRequest, ModelSettings
from tests.adapters.models.asking import KEY, OPENING, TOOL
from tests.adapters.models.wires.test_anthropic_reply import BLOCKS, body, events, streamed
from tests.servers.loopback import Loopback, chunk, response, stream_head


async def ask(server, *, stream=False, transcript=OPENING, url=None, **settings):
    client = HttpClient()
    given = {"provider": "anthropic", "model": "m-1", "base_url": url or server.url, "stream": stream, **settings}
    model = make_model(ModelSettings(**given), {"ANTHROPIC_API_KEY": KEY}, client)
    try:
        return await model.answer(ModelRequest(transcript=transcript, tools=(TOOL,)), None)
    finally:
        await client.close()


def refusal(kind, message, status, **headers):
    error = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    fields = {"request-id": "req_1", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return [response(error, status, fields)]


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/", "/v1/messages"])
async def test_the_address_may_end_before_or_behind_its_version(end):
    async with Loopback([[response(body(BLOCKS[2]))]]) as server:
        await ask(server, url=server.url.removesuffix("/v1") + end)

    assert server.asked[0].line == "POST /v1/messages HTTP/1.1"


async def test_sampling_is_sent_in_the_version_that_takes_it():
    async with Loopback([[response(body(BLOCKS[2]))]]) as server:
        await ask(server, sampling={"temperature": 0.0, "seed": 1})

    assert server.asked[0].headers["anthropic-version"] == "2023-06-01"
    assert json.loads(server.asked[0].body)["temperature"] == 0.0


@pytest.mark.parametrize(
    ("script", "category", "retryable", "after"),
    [
        (refusal("authentication_error", "invalid x-api-key", 401), "auth", False, None),
        (refusal("permission_error", "no", 403), "auth", False, None),
        (refusal("rate_limit_error", "slow down", 429, retry_after="7"), "rate_limited", True, 7.0),
        (refusal("overloaded_error", "Overloaded", 529), "server_error", True, None),
        (refusal("api_error", "Internal server error", 500), "server_error", True, None),
        (refusal("timeout_error", "took too long", 504), "server_error", True, None),
        (refusal("billing_error", "Your credit balance is too low", 400), "invalid_request", False, None),
        (refusal("not_found_error", "model: m-1", 404), "invalid_request", False, None),
        (
            refusal("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", 400),
            "context_overflow",
            False,
            None,
        ),
        (refusal("request_too_large", "Request exceeds the maximum size", 413), "context_overflow", False, None),
    ],
)
async def test_a_refusal_is_of_its_class_and_names_the_request(script, category, retryable, after):
    async with Loopback([script]) as server:
        failure = await ask(server)

    assert isinstance(failure, Failure)
    assert (failure.category, failure.retryable, failure.retry_after) == (category, retryable, after)
    assert failure.request_id == "req_1"
    assert failure.message.startswith("anthropic `m-1` at 127.0.0.1")
    assert KEY not in failure.message


async def test_a_stream_that_turns_into_an_error_is_that_error_with_what_was_said():
    told = [*events(BLOCKS[2])][:6]
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}

    async with Loopback([[stream_head(), chunk(streamed(*told, error)), chunk(b"")]]) as server:
        failure = await ask(server, stream=True)

    assert isinstance(failure, Failure)
    assert (failure.category, failure.retryable, failure.text[:6]) == ("server_error", True, "I look")


async def test_thinking_is_sent_back_as_it_came():
    async with Loopback([[response(body(*BLOCKS, reason="tool_use"))], [response(body(BLOCKS[2]))]]) as server:
        first = await ask(server)
        said = OPENING.append(_message(first))
        for call in first.calls:
            said = said.append(ToolMessage(call.id, call.name, "found"))
        await ask(server, transcript=said)

    assert json.loads(server.asked[1].body)["messages"][1]["content"] == BLOCKS


def _message(reply):
    return AssistantMessage(
        text=reply.text, calls=reply.calls, reasoning=reply.reasoning, extra=reply.extra, origin=reply.origin
    )
