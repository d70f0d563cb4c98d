"""openai_wire: requests of OpenAI Chat Completions as bytes.

A request is constant fields, then the messages, then what varies by turn, so that each request is a byte prefix of the
next one up to its harness slot. Every message is encoded once. Nothing goes out that a server would have to refuse for
ever: calls without results, broken argument text, lone surrogates.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from agentspec.adapters.models.json_bytes import to_json
from agentspec.core.calls.arguments import parse
from agentspec.core.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    Transcript,
    UserMessage,
)
from agentspec.ports import ModelRequest, ToolSchema

NO_OUTPUT = "(no output)"  # an empty result is refused by some servers
STAND_IN = "invalid_tool_name"  # for a name that a model made up and no server takes back
LEGAL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what OpenAI takes as the name of a function
PLAIN_CHOICES = ("auto", "none", "required")
RESERVED = ("model", "messages", "tools", "stream")  # what options of one call never change


class Unpaired(Exception):
    """A call without its one result, or a result without its call; the text names the id."""


def sendable_arguments(arguments: str) -> str:
    """Argument text as it may go back to a server: repaired as the call itself was, or `{}` where nothing helps.

    Servers parse the history: one stored broken call would make every later request fail. What was wrong with it stands
    in the call's result, and in the journal.
    """
    try:
        decoded = msgspec.json.decode(arguments)
    except (ValueError, RecursionError):
        decoded = parse(arguments).arguments
        return "{}" if decoded is None else to_json(decoded).decode()
    return arguments if isinstance(decoded, dict) else "{}"


class MessageLog:
    """The bytes of one growing transcript, and the ids of its calls.

    `origin` is the server and model that reads it: what only another one understands stays out.
    """

    def __init__(self, origin: str, no_text: str | None) -> None:
        self._origin = origin
        self._no_text = no_text
        self._transcript = Transcript()
        self._count = 0
        self._open: list[str] = []
        self.bytes = bytearray()
        self.ids: set[str] = set()
        self.digest = hashlib.sha256()  # of `bytes`, kept up as they grow

    def follow(self, transcript: Transcript) -> int:
        """Encode what `transcript` has more than the last one; everything, if it is another. Raises `Unpaired`.

        Gives how many bytes are the very ones that the last request had.
        """
        if not transcript.is_extension_of(self._transcript):
            self._count = 0
            self._open = []
            self.bytes = bytearray()
            self.ids = set()
            self.digest = hashlib.sha256()
        known = len(self.bytes)
        self._transcript = transcript
        for message in transcript.since(self._count):
            self._pair(message)
            fragment = self._encode(message)
            if fragment is not None:
                if self.bytes:
                    self.bytes += b","
                self.bytes += fragment
            self._count += 1
        self.digest.update(self.bytes[known:])
        if self._open:
            raise Unpaired(f"the call `{self._open[0]}` has no result")
        return known

    def _pair(self, message: Message) -> None:
        match message:
            case ToolMessage(call_id=call_id):
                if call_id not in self._open:
                    raise Unpaired(f"the result `{call_id}` answers no open call")
                self._open.remove(call_id)
            case _ if self._open:
                raise Unpaired(f"the call `{self._open[0]}` has no result")
            case AssistantMessage(calls=calls):
                for call in calls:
                    if not call.id or call.id in self._open:
                        raise Unpaired(f"the call id `{call.id}` is empty or stands twice in one reply")
                    self._open.append(call.id)
                    self.ids.add(call.id)
            case _:
                pass

    def _encode(self, message: Message) -> bytes | None:
        match message:
            case SystemMessage(text=text):
                return to_json({"role": "system", "content": text})
            case UserMessage(text=text):
                return to_json({"role": "user", "content": text})
            case ToolMessage(call_id=call_id, text=text):
                return to_json({"role": "tool", "tool_call_id": call_id, "content": text or NO_OUTPUT})
            case AssistantMessage():
                return self._assistant(message)

    def _assistant(self, message: AssistantMessage) -> bytes | None:
        extra = message.extra if message.origin == self._origin else {}
        content = message.text if message.calls else message.raw or message.text
        if not content and not message.calls:
            return None  # nothing but reasoning: an empty message is refused by some servers, for ever
        fields: dict[str, Any] = {"role": "assistant", "content": content or self._no_text}
        if message.calls:
            of_calls = extra.get("calls", {})
            fields["tool_calls"] = [_call(call, of_calls.get(call.id, {})) for call in message.calls]
        return to_json({**fields, **extra.get("message", {})})


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


def sendable_name(name: str) -> str:
    """The name of a call as it may go back to a server; the true one stands in the call's result, and in the journal.

    Never a near name: the history would tell of a call of a tool that was not called.

    >>> sendable_name("read file"), sendable_name("read_file")
    ('invalid_tool_name', 'read_file')
    """
    return name if LEGAL_NAME.fullmatch(name) else STAND_IN


def _call(call: ToolCall, extra: dict[str, Any]) -> dict[str, Any]:
    function = {"name": sendable_name(call.name), "arguments": sendable_arguments(call.arguments)}
    return {"id": call.id, "type": "function", "function": function, **extra}


def encode_tool(tool: ToolSchema) -> dict[str, Any]:
    """A tool as the wire has it; a tool without parameters still has an object schema."""
    parameters = {"type": "object", "properties": {}, **tool.parameters}
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": parameters},
    }


LIMITS = ("max_tokens", "max_completion_tokens")  # what servers call the longest answer


class RequestMark(NamedTuple):
    """Which request it was: a hash of its bytes, and the share of them that the request before began with as well."""

    hash: str = ""
    prefix_share: float = 0.0


class RequestWriter:
    """Requests of one model to one server."""

    def __init__(self, constant: Mapping[str, Any], origin: str, output_limit: str = "max_tokens") -> None:
        """`constant` holds the fields that never change in a run, `model` first; `stream` is added by `body`."""
        # What a turn may ask otherwise stands behind the messages, so that the bytes before them never change.
        self._usual = {name: constant[name] for name in (*LIMITS, "tool_choice") if name in constant}
        self._constant = {name: value for name, value in constant.items() if name not in self._usual}
        self._origin = origin
        self._logs: dict[str, MessageLog] = {}
        self._prefixes: dict[tuple[str, bool], bytes] = {}
        self._tools: dict[str, tuple[ToolSchema, ...]] = {}
        self._last_prefix: dict[str, bytes] = {}
        self.mark = RequestMark()
        self.output_limit = output_limit
        self.longest: int | None = None  # tokens of an answer, where the server has said so
        self.restricts = True  # until a server refuses to be told which tools may be called
        self.has_restricted = False  # the newest request told it so
        self.asks_for_usage = True  # some servers refuse `stream_options`
        self.no_text: str | None = None  # the content of a message that only calls: some servers refuse null

    def rename_output_limit(self, name: str) -> None:
        """Say the limit of the output by another name from now on, wherever it stands."""
        self._usual = {name if key == self.output_limit else key: it for key, it in self._usual.items()}
        self.output_limit = name
        self.forget()

    def forget(self) -> None:
        """The dialect has changed; write everything anew."""
        self._prefixes.clear()
        self._logs.clear()

    def ids(self, request: ModelRequest) -> set[str]:
        """The ids of all calls in the transcript of `request`, after `body` was asked for."""
        return self._logs[request.role].ids

    def body(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The bytes of `request`; `mark` says which they are, and how many the last request began with as well.

        Raises `Unpaired`.
        """
        log = self._logs.get(request.role)
        if log is None:
            log = self._logs[request.role] = MessageLog(self._origin, self.no_text)
        known = log.follow(request.transcript)
        prefix = self._prefix(request, stream)
        ends = [self._tail(request)]
        if request.harness:
            ends = [b"," if log.bytes else b"", to_json({"role": "user", "content": request.harness}), *ends]
        body = b"".join((prefix, bytes(log.bytes), *ends))
        digest = log.digest.copy()
        digest.update(b"".join((prefix, *ends)))
        shared = len(prefix) + known if prefix is self._last_prefix.get(request.role) else 0
        self.mark = RequestMark(digest.hexdigest()[:16], round(shared / len(body), 3))
        self._last_prefix[request.role] = prefix
        return body

    def _prefix(self, request: ModelRequest, stream: bool) -> bytes:
        """What stands before the messages; requests of one role have it in common."""
        role, tools = request.role, request.tools
        known = self._tools.get(role)
        if tools is not known and tools != known:
            self._tools[role] = tools
            self._prefixes = {key: prefix for key, prefix in self._prefixes.items() if key[0] != role}
        prefix = self._prefixes.get((role, stream))
        if prefix is None:
            prefix = self._prefixes[role, stream] = self._write_prefix(tools, stream)
        return prefix

    def _write_prefix(self, tools: tuple[ToolSchema, ...], stream: bool) -> bytes:
        fields = dict(self._constant)
        fields["stream"] = stream
        if stream and self.asks_for_usage:
            fields.setdefault("stream_options", {"include_usage": True})
        if tools:
            fields["tools"] = [encode_tool(tool) for tool in tools]
        return to_json(fields)[:-1] + b',"messages":['

    def _tail(self, request: ModelRequest) -> bytes:
        fields = dict(self._usual)
        if request.max_output_tokens is not None:
            name = next((name for name in LIMITS if name in fields), self.output_limit)
            usual = fields.get(name)
            most = request.max_output_tokens
            fields[name] = min(usual, most) if isinstance(usual, int) else most
        for name in LIMITS:
            if self.longest is not None and isinstance(fields.get(name), int):
                fields[name] = min(fields[name], self.longest)
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
        fields |= {name: value for name, value in request.options.items() if name not in RESERVED}
        return b"]," + to_json(fields)[1:] if fields else b"]}"


def _among(names: tuple[str, ...]) -> Any:
    """All tools stay in the request, and only these may be called (OpenAI, `allowed_tools`)."""
    tools = [{"type": "function", "function": {"name": name}} for name in names]
    return {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": tools}}


def _choice(choice: str) -> Any:
    return choice if choice in PLAIN_CHOICES else {"type": "function", "function": {"name": choice}}
