"""What the vendors' own types make of requests and answers, walked to the leaves: lazy parts are read, ids are paired."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, get_type_hints

import ollama
from anthropic.types import Message, RawMessageStreamEvent
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming
from google.genai.types import Content, FunctionDeclaration, GenerateContentResponse, GenerationConfig, ToolConfig
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from openai.types.responses import Response, ResponseStreamEvent
from openai.types.responses.response_create_params import (
    ResponseCreateParamsNonStreaming,
    ResponseCreateParamsStreaming,
)
from pydantic import TypeAdapter

from tests.adapters.models.conversations import leaves

SIGNED = "c2lnbmVk"
SAMPLED = {"temperature", "top_p"}  # Anthropic's types are of the version that takes none; an older one does
Told = dict[str, Any]


class Vendor(NamedTuple):
    """One vendor's types: each raises where it takes something amiss. `extra` is what only its models understand."""

    request: Callable[[Told], None]
    whole: Callable[[Told], object]
    event: Callable[[Told], object]
    extra: Told


def _typed(whole: type, streamed: type) -> Callable[[Told], Told]:
    types = {
        False: (TypeAdapter(whole), get_type_hints(whole)),
        True: (TypeAdapter(streamed), get_type_hints(streamed)),
    }

    def take(told: Told) -> Told:
        adapter, known = types[told["stream"]]
        assert told.keys() <= known.keys() | SAMPLED
        taken: Told = leaves(adapter.validate_python(told))
        return taken

    return take


def _pair(calls: Iterable[str], results: Iterable[str]) -> None:
    assert list(calls) == list(results)


_chat = _typed(CompletionCreateParamsNonStreaming, CompletionCreateParamsStreaming)
_responses = _typed(ResponseCreateParamsNonStreaming, ResponseCreateParamsStreaming)
_messages = _typed(MessageCreateParamsNonStreaming, MessageCreateParamsStreaming)


def take_chat(told: Told) -> None:
    """A request of Chat Completions."""
    messages = _chat(told)["messages"]
    _pair(
        (call["id"] for message in messages for call in message.get("tool_calls", ())),
        (message["tool_call_id"] for message in messages if message["role"] == "tool"),
    )
    own = [message for message in messages if message["role"] == "assistant"]
    assert all(message["content"] or message.get("tool_calls") for message in own)


def take_responses(told: Told) -> None:
    """A request of the Responses API."""
    items = _responses(told)["input"]
    kinds = ("function_call", "function_call_output")
    _pair(*([item["call_id"] for item in items if item.get("type") == kind] for kind in kinds))


def take_messages(told: Told) -> None:
    """A request of the Messages API: roles begin and end with the user, and no text is blank."""
    messages = _messages(told)["messages"]
    assert messages[0]["role"] == messages[-1]["role"] == "user"
    blocks = [block for message in messages for block in message["content"]]
    assert all(block["text"].strip() for block in blocks if block["type"] == "text")
    _pair(
        (block["id"] for block in blocks if block["type"] == "tool_use"),
        (block["tool_use_id"] for block in blocks if block["type"] == "tool_result"),
    )


GENERATE = {"contents", "generationConfig", "systemInstruction", "toolConfig", "tools"}


def take_generate(told: Told) -> None:
    """A request of `generateContent`; its types forbid what they don't know."""
    assert told.keys() <= GENERATE
    contents = [Content.model_validate(content) for content in told["contents"]]
    parts = [part for content in contents for part in content.parts or ()]
    assert all(content.parts for content in contents)
    _pair(
        (part.function_call.name for part in parts if part.function_call),
        (part.function_response.name for part in parts if part.function_response),
    )
    for declared in (each for tool in told.get("tools", ()) for each in tool["functionDeclarations"]):
        FunctionDeclaration.model_validate(declared)
    GenerationConfig.model_validate(told.get("generationConfig", {}))
    ToolConfig.model_validate(told.get("toolConfig", {}))


OLLAMA = {"model", "messages", "tools", "stream", "format", "options", "think", "keep_alive"}


def _with_images(message: Told) -> Told:
    """A message with its images as the types have them, which write them as this text."""
    images = [ollama.Image(value=data) for data in message.get("images", ())]
    assert [each.model_dump() for each in images] == message.get("images", [])
    return message | ({"images": images} if images else {})


def take_ollama(told: Told) -> None:
    """A request of `/api/chat`."""
    assert told.keys() <= OLLAMA
    messages = [ollama.Message.model_validate(_with_images(message)) for message in told["messages"]]
    for tool in told.get("tools", ()):
        ollama.Tool.model_validate(tool)
    ollama.Options.model_validate(told.get("options", {}))
    _pair(
        (call.function.name for message in messages for call in message.tool_calls or ()),
        (str(message.tool_name) for message in messages if message.role == "tool"),
    )


_stream_event: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
_message_event: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)
_thought = {"type": "thinking", "thinking": "Look it up.", "signature": SIGNED}
_reasoned = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": SIGNED}

VENDORS: dict[str, Vendor] = {
    "openai": Vendor(
        take_chat,
        ChatCompletion.model_validate,
        ChatCompletionChunk.model_validate,
        {"message": {"reasoning_content": "Look it up."}},
    ),
    "openai_responses": Vendor(
        take_responses, Response.model_validate, _stream_event.validate_python, {"message": {"items": [_reasoned]}}
    ),
    "anthropic": Vendor(
        take_messages,
        Message.model_validate,
        lambda event: event["type"] == "ping" or _message_event.validate_python(event),
        {"message": {"content": [_thought]}},
    ),
    "google": Vendor(
        take_generate,
        GenerateContentResponse.model_validate,
        GenerateContentResponse.model_validate,
        {"message": {"parts": [{"text": "I look.", "thoughtSignature": SIGNED}]}},
    ),
    "ollama": Vendor(take_ollama, ollama.ChatResponse.model_validate, ollama.ChatResponse.model_validate, {}),
}
