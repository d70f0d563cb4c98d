"""The vendors' own clients read what the tests' servers say: whole and streamed, with the words that were meant."""

from __future__ import annotations

from collections.abc import Callable

import anthropic
import ollama
import openai
import pytest
from google import genai
from google.genai import types

from tests.servers.background import serving
from tests.servers.said import Said
from tests.servers.speakers import SPEAKERS, answers

pytestmark = pytest.mark.slow  # the clients take seconds to import
ASKED = [{"role": "user", "content": "Go."}]
SAID = Said("I look 🙂.")


def chat(url: str, *, streamed: bool) -> str:
    with openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
        if not streamed:
            return client.chat.completions.create(model="m-1", messages=ASKED).choices[0].message.content or ""
        events = client.chat.completions.create(model="m-1", messages=ASKED, stream=True)
        return "".join(event.choices[0].delta.content or "" for event in events if event.choices)


def responses(url: str, *, streamed: bool) -> str:
    with openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
        if not streamed:
            return client.responses.create(model="m-1", input="Go.").output_text
        events = client.responses.create(model="m-1", input="Go.", stream=True)
        return "".join(event.delta for event in events if event.type == "response.output_text.delta")


def messages(url: str, *, streamed: bool) -> str:
    with anthropic.Anthropic(base_url=url, api_key="k", max_retries=0) as client:
        if not streamed:
            told = client.messages.create(model="m-1", max_tokens=9, messages=ASKED)
            return "".join(block.text for block in told.content if block.type == "text")
        with client.messages.stream(model="m-1", max_tokens=9, messages=ASKED) as stream:
            return "".join(stream.text_stream)


def generate(url: str, *, streamed: bool) -> str:
    with genai.Client(api_key="k", http_options=types.HttpOptions(base_url=url)) as client:
        if not streamed:
            return client.models.generate_content(model="m-1", contents="Go.").text or ""
        return "".join(each.text or "" for each in client.models.generate_content_stream(model="m-1", contents="Go."))


def local(url: str, *, streamed: bool) -> str:
    with ollama.Client(host=url) as client:
        if not streamed:
            return client.chat(model="m-1", messages=ASKED).message.content or ""
        return "".join(each.message.content or "" for each in client.chat(model="m-1", messages=ASKED, stream=True))


CLIENTS: dict[str, Callable[..., str]] = {
    "openai": chat, "openai_responses": responses, "anthropic": messages, "google": generate, "ollama": local,
}  # fmt: skip


@pytest.mark.parametrize("provider", CLIENTS)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_the_vendors_client_reads_what_the_tests_servers_say(provider: str, streamed: bool) -> None:
    with serving(answers(SPEAKERS[provider], SAID, streamed=streamed)) as server:
        text = CLIENTS[provider](server.url.removesuffix("/v1"), streamed=streamed)

    assert text == SAID.text
