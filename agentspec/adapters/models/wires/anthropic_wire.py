"""anthropic_wire: requests of Anthropic's Messages API as bytes.

Source: the Messages API, version 2026-10-21. Thinking goes back signed, unchanged and first, to the model that thought
it and to no other. Breakpoints of the prompt cache stand behind the tools and the system text, and behind what the next
request will begin with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentspec.adapters.models.wires.anthropic_reply import PAUSED, MessagesReader
from agentspec.adapters.models.wires.draft import Draft
from agentspec.adapters.models.wires.failures import Refusal, refuses_search
from agentspec.adapters.models.wires.json_bytes import from_json, to_json
from agentspec.adapters.models.wires.longest import Longest
from agentspec.adapters.models.wires.message_log import (
    EMPTY,
    NO_OUTPUT,
    made_id,
    said_by,
    sendable_arguments,
    sendable_name,
)
from agentspec.adapters.models.wires.pictures import Sight
from agentspec.adapters.models.wires.provider_run import is_run_by_anthropic
from agentspec.adapters.models.wires.request_bytes import RequestBytes, in_words_of, leading_system
from agentspec.adapters.models.wires.roles import GO_ON, Roles, in_turns
from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage
from agentspec.ports import ModelRequest, ProviderTool, ToolSchema

PATH = "/v1/messages"
VERSION = "2026-10-21"
SAMPLED = "2023-06-01"  # the newest version in which `temperature` and `top_p` may be sent
SAMPLING = ("temperature", "top_p", "top_k")
LONGEST_ANSWER = 32_000  # tokens, where nobody says: the protocol wants a number, and newer models write more
CHOICES = {"auto": {"type": "auto"}, "none": {"type": "none"}, "required": {"type": "any"}}
LEGAL_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
RESERVED = ("model", "messages", "tools", "system", "stream", "max_tokens")  # what options of one call never change
SEARCHES = {  # how the provider searches for tools that are deferred
    name: {"type": f"tool_search_tool_{name}_20251119", "name": f"tool_search_tool_{name}"}
    for name in ("bm25", "regex")
}
# The version of a tool that is named without a date: the first, which every model that has it takes.
FIRST = {
    "web_search": "web_search_20250305",
    "web_fetch": "web_fetch_20250910",
    "code_execution": "code_execution_20250825",
}


def version_for(constant: Mapping[str, Any]) -> str:
    """The version of the protocol that takes these fields.

    >>> version_for({"model": "m"}), version_for({"temperature": 0.2})
    ('2026-10-21', '2023-06-01')
    """
    return SAMPLED if any(name in constant for name in SAMPLING) else VERSION


class MessagesWire:
    """Requests to one model at one server, and their answers."""

    def __init__(self, constant: Mapping[str, Any], origin: str, ttl: str | None = "5m") -> None:
        """`constant` holds the fields that never change in a run, `model` first; `ttl` is how long prompts are cached
        (`5m` or `1h`), None for not at all.
        """
        rest = {name: value for name, value in constant.items() if name not in FIELDS and name != "seed"}
        fields = rest | {name: value for name, value in in_words_of(FIELDS, constant).items() if name not in rest}
        self._longest = Longest(fields.pop("max_tokens", LONGEST_ANSWER))
        kept = [name for name in ("tool_choice", "output_config") if name in fields]
        self._usual: dict[str, Any] = {name: fields.pop(name) for name in kept}
        self._constant = fields
        self.origin = origin
        self._cache = None if ttl is None else {"type": "ephemeral", **({"ttl": ttl} if ttl != "5m" else {})}
        self.written = RequestBytes(self._messages, self._constant, RESERVED)
        self._roles = Roles()
        self._has_search = True

    def reader(self, draft: Draft) -> MessagesReader:
        """Who reads an answer of this protocol."""
        return MessagesReader(draft)

    def adapt(self, refusal: Refusal) -> bool:
        """Learn the server's dialect from its complaint, once for each trait; whether trying again can help."""
        words = refusal.words.lower()
        if self._longest.learn(words):
            return True
        if self._cache is not None and refusal.category == "invalid_request" and "cache_control" in words:
            self._cache = None
            self.written.forget()
            return True
        if self._has_search and refuses_search(refusal):
            self._has_search = False  # the model is shown all tools
            self.written.forget()
            return True
        if refusal.category == "invalid_request" and self._roles.learn(words):  # servers of others: Bedrock
            self.written.between = in_turns(_said)
            self.written.forget()
            return True
        return False

    def body(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The bytes of `request`; `written.mark` says which they are. Raises `Unpaired`."""
        system = leading_system(request)
        prefix = self.written.prefix(
            request,
            (stream, system, request.search, bool(request.provider_tools)),
            lambda fields: self._prefix(request, fields | {"stream": stream}, system),
        )
        marked = self._with_breakpoint if self._cache is not None else None
        if self._is_paused(request):  # whoever says something now would cut off what the provider is about
            return self.written.write(request, prefix, None, self._tail(request), marked)
        ending = self.written.ending(request, _said)
        return self.written.write(request, prefix, ending, self._tail(request), marked, to_json(_said("user", GO_ON)))

    def _is_paused(self, request: ModelRequest) -> bool:
        last = request.transcript[-1] if len(request.transcript) else None
        if not isinstance(last, AssistantMessage) or last.origin != self.origin:
            return False
        return last.extra.get("message", {}).get(PAUSED) is True

    def _prefix(self, request: ModelRequest, fields: dict[str, Any], system: str) -> bytes:
        breakpoint_: dict[str, Any] = {} if self._cache is None else {"cache_control": self._cache}
        tools = self._tools(request)
        if tools:
            shown = [tool for tool in tools if "defer_loading" not in tool]  # only what is loaded can be cached
            shown[-1].update(breakpoint_)
            fields["tools"] = tools
        if system:
            fields["system"] = [{"type": "text", "text": system, **breakpoint_}]
        return to_json(fields)[:-1] + b',"messages":['

    def _tools(self, request: ModelRequest) -> list[dict[str, Any]]:
        own = [
            {"type": FIRST.get(tool.type, tool.type), "name": tool.name, **tool.options} for tool in _served(request)
        ]
        search = SEARCHES.get(request.search) if self._has_search else None
        if search is None:
            return [*own, *map(encode_tool, self.written.tools(request))]
        deferred = {"defer_loading": True}
        tools = [encode_tool(tool) | (deferred if tool.is_deferred else {}) for tool in self.written.tools(request)]
        return [*own, dict(search), *tools]

    def _tail(self, request: ModelRequest) -> bytes:
        fields = dict(self._usual)
        fields["max_tokens"] = self._longest.of(request.max_output_tokens, request.options.get("max_tokens"))
        if request.tool_choice is not None and (request.tools or _served(request)):
            fields["tool_choice"] = CHOICES.get(request.tool_choice, {"type": "tool", "name": request.tool_choice})
        if request.schema is not None:
            held = {"format": {"type": "json_schema", "schema": request.schema}}
            fields["output_config"] = {**held, **self._usual.get("output_config", {})}
        return self.written.closing(request, fields)

    def _with_breakpoint(self, message: bytes) -> bytes:
        """`message` with a breakpoint at its last block: what stands before it will be the beginning of the next."""
        return message[: -len(b"}]}")] + b',"cache_control":' + to_json(self._cache) + b"}]}"

    # --- messages

    def _messages(self, messages: Sequence[Message], is_first: bool) -> Iterator[bytes]:
        results: list[dict[str, Any]] = []
        begun = not is_first
        for message in messages:
            if results and not isinstance(message, ToolMessage):
                yield to_json({"role": "user", "content": results})
                results = []
            match message:
                case ToolMessage(call_id=call_id):
                    block = {"type": "tool_result", "tool_use_id": sendable_id(call_id)}
                    results.append({**block, "content": _content(*self.written.seen(message))})
                case UserMessage():
                    text, sights = self.written.seen(message)
                    yield to_json(_said("user", text, *map(_image, sights)))
                case SystemMessage(text=text) if begun:  # a leading one stands before the messages
                    yield to_json(_said("user", text))
                case AssistantMessage() if content := self._assistant(message):
                    yield to_json({"role": "assistant", "content": content})
                case _:
                    pass
            begun = begun or not isinstance(message, SystemMessage)
        if results:
            yield to_json({"role": "user", "content": results})

    def _assistant(self, message: AssistantMessage) -> list[dict[str, Any]]:
        signed = message.extra.get("message", {}).get("content") if message.origin == self.origin else None
        text = said_by(message)
        words = [{"type": "text", "text": text}] if text else []
        if not signed or not (message.calls or words or any(is_run_by_anthropic(block["type"]) for block in signed)):
            return [*words, *map(_call, message.calls)]
        left = {call.id: call for call in message.calls}
        blocks = [
            _call(left.pop(block["id"])) if block["type"] == "tool_use" else block
            for block in signed
            if block["type"] != "tool_use" or block["id"] in left
        ]
        return [*blocks, *map(_call, left.values())]


FIELDS = {"stop": "stop_sequences"}  # what the protocol calls what a spec calls otherwise


def _served(request: ModelRequest) -> list[ProviderTool]:
    """The tools that this provider runs; others are for other routes."""
    return [tool for tool in request.provider_tools if tool.is_run_by("anthropic")]


def _said(role: str, text: str, *images: dict[str, Any]) -> dict[str, Any]:
    words = [{"type": "text", "text": text if text.strip() else EMPTY}] if text.strip() or not images else []
    return {"role": role, "content": [*images, *words]}


def _content(text: str, sights: tuple[Sight, ...]) -> str | list[dict[str, Any]]:
    """What a result holds: a text, or blocks where there is more to see."""
    told = text if text.strip() else NO_OUTPUT
    return [{"type": "text", "text": told}, *map(_image, sights)] if sights else told


def _image(sight: Sight) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": sight.media_type, "data": sight.data}}


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = from_json(sendable_arguments(call.arguments).encode("utf-8", "replace"))
    return {"type": "tool_use", "id": sendable_id(call.id), "name": sendable_name(call.name), "input": arguments}


def sendable_id(call_id: str) -> str:
    """The id of a call as the protocol takes it: the same one, or a name made of it.

    >>> sendable_id("call_1"), sendable_id("a b")
    ('call_1', 'id_c8687a08aa5d6ed2044328fa6a697ab8')
    """
    return call_id if LEGAL_ID.fullmatch(call_id) else made_id(call_id)


def encode_tool(tool: ToolSchema) -> dict[str, Any]:
    """A tool as the wire has it; a tool without parameters still has an object schema."""
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": {"type": "object", "properties": {}, **tool.parameters},
    }
