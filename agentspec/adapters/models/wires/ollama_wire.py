"""ollama_wire: requests of Ollama's `/api/chat` as bytes. Source: Ollama's API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from agentspec.adapters.models.wires.draft import Draft, mapping_of
from agentspec.adapters.models.wires.failures import Refusal
from agentspec.adapters.models.wires.json_bytes import from_json, to_json
from agentspec.adapters.models.wires.longest import Longest
from agentspec.adapters.models.wires.message_log import EMPTY, NO_OUTPUT, said_by, sendable_arguments, sendable_name
from agentspec.adapters.models.wires.ollama_reply import OllamaReader
from agentspec.adapters.models.wires.openai_wire import encode_tool
from agentspec.adapters.models.wires.pictures import Sight
from agentspec.adapters.models.wires.request_bytes import RequestBytes, in_words_of
from agentspec.core.messages import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage
from agentspec.ports import ModelRequest, ToolSchema

PATH = "/api/chat"
PORT = 11434
FIELDS: Final = {  # what the protocol calls, among its `options`, what a spec says of the model
    "temperature": "temperature", "top_p": "top_p", "seed": "seed", "stop": "stop", "max_tokens": "num_predict",
}  # fmt: skip
RESERVED = ("model", "messages", "tools", "stream", "options")  # what options of one call never change


def url_of(host: str) -> str:
    """The address that `OLLAMA_HOST` means, which need not be whole; a server that listens everywhere is here.

    >>> url_of("0.0.0.0"), url_of("https://ollama.example")
    ('http://127.0.0.1:11434', 'https://ollama.example')
    """
    if "://" in host:
        return host
    name, _, port = host.strip().rpartition(":") if ":" in host.rpartition("]")[2] else (host.strip(), "", "")
    return f"http://{'127.0.0.1' if name in ('', '0.0.0.0') else name}:{port or PORT}"  # noqa: S104 - not bound to


class OllamaWire:
    """Requests to one model at one server, and their answers."""

    def __init__(self, constant: Mapping[str, Any], origin: str) -> None:
        """`constant` holds the fields that never change in a run, `model` first."""
        rest = {name: value for name, value in constant.items() if name not in FIELDS}
        own = rest.pop("options", {})
        sampling = in_words_of(FIELDS, constant)
        self._options: dict[str, Any] = {**sampling, **(own if isinstance(own, Mapping) else {})}
        self._longest = Longest()
        self._constant = rest
        self.origin = origin
        self.written = RequestBytes(self._messages, self._constant, RESERVED)

    def reader(self, draft: Draft) -> OllamaReader:
        """Who reads an answer of this protocol."""
        return OllamaReader(draft)

    def adapt(self, refusal: Refusal) -> bool:
        """Nothing is learnt but how long an answer may be: the protocol has one dialect."""
        return self._longest.learn(refusal.words.lower())

    def body(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The bytes of `request`; `written.mark` says which they are. Raises `Unpaired`."""
        prefix = self.written.prefix(
            request, stream, lambda fields: self._prefix(fields | {"stream": stream}, self.written.tools(request))
        )
        ending = self.written.ending(request, lambda role, text: {"role": role, "content": text})
        return self.written.write(request, prefix, ending, self._tail(request))

    def _prefix(self, fields: dict[str, Any], tools: tuple[ToolSchema, ...]) -> bytes:
        if tools:
            fields["tools"] = [encode_tool(tool) for tool in tools]
        return to_json(fields)[:-1] + b',"messages":['

    def _tail(self, request: ModelRequest) -> bytes:
        given = mapping_of(request.options.get("options"))
        options = {**self._options, **given}
        written = [_bound(each.get("num_predict")) for each in (self._options, given)]
        most = self._longest.of(request.max_output_tokens, *written)
        if most is not None:
            options["num_predict"] = most
        fields: dict[str, Any] = {"options": options} if options else {}
        if request.schema is not None and "format" not in self._constant:
            fields["format"] = request.schema
        return self.written.closing(request, fields)

    def _messages(self, messages: Sequence[Message], is_first: bool) -> Iterator[bytes]:  # noqa: ARG002 - the shape
        for message in messages:
            match message:
                case SystemMessage(text=text):
                    yield to_json({"role": "system", "content": text})
                case UserMessage():
                    text, sights = self.written.seen(message)
                    yield to_json({"role": "user", "content": text or EMPTY, **_images(sights)})
                case ToolMessage(name=name):
                    text, sights = self.written.seen(message)
                    told = {"role": "tool", "tool_name": sendable_name(name), "content": text or NO_OUTPUT}
                    yield to_json(told | _images(sights))
                case AssistantMessage(calls=calls):
                    content = said_by(message)
                    made = {"tool_calls": [_call(call) for call in calls]} if calls else {}
                    if content or calls:
                        yield to_json({"role": "assistant", "content": content, **made})


def _images(sights: tuple[Sight, ...]) -> dict[str, list[str]]:
    return {"images": [each.data for each in sights]} if sights else {}


def _bound(most: Any) -> Any:
    """A longest answer that is one: a negative number stands for none."""
    return None if isinstance(most, int) and most < 0 else most


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = from_json(sendable_arguments(call.arguments).encode("utf-8", "replace"))
    return {"function": {"name": sendable_name(call.name), "arguments": arguments}}
