"""google_wire: requests of Gemini's `generateContent` as bytes.

Source: the Gemini API, v1beta. A thought signature goes back with the part that it came with, to the model that made it
and to no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from agentspec.adapters.models.wires.draft import Draft, mapping_of
from agentspec.adapters.models.wires.failures import Refusal
from agentspec.adapters.models.wires.google_reply import SIGNATURE, GenerateReader
from agentspec.adapters.models.wires.json_bytes import from_json, to_json
from agentspec.adapters.models.wires.longest import Longest
from agentspec.adapters.models.wires.message_log import EMPTY, NO_OUTPUT, said_by, sendable_arguments, sendable_name
from agentspec.adapters.models.wires.pictures import Sight
from agentspec.adapters.models.wires.request_bytes import RequestBytes, in_words_of, leading_system
from agentspec.adapters.models.wires.roles import GO_ON, in_between
from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage
from agentspec.ports import ModelRequest, ToolSchema

FIELDS: Final = {  # what the protocol calls what a spec calls otherwise
    "temperature": "temperature", "top_p": "topP", "top_k": "topK", "seed": "seed", "stop": "stopSequences",
    "max_tokens": "maxOutputTokens",
}  # fmt: skip
MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY"}
# What options of one call never change.
RESERVED = ("model", "contents", "tools", "systemInstruction", "stream", "generationConfig")
UNSIGNED = "skip_thought_signature_validator"  # for the first call of a turn that another model made


def path_of(model: str, stream: bool) -> str:
    """Where a model is asked.

    >>> path_of("gemini-3.5-flash", False)
    '/v1beta/models/gemini-3.5-flash:generateContent'
    """
    name = quote(model if "/" in model else f"models/{model}", safe="/-._~@")
    return f"/v1beta/{name}:{'streamGenerateContent?alt=sse' if stream else 'generateContent'}"


class GenerateWire:
    """Requests to one model at one server, and their answers."""

    def __init__(self, constant: Mapping[str, Any], origin: str) -> None:
        """`constant` holds the fields that never change in a run; the model stands in the address."""
        options = {name: value for name, value in constant.items() if name != "model" and name not in FIELDS}
        own = options.pop("generationConfig", {})
        sampling = in_words_of(FIELDS, constant)
        self._config: dict[str, Any] = {**sampling, **(own if isinstance(own, Mapping) else {})}
        self._longest = Longest(self._config.pop("maxOutputTokens", None))
        self._choice = options.pop("toolConfig", None)
        self._constant = options
        self.origin = origin
        self.written = RequestBytes(self._contents, self._constant, RESERVED)
        self.written.between = BETWEEN

    def reader(self, draft: Draft) -> GenerateReader:
        """Who reads an answer of this protocol."""
        return GenerateReader(draft)

    def adapt(self, refusal: Refusal) -> bool:
        """Nothing is learnt but how long an answer may be: the protocol has one dialect."""
        return self._longest.learn(refusal.words.lower())

    def body(self, request: ModelRequest, *, stream: bool) -> bytes:  # noqa: ARG002 - the address says it
        """The bytes of `request`; `written.mark` says which they are. Raises `Unpaired`."""
        system = leading_system(request)
        variant = (system, bool(self._own(request)))
        prefix = self.written.prefix(request, variant, lambda fields: self._prefix(request, fields, system))
        harness = to_json(_said(request.harness)) if request.harness else None
        return self.written.write(request, prefix, harness, self._tail(request), answer=to_json(ONWARDS))

    def _own(self, request: ModelRequest) -> list[dict[str, Any]]:
        """The tools that the provider runs; a choice of none does not keep it from them."""
        tools = () if request.tool_choice == "none" else request.provider_tools
        return [{camel(tool.type): dict(tool.options)} for tool in tools if tool.is_run_by("google")]

    def _prefix(self, request: ModelRequest, fields: dict[str, Any], system: str) -> bytes:
        tools = self._own(request)
        if request.tools:
            tools.append({"functionDeclarations": [encode_tool(tool) for tool in self.written.tools(request)]})
        if tools:
            fields["tools"] = tools
        if system:
            fields["systemInstruction"] = {"parts": [{"text": system}]}
        return (to_json(fields)[:-1] + b"," if fields else b"{") + b'"contents":['

    def _tail(self, request: ModelRequest) -> bytes:
        config = {**self._config, **mapping_of(request.options.get("generationConfig"))}
        most = self._longest.of(request.max_output_tokens, config.pop("maxOutputTokens", None))
        if most is not None:
            config["maxOutputTokens"] = most
        if request.schema is not None:
            config |= {"responseMimeType": "application/json", "responseJsonSchema": request.schema}
        fields: dict[str, Any] = {"generationConfig": config} if config else {}
        choice = self._choice if self._choice is not None else _choice(request)
        if choice is not None and request.tools:
            fields["toolConfig"] = choice
        if request.tools and self._own(request):  # both together only where the provider tells of its own
            fields["toolConfig"] = {**fields.get("toolConfig", {}), "includeServerSideToolInvocations": True}
        return self.written.closing(request, fields)

    # --- contents

    def _contents(self, messages: Sequence[Message], is_first: bool) -> Iterator[bytes]:
        results: list[dict[str, Any]] = []
        brought: list[dict[str, Any]] = []  # images of results, which stand behind all of them
        own_ids: dict[str, Any] = {}  # as the server gave them, which gives them to some calls alone
        begun = not is_first
        for message in messages:
            if results and not isinstance(message, ToolMessage):
                yield to_json({"role": "user", "parts": [*results, *brought]})
                results, brought = [], []
            match message:
                case ToolMessage(call_id=call_id, name=name):
                    text, sights = self.written.seen(message)
                    brought += map(_image, sights)
                    answer = {"name": sendable_name(name), "response": {"output": text or NO_OUTPUT}}
                    results.append({"functionResponse": own_ids.get(call_id, {}) | answer})
                case UserMessage():
                    text, sights = self.written.seen(message)
                    yield to_json(_said(text, *map(_image, sights)))
                case SystemMessage(text=text) if begun:  # a leading one stands before the contents
                    yield to_json(_said(text))
                case AssistantMessage() if parts := self._parts(message, own_ids):
                    yield to_json({"role": "model", "parts": parts})
                case _:
                    pass
            begun = begun or not isinstance(message, SystemMessage)
        if results:
            yield to_json({"role": "user", "parts": [*results, *brought]})

    def _parts(self, message: AssistantMessage, own_ids: dict[str, Any]) -> list[dict[str, Any]]:
        is_own = message.origin == self.origin
        extra = message.extra if is_own else {}
        text = said_by(message)
        parts = list(extra.get("message", {}).get("parts", ()) or ([{"text": text}] if text else ()))
        of_calls = extra.get("calls", {})
        for call in message.calls:
            kept = of_calls.get(call.id, {})
            own_ids[call.id] = {"id": kept["id"]} if "id" in kept else {}
            parts.append(_call(call, kept))
        if message.calls and not is_own:
            first = next(part for part in parts if "functionCall" in part)
            first[SIGNATURE] = UNSIGNED
        return parts


def _said(text: str, *images: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "parts": [*images, *([{"text": text or EMPTY}] if text or not images else [])]}


# A call has to follow what somebody else said, and a conversation to end with that.
ONWARDS = _said(GO_ON)
BETWEEN = in_between({("model", "model"): ONWARDS, ("", "model"): ONWARDS})


def _image(sight: Sight) -> dict[str, Any]:
    return {"inlineData": {"mimeType": sight.media_type, "data": sight.data}}


def _call(call: ToolCall, kept: Mapping[str, Any]) -> dict[str, Any]:
    arguments = from_json(sendable_arguments(call.arguments).encode("utf-8", "replace"))
    made = {"name": sendable_name(call.name), "args": arguments}
    if "id" in kept:
        made["id"] = kept["id"]
    return {"functionCall": made, **({SIGNATURE: kept[SIGNATURE]} if SIGNATURE in kept else {})}


def _choice(request: ModelRequest) -> dict[str, Any] | None:
    """Which tools may be called: all stay in the request, so that its beginning never changes."""
    if request.tool_choice in MODES:
        return {"functionCallingConfig": {"mode": MODES[request.tool_choice]}}
    names = request.allowed if request.tool_choice is None else (request.tool_choice,)
    if not names:
        return None
    mode = "VALIDATED" if request.tool_choice is None else "ANY"
    return {"functionCallingConfig": {"mode": mode, "allowedFunctionNames": list(names)}}


def camel(word: str) -> str:
    """A word as the protocol writes it.

    >>> camel("google_search")
    'googleSearch'
    """
    first, *rest = word.split("_")
    return first + "".join(part.capitalize() for part in rest)


def encode_tool(tool: ToolSchema) -> dict[str, Any]:
    """A tool as the wire has it; a tool without parameters has no schema."""
    declared: dict[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.parameters.get("properties") or tool.parameters.keys() - {"type", "properties", "additionalProperties"}:
        declared["parametersJsonSchema"] = {"type": "object", "properties": {}, **tool.parameters}
    return declared
