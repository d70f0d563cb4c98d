"""What the tests of the model adapters share: a model at a loopback server, and a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.models.registry import make_model
from agentspec.core.messages import Failure, Reply, SystemMessage, UserMessage
from agentspec.core.transcript import Transcript
from agentspec.ports import Delta, Model, ModelRequest, ModelSettings, ToolSchema

KEY = "sk-test-0123456789abcdef"
KEYS = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"), KEY)
OPENING = Transcript([SystemMessage("You look things up."), UserMessage("Go.")])
TOOL = ToolSchema("lookup", "Look a key up.", {"type": "object", "properties": {"key": {"type": "string"}}})


def model_at(url: str, client: HttpClient, **settings: Any) -> Model:
    """A model behind `url`; the address of a provider that adds its own version ends before it."""
    given = {"provider": "openai", "model": "m-1", **settings}
    given.setdefault("base_url", url if given["provider"].startswith("openai") else url.removesuffix("/v1"))
    return make_model(ModelSettings(**given), KEYS, client)


async def ask(
    url: str,
    *,
    listen: Callable[[Delta], None] | None = None,
    stream: bool = False,
    transcript: Transcript = OPENING,
    asked: int | None = None,
    **settings: Any,
) -> Reply | Failure:
    """Ask once over connections of its own, for so many tokens at most; the marks of the request are left out, they differ with its bytes."""
    client = HttpClient()
    model = model_at(url, client, stream=stream, **settings)
    try:
        answer = await model.answer(ModelRequest(transcript=transcript, tools=(TOOL,), max_output_tokens=asked), listen)
        return replace(answer, request_hash="")
    finally:
        await client.close()
