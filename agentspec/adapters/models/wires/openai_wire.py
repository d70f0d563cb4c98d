"""openai_wire: requests of OpenAI Chat Completions as bytes.

A request is constant fields, then the messages, then what varies by turn, so that each request is a byte prefix of the
next one up to its harness slot. Every message is encoded once. Nothing goes out that a server would have to refuse for
ever: calls without results, broken argument text, lone surrogates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentspec.adapters.models.wires.call_ids import CallIds
from agentspec.adapters.models.wires.draft import Draft
from agentspec.adapters.models.wires.failures import Refusal
from agentspec.adapters.models.wires.json_bytes import to_json
from agentspec.adapters.models.wires.longest import Longest
from agentspec.adapters.models.wires.message_log import EMPTY, NO_OUTPUT, said_by, sendable_arguments, sendable_name
from agentspec.adapters.models.wires.openai_reply import ChatReader
from agentspec.adapters.models.wires.pictures import BROUGHT, Sight
from agentspec.adapters.models.wires.request_bytes import RequestBytes
from agentspec.adapters.models.wires.roles import GO_ON, Roles, in_turns
from agentspec.core.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from agentspec.ports import ModelRequest, ToolSchema

PATH = "/chat/completions"
NULL = re.compile(r"\b(null|none|nonetype|nil|must be a string|expected a string|valid string)\b")
WANTED = re.compile(r"missing|required|must be passed|must be provided|not found")
PLAIN_CHOICES = ("auto", "none", "required")
# How vLLM, SGLang and llama.cpp are told to go on with the last message; others do so by themselves.
GOING_ON = {"continue_final_message": True, "add_generation_prompt": False}
LIMITS = ("max_completion_tokens", "max_tokens")  # what servers call the longest answer
RESERVED = ("model", "messages", "tools", "stream", *LIMITS)  # what options of one call never change as they like


def is_strict(schema: Any) -> bool:
    """Whether a schema is one that "strict" decoding takes: every object closed, and all its properties required.

    >>> is_strict({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})
    False
    """
    if isinstance(schema, list):
        return all(is_strict(inner) for inner in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(properties) != set(schema.get("required", ())):
            return False
    return all(is_strict(inner) for inner in schema.values())


def _call(call: ToolCall, call_id: str, extra: dict[str, Any]) -> dict[str, Any]:
    function = {"name": sendable_name(call.name), "arguments": sendable_arguments(call.arguments)}
    return {"id": call_id, "type": "function", "function": function, **extra}


def _said(text: str, sights: tuple[Sight, ...] = ()) -> dict[str, Any]:
    if not sights:
        return {"role": "user", "content": text or EMPTY}
    words = [{"type": "text", "text": text}] if text else []
    shown = [{"type": "image_url", "image_url": {"url": each.url}} for each in sights]
    return {"role": "user", "content": [*words, *shown]}


def encode_tool(tool: ToolSchema) -> dict[str, Any]:
    """A tool as the wire has it; a tool without parameters still has an object schema."""
    parameters = {"type": "object", "properties": {}, **tool.parameters}
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": parameters},
    }


class ChatWire:
    """Requests to one model at one server, and their answers."""

    def __init__(self, constant: Mapping[str, Any], origin: str, output_limit: str = "max_tokens") -> None:
        """`constant` holds the fields that never change in a run, `model` first; `stream` is added by `body`."""
        # What a turn may ask otherwise stands behind the messages, so that the bytes before them never change.
        self._usual = {"tool_choice": constant["tool_choice"]} if "tool_choice" in constant else {}
        self._constant = {name: it for name, it in constant.items() if name not in (*LIMITS, "tool_choice")}
        self.output_limit = next((name for name in LIMITS if name in constant), output_limit)
        self._longest = Longest(constant.get(self.output_limit))
        self.origin = origin
        self.written = RequestBytes(self._messages, self._constant, RESERVED)
        self.restricts = True  # until a server refuses to be told which tools may be called
        self.has_restricted = False  # the newest request told it so
        self.asks_for_usage = True  # some servers refuse `stream_options`
        self.wants_reasoning = False  # some models take no call without what was thought before it
        self._ids = CallIds()
        self._roles = Roles()
        self.no_text: str | None = None  # the content of a message that only calls: some servers refuse null

    def reader(self, draft: Draft) -> ChatReader:
        """Who reads an answer of this protocol."""
        return ChatReader(draft)

    def adapt(self, refusal: Refusal) -> bool:
        """Learn the server's dialect from its complaint, once for each trait; whether trying again can help."""
        words = refusal.words.lower()
        if self._longest.learn(words):
            return True
        if self._ids.learn(words):  # some servers break over it (500)
            self.written.forget()
            return True
        if self._roles.learn(words):  # llama.cpp says with a 500 what a template refuses
            self.written.between = in_turns(lambda role, words: {"role": role, "content": words})
            self.written.forget()
            return True
        if refusal.category != "invalid_request":
            return False
        if self.output_limit == "max_tokens" and "max_completion_tokens" in words:
            self.output_limit = "max_completion_tokens"
            return True
        if self.asks_for_usage and "stream_options" in words:
            self.asks_for_usage = False
            self.written.forget()
            return True
        if self.has_restricted and ("tool_choice" in words or "allowed_tools" in words):
            self.restricts = self.has_restricted = False
            return True
        if not self.wants_reasoning and "reasoning_content" in words and WANTED.search(words):
            self.wants_reasoning = True
            self.written.forget()
            return True
        if self.no_text is None and "content" in words and NULL.search(words):
            self.no_text = ""
            self.written.forget()
            return True
        return False

    def body(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The bytes of `request`; `written.mark` says which they are, and how many the last request began with as well.

        Raises `Unpaired`.
        """
        prefix = self.written.prefix(
            request, stream, lambda fields: self._prefix(fields | {"stream": stream}, self.written.tools(request))
        )
        ending = self.written.ending(request, lambda role, text: {"role": role, "content": text})
        answer = to_json(_said(GO_ON)) if self._roles.is_strict else None
        return self.written.write(request, prefix, ending, self._tail(request), answer=answer)

    def _prefix(self, fields: dict[str, Any], tools: tuple[ToolSchema, ...]) -> bytes:
        if fields["stream"] and self.asks_for_usage:
            fields.setdefault("stream_options", {"include_usage": True})
        if tools:
            fields["tools"] = [encode_tool(tool) for tool in tools]
        return to_json(fields)[:-1] + b',"messages":['

    def _tail(self, request: ModelRequest) -> bytes:
        fields = dict(self._usual)
        asked = [request.options.get(name) for name in LIMITS] if request.options else ()
        most = self._longest.of(request.max_output_tokens, *asked)
        if most is not None:
            fields[self.output_limit] = most
        if request.tool_choice is not None and request.tools:
            fields["tool_choice"] = _choice(request.tool_choice)
        self.has_restricted = bool(request.allowed) and self.restricts and "tool_choice" not in fields
        if self.has_restricted:
            fields["tool_choice"] = _among(request.allowed or ())
        if request.schema is not None and "response_format" not in self._constant:
            fields["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": request.role, "schema": request.schema, "strict": is_strict(request.schema)},
            }
        return self.written.closing(request, fields | (GOING_ON if request.begun else {}))

    def _messages(self, messages: Sequence[Message], is_first: bool) -> Iterator[bytes]:
        brought: list[Sight] = []  # images of results, which the role of a tool can't have
        for message in self._roles.of(messages, is_first) if self._roles.is_strict else messages:
            if brought and not isinstance(message, ToolMessage):
                yield to_json(_said(BROUGHT, tuple(brought)))
                brought = []
            match message:
                case SystemMessage(text=text):
                    yield to_json({"role": "system", "content": text})
                case UserMessage():
                    yield to_json(_said(*self.written.seen(message)))
                case ToolMessage(call_id=call_id):
                    text, sights = self.written.seen(message)
                    brought += sights
                    yield to_json({"role": "tool", "tool_call_id": self._ids.of(call_id), "content": text or NO_OUTPUT})
                case AssistantMessage():
                    fragment = self._assistant(message)
                    if fragment is not None:
                        yield fragment
        if brought:
            yield to_json(_said(BROUGHT, tuple(brought)))

    def _assistant(self, message: AssistantMessage) -> bytes | None:
        extra = message.extra if message.origin == self.origin else {}
        content = said_by(message)
        if not content and not message.calls:
            return None  # nothing but reasoning: an empty message is refused by some servers, for ever
        fields: dict[str, Any] = {"role": "assistant", "content": content or self.no_text}
        if message.calls:
            of_calls = extra.get("calls", {})
            fields["tool_calls"] = [
                _call(call, self._ids.of(call.id), of_calls.get(call.id, {})) for call in message.calls
            ]
            fields |= {"reasoning_content": " "} if self.wants_reasoning else {}  # of what another model thought
        return to_json({**fields, **extra.get("message", {})})


def _among(names: tuple[str, ...]) -> Any:
    """All tools stay in the request, and only these may be called (OpenAI, `allowed_tools`)."""
    tools = [{"type": "function", "function": {"name": name}} for name in names]
    return {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": tools}}


def _choice(choice: str) -> Any:
    return choice if choice in PLAIN_CHOICES else {"type": "function", "function": {"name": choice}}
