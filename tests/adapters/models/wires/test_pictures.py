"""Images in every protocol: shown as the vendor's types take them, told in words where they can't be, kept of answers."""

import base64
import json

import pytest

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.models.program import program_model
from agentspec.adapters.models.providers import PROVIDERS
from agentspec.adapters.models.wires.pictures import REFUSED
from agentspec.adapters.stores.artifacts import FileArtifacts
from agentspec.core.messages import AssistantMessage, Failure, Picture, Reply, ToolCall, ToolMessage, UserMessage
from agentspec.ports import ModelRequest, ModelSettings
from tests.adapters.models.asking import OPENING, TOOL, ask, model_at
from tests.adapters.models.conversations import decoded
from tests.adapters.models.vendors import VENDORS
from tests.servers.loopback import Loopback, response
from tests.servers.said import Said
from tests.servers.speakers import SPEAKERS, answers

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 30
DATA = base64.b64encode(PNG).decode()
WORDS = "An image, image/png, 38 bytes; it can't be shown here."


@pytest.fixture
def artifacts(tmp_path):
    return FileArtifacts(tmp_path)


def conversation(artifacts):
    picture = Picture(artifacts.put(PNG), "image/png", len(PNG))
    calls = (ToolCall("c1", "lookup", "{}"), ToolCall("c2", "lookup", "{}"))
    said = (
        UserMessage("What is on it?", (picture,)),
        AssistantMessage(calls=calls),
        ToolMessage("c1", "lookup", "found", pictures=(picture,)),
        ToolMessage("c2", "lookup", ""),
        UserMessage("", (picture,)),
    )
    transcript = OPENING
    for message in said:
        transcript = transcript.append(message)
    return transcript


@pytest.mark.parametrize("provider", VENDORS)
def test_images_of_people_and_of_results_are_shown_as_the_vendors_types_take_them(provider, artifacts):
    wire = PROVIDERS[provider].wire({"model": "m-1"}, "here")
    request = ModelRequest(conversation(artifacts), tools=(TOOL,), artifacts=artifacts)

    body = wire.body(request, stream=False)

    VENDORS[provider].request(decoded(body))
    assert body.count(DATA.encode()) == 3
    assert b"can't be shown" not in body


@pytest.mark.parametrize("provider", VENDORS)
def test_without_its_bytes_an_image_is_told_in_words(provider, artifacts, tmp_path):
    wire = PROVIDERS[provider].wire({"model": "m-1"}, "here")

    for kept in (None, FileArtifacts(tmp_path / "empty")):
        wire.written.forget()
        body = wire.body(ModelRequest(conversation(artifacts), tools=(TOOL,), artifacts=kept), stream=False)

        VENDORS[provider].request(decoded(body))
        assert (body.count(DATA.encode()), body.count(WORDS.encode())) == (0, 3)


@pytest.mark.parametrize("provider", VENDORS)
async def test_a_model_that_sees_no_images_is_told_of_them_in_words_from_then_on(provider, artifacts):
    speaker = SPEAKERS[provider]
    refused = [response(speaker.refusal(400, "Image input is not supported for this model."), 400)]
    client = HttpClient()

    async with Loopback([refused, answers(speaker, Said("Ah."), streamed=False)]) as server:
        model = model_at(server.url, client, provider=provider)
        request = ModelRequest(conversation(artifacts), tools=(TOOL,), artifacts=artifacts)
        first, second = [await model.answer(request, None) for _ in range(2)]
    await client.close()

    assert isinstance(first, Failure)
    assert first.retryable
    assert isinstance(second, Reply)
    assert [DATA.encode() in asked.body for asked in server.asked] == [True, False]


async def test_where_no_image_was_shown_nothing_is_learnt_of_them():
    words = "Image input is not supported for this model."
    async with Loopback([[response(SPEAKERS["openai"].refusal(400, words), 400)]]) as server:
        answer = await ask(server.url)

    assert (answer.category, answer.retryable) == ("invalid_request", False)


@pytest.mark.parametrize(
    "words",
    [
        "Image input is not supported for this model.",
        "No endpoints found that support image input",
        "this model does not support images",
        "unknown variant `image_url`, expected `text`",
        "messages.1.content must be a string",
        "this model only supports text",
    ],
)
def test_refusals_of_images_are_known(words):
    assert REFUSED.search(words.lower())


def test_a_program_is_given_images_with_their_messages(artifacts, tmp_path):
    model = program_model(ModelSettings(provider="process", options={"command": ["true"]}), tmp_path)

    told = decoded(model._body(ModelRequest(conversation(artifacts), artifacts=artifacts)))

    assert [message.get("images") for message in told["messages"][2:4]] == [
        [{"media_type": "image/png", "data": DATA}],
        None,
    ]


BROUGHT = {
    "openai": {
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "Look:",
                    "images": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}],
                },
                "finish_reason": "stop",
            }
        ]
    },
    "openai_responses": {
        **SPEAKERS["openai_responses"].whole(Said("Look:")),
        "output": [
            *SPEAKERS["openai_responses"].whole(Said("Look:"))["output"],
            {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": DATA},
        ],
    },
    "google": {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [{"text": "Look:"}, {"inlineData": {"mimeType": "image/png", "data": DATA}}],
                },
                "finishReason": "STOP",
            }
        ]
    },
}


@pytest.mark.parametrize("provider", BROUGHT)
async def test_an_image_of_an_answer_is_kept_and_its_name_stands_in_the_text(provider, artifacts):
    client = HttpClient()
    async with Loopback([[response(BROUGHT[provider])]]) as server:
        model = model_at(server.url, client, provider=provider)
        reply = await model.answer(ModelRequest(OPENING, artifacts=artifacts), None)
    await client.close()

    name = artifacts.put(PNG)
    assert reply.text == f"Look:\n[image, image/png, 38 bytes, kept as artifact {name}]"
    assert artifacts.read(name, 0, 100) == PNG
    assert DATA not in reply.text


async def test_an_image_that_is_none_is_told():
    client = HttpClient()
    broken = json.loads(json.dumps(BROUGHT["google"]).replace(DATA, "no base64!"))
    async with Loopback([[response(broken)]]) as server:
        reply = await model_at(server.url, client, provider="google").answer(ModelRequest(OPENING), None)
    await client.close()

    assert reply.text == "Look:\n[image, image/png: its data is no base64]"
