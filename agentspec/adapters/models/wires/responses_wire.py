"""responses_wire: requests of OpenAI's Responses API as bytes.

Source: the Responses API. Nothing is stored at the provider: what it wants to be reminded of (encrypted reasoning) goes
back item by item, in order, to the model that made it and to no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentspec.adapters.models.wires.draft import Draft
from agentspec.adapters.models.wires.failures import Refusal, refuses_search
from agentspec.adapters.models.wires.json_bytes import to_json
from agentspec.adapters.models.wires.longest import Longest
from agentspec.adapters.models.wires.message_log import (
    EMPTY,
    NO_OUTPUT,
    made_id,
    said_by,
    sendable_arguments,
    sendable_name,
)
from agentspec.adapters.models.wires.openai_wire import PLAIN_CHOICES, is_strict
from agentspec.adapters.models.wires.pictures import Sight
from agentspec.adapters.models.wires.provider_run import ITEMS
from agentspec.adapters.models.wires.request_bytes import RequestBytes
from agentspec.adapters.models.wires.responses_reply import CALL, ResponsesReader
from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage
from agentspec.ports import ModelRequest, ProviderTool, ToolSchema

PATH = "/responses"
REASONING = "reasoning.encrypted_content"
NONE_KEPT = re.compile(r"encrypted[ _]content.*(?:not supported|unsupported|include)|include.*encrypted[ _]content")
UNKNOWN = ("seed", "stop")  # what the protocol has no word for
RESERVED = ("model", "input", "tools", "stream", "max_output_tokens")  # what options of one call never change
LONGEST_ID = 64
ALSO: dict[str, dict[str, Any]] = {"code_interpreter": {"container": {"type": "auto"}}}  # what a tool can't be without


class ResponsesWire:
    """Requests to one model at one server, and their answers."""

    def __init__(self, constant: Mapping[str, Any], origin: str) -> None:
        """`constant` holds the fields that never change in a run, `model` first."""
        fields = {name: value for name, value in constant.items() if name not in UNKNOWN}
        self._longest = Longest(fields.pop("max_tokens", fields.pop("max_output_tokens", None)))
        kept = [name for name in ("tool_choice", "text") if name in fields]
        self._usual: dict[str, Any] = {name: fields.pop(name) for name in kept}
        self._constant: dict[str, Any] = {"store": False, "include": [REASONING], **fields}
        self.origin = origin
        self._has_search = True
        self._restricts = True  # until a server refuses to be told which tools may be called
        self._has_restricted = False  # the newest request told it so
        self.written = RequestBytes(self._input, self._constant, RESERVED)

    def reader(self, draft: Draft) -> ResponsesReader:
        """Who reads an answer of this protocol."""
        return ResponsesReader(draft)

    def adapt(self, refusal: Refusal) -> bool:
        """Learn the server's dialect from its complaint, once for each trait; whether trying again can help."""
        words = refusal.words.lower()
        if self._longest.learn(words):
            return True
        if refusal.category == "invalid_request" and NONE_KEPT.search(words) and "include" in self._constant:
            del self._constant["include"]  # a model that does not reason has none
            self.written.forget()
            return True
        if self._has_restricted and ("tool_choice" in words or "allowed_tools" in words):
            self._restricts = self._has_restricted = False
            return True
        if self._has_search and refuses_search(refusal):
            self._has_search = False  # the model is shown all tools
            self.written.forget()
            return True
        return False

    def body(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The bytes of `request`; `written.mark` says which they are. Raises `Unpaired`."""
        prefix = self.written.prefix(
            request,
            (stream, request.search, bool(request.provider_tools)),
            lambda fields: self._prefix(request, fields | {"stream": stream}),
        )
        harness = to_json({"role": "user", "content": request.harness}) if request.harness else None
        return self.written.write(request, prefix, harness, self._tail(request))

    def _prefix(self, request: ModelRequest, fields: dict[str, Any]) -> bytes:
        if tools := self._tools(request):
            fields["tools"] = tools
        return to_json(fields)[:-1] + b',"input":['

    def _tools(self, request: ModelRequest) -> list[dict[str, Any]]:
        tools: list[dict[str, Any]] = [
            {"type": tool.type, **ALSO.get(tool.type, {}), **tool.options} for tool in _served(request)
        ]
        if not request.search or not self._has_search:
            return [*tools, *map(encode_tool, self.written.tools(request))]
        groups: dict[str, list[dict[str, Any]]] = {}
        tools.append({"type": "tool_search"})
        for tool in self.written.tools(request):
            encoded = encode_tool(tool) | ({"defer_loading": True} if tool.is_deferred else {})
            if not tool.is_deferred or not tool.namespace:
                tools.append(encoded)
            elif tool.namespace in groups:
                groups[tool.namespace].append(encoded)
            else:
                groups[tool.namespace] = [encoded]
                tools.append(_group(tool.namespace, groups[tool.namespace]))
        return tools

    def _tail(self, request: ModelRequest) -> bytes:
        fields = dict(self._usual)
        most = self._longest.of(request.max_output_tokens, request.options.get("max_output_tokens"))
        if most is not None:
            fields["max_output_tokens"] = most
        if request.tool_choice is not None and (request.tools or _served(request)):
            choice = request.tool_choice
            fields["tool_choice"] = choice if choice in PLAIN_CHOICES else {"type": "function", "name": choice}
        self._has_restricted = bool(request.allowed) and self._restricts and "tool_choice" not in fields
        if self._has_restricted:
            named = [{"type": "function", "name": name} for name in request.allowed or ()]
            fields["tool_choice"] = {"type": "allowed_tools", "mode": "auto", "tools": named}
        if request.schema is not None:
            held = {"type": "json_schema", "name": request.role, "schema": request.schema}
            fields["text"] = {"format": {**held, "strict": is_strict(request.schema)}, **fields.get("text", {})}
        return self.written.closing(request, fields)

    # --- items

    def _input(self, messages: Sequence[Message], is_first: bool) -> Iterator[bytes]:  # noqa: ARG002 - the shape
        ids: dict[str, str] = {}  # the server's own, where it made the call
        for message in messages:
            match message:
                case SystemMessage(text=text):
                    yield to_json({"role": "system", "content": text})
                case UserMessage():
                    yield to_json({"role": "user", "content": _content(*self.written.seen(message)) or EMPTY})
                case ToolMessage(call_id=call_id):
                    told = {"type": "function_call_output", "call_id": ids.get(call_id, sendable_id(call_id))}
                    yield to_json({**told, "output": _content(*self.written.seen(message)) or NO_OUTPUT})
                case AssistantMessage():
                    yield from map(to_json, self._items(message, ids))

    def _items(self, message: AssistantMessage, ids: dict[str, str]) -> Iterator[dict[str, Any]]:
        extra = message.extra if message.origin == self.origin else {}
        of_calls = extra.get("calls", {})
        left: dict[str, ToolCall] = {}
        for call in message.calls:
            ids[call.id] = of_calls.get(call.id, {}).get("call_id") or sendable_id(call.id)
            left[ids[call.id]] = call
        kept = extra.get("message", {}).get("items")
        text = said_by(message)
        if kept and (text or message.calls or any(item["type"] in ITEMS for item in kept)):
            for item in kept:
                if item["type"] != CALL:
                    yield item
                elif item["call_id"] in left:
                    call = left.pop(item["call_id"])
                    yield _call(call, item["call_id"], of_calls.get(call.id, {}))
        elif text:
            yield {"role": "assistant", "content": text}
        for call_id, call in left.items():
            yield _call(call, call_id, of_calls.get(call.id, {}))


def _content(text: str, sights: tuple[Sight, ...]) -> str | list[dict[str, Any]]:
    """A text, or parts where there is more to see."""
    words = [{"type": "input_text", "text": text}] if text else []
    shown = [{"type": "input_image", "image_url": each.url, "detail": "auto"} for each in sights]
    return [*words, *shown] if shown else text


def _served(request: ModelRequest) -> list[ProviderTool]:
    """The tools that this provider runs; others are for other routes."""
    return [tool for tool in request.provider_tools if tool.is_run_by("openai_responses")]


def _call(call: ToolCall, call_id: str, kept: Mapping[str, Any]) -> dict[str, Any]:
    told = {"type": CALL, "call_id": call_id, "name": sendable_name(call.name)}
    group = {"namespace": kept["namespace"]} if "namespace" in kept else {}
    return {**told, **group, "arguments": sendable_arguments(call.arguments)}


def _group(name: str, tools: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "namespace", "name": name, "description": f"Tools of the group {name}.", "tools": tools}


def sendable_id(call_id: str) -> str:
    """The id of a call as the protocol takes it: the same one, or a short name made of it.

    >>> sendable_id("call_1"), len(sendable_id("x" * 100))
    ('call_1', 35)
    """
    return call_id if len(call_id) <= LONGEST_ID else made_id(call_id)


def encode_tool(tool: ToolSchema) -> dict[str, Any]:
    """A tool as the wire has it; a tool without parameters still has an object schema."""
    parameters = {"type": "object", "properties": {}, **tool.parameters}
    named = {"type": "function", "name": tool.name, "description": tool.description}
    return {**named, "parameters": parameters, "strict": False}
