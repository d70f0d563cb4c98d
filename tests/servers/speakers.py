"""What a model says, in the words of each protocol: whole, in the events of a stream, and as a refusal.

A test writes `Said` once and sends it in every protocol. What no server would send is written by the tests of the one
protocol that it is about.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from tests.servers.loopback import Script, chunk, response, stream_head

MODEL = "m-1"
ID = "msg_1"
ABSENT = type("Absent", (), {"__repr__": lambda _: "ABSENT"})()  # a field that is left out; named alike everywhere


class Call(NamedTuple):
    """One call of a tool."""

    id: str
    name: str
    arguments: dict[str, Any]


class Counts(NamedTuple):
    """The tokens that a server tells, true or not; `ABSENT` is left out."""

    prompt: Any = 90
    cached: Any = 60
    output: Any = 28
    reasoning: Any = 8


class Said(NamedTuple):
    """An answer. `reason` is one of `REASONS`, or a word as it goes out; `usage` None where the server tells none."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    thought: str = ""
    reason: Any = "stop"
    usage: Counts | None = Counts()


class Speaker(Protocol):
    """One protocol, as its servers speak it."""

    provider: str
    paths: tuple[str, str]  # of whole answers and of streams
    reasons: Mapping[str, Any]
    is_lines: bool  # whether a stream is lines of JSON instead of server-sent events

    def whole(self, said: Said) -> dict[str, Any]:
        """The body of an answer that does not stream."""
        ...

    def opening(self, said: Said, size: int = 4) -> Iterator[dict[str, Any]]:
        """The events before the one that says why the answer is over; texts in pieces of so many characters."""
        ...

    def closing(self, said: Said) -> Iterator[dict[str, Any]]:
        """The events that end it; with the first of them the answer is whole."""
        ...

    def refusal(self, status: int, message: str) -> dict[str, Any]:
        """The body of an error."""
        ...


def _fields(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not ABSENT}


def _cut(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def _reason(speaker: Speaker, said: Said) -> Any:
    return speaker.reasons.get(said.reason, said.reason) if isinstance(said.reason, str) else said.reason


class Chat:
    """OpenAI Chat Completions."""

    provider = "openai"
    paths = ("/v1/chat/completions", "/v1/chat/completions")
    reasons = {"stop": "stop", "calls": "tool_calls", "length": "length", "filter": "content_filter"}
    is_lines = False

    def whole(self, said: Said) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
        if said.thought:
            message["reasoning_content"] = said.thought
        if said.calls:
            message["tool_calls"] = [self._call(call) for call in said.calls]
        choice = {"index": 0, "message": message, **_fields(finish_reason=_reason(self, said)), "logprobs": None}
        return {**self._about("chat.completion"), "choices": [choice], **self._usage(said)}

    def opening(self, said: Said, size: int = 4) -> Iterator[dict[str, Any]]:
        yield self._piece({"role": "assistant", "content": ""})
        yield from (self._piece({"reasoning_content": piece}) for piece in _cut(said.thought, size))
        yield from (self._piece({"content": piece}) for piece in _cut(said.text, size))
        for place, call in enumerate(said.calls):
            told = self._call(call)
            empty = {**told, "index": place, "function": {**told["function"], "arguments": ""}}
            yield self._piece({"tool_calls": [empty]})
            for piece in _cut(told["function"]["arguments"], size):
                yield self._piece({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})

    def closing(self, said: Said) -> Iterator[dict[str, Any]]:
        yield self._piece({}, **_fields(finish_reason=_reason(self, said)))
        if said.usage is not None:
            yield {**self._about("chat.completion.chunk"), "choices": [], **self._usage(said)}

    def refusal(self, status: int, message: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": f"error_{status}", "param": None, "code": None}}

    def _about(self, kind: str) -> dict[str, Any]:
        return {"id": ID, "object": kind, "created": 1, "model": MODEL}

    def _piece(self, delta: dict[str, Any], **fields: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": None, **fields}
        return {**self._about("chat.completion.chunk"), "choices": [choice]}

    def _call(self, call: Call) -> dict[str, Any]:
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        return {"id": call.id, "type": "function", "function": function}

    def _usage(self, said: Said) -> dict[str, Any]:
        if said.usage is None:
            return {}
        told = said.usage
        counts = _fields(prompt_tokens=told.prompt, completion_tokens=told.output, total_tokens=118)
        details = {"prompt_tokens_details": _fields(cached_tokens=told.cached)}
        return {"usage": counts | details | {"completion_tokens_details": _fields(reasoning_tokens=told.reasoning)}}


class Responses:
    """OpenAI's Responses API."""

    provider = "openai_responses"
    paths = ("/v1/responses", "/v1/responses")
    reasons = {"stop": "completed", "calls": "completed", "length": "max_output_tokens", "filter": "content_filter"}
    is_lines = False

    def whole(self, said: Said) -> dict[str, Any]:
        reason = _reason(self, said)
        is_whole = reason == "completed"
        rest = {
            "object": "response", "created_at": 1, "error": None, "instructions": None, "metadata": {},
            "parallel_tool_calls": True, "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0,
        }  # fmt: skip
        status = {} if reason is ABSENT else {"status": "completed" if is_whole else "incomplete"}
        why = {"incomplete_details": None if is_whole else _fields(reason=reason)}
        return {"id": ID, "model": MODEL, **rest, **status, **why, "output": self._items(said), **self._usage(said)}

    def opening(self, said: Said, size: int = 4) -> Iterator[dict[str, Any]]:
        begun = self.whole(said._replace(text="", calls=(), thought="", usage=None)) | {"status": "in_progress"}
        yield self._event("response.created", response=begun | {"incomplete_details": None})
        for place, item in enumerate(self._items(said)):
            empty = {"reasoning": {"summary": []}, "message": {"content": []}, "function_call": {"arguments": ""}}
            yield self._event("response.output_item.added", output_index=place, item=item | empty[item["type"]])
            for kind, fields, text in self._texts(item):
                for piece in _cut(text, size):
                    yield self._event(kind, output_index=place, item_id=item["id"], delta=piece, **fields)
            yield self._event("response.output_item.done", output_index=place, item=item)

    def closing(self, said: Said) -> Iterator[dict[str, Any]]:
        whole = self.whole(said)
        yield self._event(f"response.{whole.get('status', 'completed')}", response=whole)

    def refusal(self, status: int, message: str) -> dict[str, Any]:
        return Chat().refusal(status, message)

    def _event(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "sequence_number": 1, **fields}

    def _items(self, said: Said) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        if said.thought:
            summary = [{"type": "summary_text", "text": said.thought}]
            items.append({"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "b3BhcXVl"})
        if said.text:
            content = [{"type": "output_text", "text": said.text, "annotations": []}]
            items.append({"type": "message", "id": ID, "role": "assistant", "status": "completed", "content": content})
        for call in said.calls:
            told = {"call_id": call.id, "name": call.name, "arguments": json.dumps(call.arguments)}
            items.append({"type": "function_call", "id": f"fc_{call.id}", "status": "completed", **told})
        return items

    def _texts(self, item: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], str]]:
        for part in item.get("summary", ()):
            yield "response.reasoning_summary_text.delta", {"summary_index": 0}, part["text"]
        for part in item.get("content", ()):
            yield "response.output_text.delta", {"content_index": 0, "logprobs": []}, part["text"]
        yield "response.function_call_arguments.delta", {}, item.get("arguments", "")

    def _usage(self, said: Said) -> dict[str, Any]:
        if said.usage is None:
            return {"usage": None}
        told = said.usage
        counts = _fields(input_tokens=told.prompt, output_tokens=told.output, total_tokens=118)
        details = {"input_tokens_details": _fields(cached_tokens=told.cached) | {"cache_write_tokens": 0}}
        return {"usage": counts | details | {"output_tokens_details": _fields(reasoning_tokens=told.reasoning)}}


class Messages:
    """Anthropic's Messages API."""

    provider = "anthropic"
    paths = ("/v1/messages", "/v1/messages")
    reasons = {"stop": "end_turn", "calls": "tool_use", "length": "max_tokens", "filter": "refusal"}
    is_lines = False
    errors = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
              404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error"}  # fmt: skip

    def whole(self, said: Said) -> dict[str, Any]:
        stop = _fields(stop_reason=_reason(self, said), stop_sequence=None)
        return {**self._about(), "content": self._blocks(said), **stop, **self._usage(said)}

    def opening(self, said: Said, size: int = 4) -> Iterator[dict[str, Any]]:
        usage = self._usage(said._replace(usage=said.usage and said.usage._replace(output=1)))
        start = {**self._about(), "content": [], "stop_reason": None, "stop_sequence": None, **usage}
        yield {"type": "message_start", "message": start}
        yield {"type": "ping"}
        for place, block in enumerate(self._blocks(said)):
            empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}
            yield {"type": "content_block_start", "index": place, "content_block": block | empty[block["type"]]}
            for kind, name, text in self._texts(block):
                for piece in _cut(text, size):
                    yield {"type": "content_block_delta", "index": place, "delta": {"type": kind, name: piece}}
            yield {"type": "content_block_stop", "index": place}

    def closing(self, said: Said) -> Iterator[dict[str, Any]]:
        told = {} if said.usage is None else {"usage": _fields(output_tokens=said.usage.output) | self._thought(said)}
        delta = _fields(stop_reason=_reason(self, said), stop_sequence=None)
        yield {"type": "message_delta", "delta": delta, **told}
        yield {"type": "message_stop"}

    def refusal(self, status: int, message: str) -> dict[str, Any]:
        error = {"type": self.errors.get(status, "api_error"), "message": message}
        return {"type": "error", "error": error, "request_id": "req_body"}

    def _about(self) -> dict[str, Any]:
        return {"id": ID, "type": "message", "role": "assistant", "model": MODEL}

    def _blocks(self, said: Said) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = []
        if said.thought:
            blocks.append({"type": "thinking", "thinking": said.thought, "signature": "c2lnbmVk"})
        if said.text:
            blocks.append({"type": "text", "text": said.text})
        made = [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in said.calls]
        return blocks + made

    def _texts(self, block: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
        for kind, name in (("thinking_delta", "thinking"), ("signature_delta", "signature"), ("text_delta", "text")):
            yield kind, name, block.get(name, "")
        yield "input_json_delta", "partial_json", json.dumps(block["input"]) if block.get("input") else ""

    def _usage(self, said: Said) -> dict[str, Any]:
        if said.usage is None:
            return {}
        told = said.usage  # what comes out of a cache is not among the other input tokens here
        is_count = isinstance(told.prompt, int) and isinstance(told.cached, int) and told.prompt >= told.cached
        prompt = told.prompt - told.cached if is_count else told.prompt
        counts = _fields(input_tokens=prompt, cache_read_input_tokens=told.cached, output_tokens=told.output)
        return {"usage": counts | {"cache_creation_input_tokens": 0} | self._thought(said)}

    def _thought(self, said: Said) -> dict[str, Any]:
        assert said.usage is not None
        return {"output_tokens_details": _fields(thinking_tokens=said.usage.reasoning)}


class Generate:
    """Gemini's `generateContent`."""

    provider = "google"
    paths = (
        f"/v1beta/models/{MODEL}:generateContent",
        f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse",
    )
    reasons = {"stop": "STOP", "calls": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY"}
    is_lines = False
    errors = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
              429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}  # fmt: skip

    def whole(self, said: Said) -> dict[str, Any]:
        return self._event(self._parts(said), _reason(self, said)) | self._usage(said)

    def opening(self, said: Said, size: int = 4) -> Iterator[dict[str, Any]]:
        for part in self._parts(said):
            if "text" not in part:
                yield self._event([part])
            for piece in _cut(part.get("text", ""), size):
                yield self._event([{**part, "text": piece}])

    def closing(self, said: Said) -> Iterator[dict[str, Any]]:
        yield self._event([{"text": ""}], _reason(self, said)) | self._usage(said)

    def refusal(self, status: int, message: str) -> dict[str, Any]:
        return {"error": {"code": status, "message": message, "status": self.errors.get(status, "INTERNAL")}}

    def _event(self, parts: list[dict[str, Any]], reason: Any = ABSENT) -> dict[str, Any]:
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0, **_fields(finishReason=reason)}
        return {"candidates": [candidate], "modelVersion": MODEL, "responseId": ID}

    def _parts(self, said: Said) -> list[dict[str, Any]]:
        thought = [{"text": said.thought, "thought": True}] if said.thought else []
        text = [{"text": said.text}] if said.text else []
        made = [{"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}} for call in said.calls]
        return [*thought, *text, *made]

    def _usage(self, said: Said) -> dict[str, Any]:
        if said.usage is None:
            return {}
        told = said.usage  # thoughts are not among the candidates' tokens here
        is_count = isinstance(told.output, int) and isinstance(told.reasoning, int) and told.output >= told.reasoning
        written = told.output - told.reasoning if is_count else told.output
        thoughts = told.reasoning if is_count else ABSENT
        counts = _fields(promptTokenCount=told.prompt, cachedContentTokenCount=told.cached)
        return {"usageMetadata": counts | _fields(candidatesTokenCount=written, thoughtsTokenCount=thoughts)}


class Ollama:
    """Ollama's `/api/chat`."""

    provider = "ollama"
    paths = ("/api/chat", "/api/chat")
    reasons = {"stop": "stop", "calls": "stop", "length": "length", "filter": "content_filter"}
    is_lines = True

    def whole(self, said: Said) -> dict[str, Any]:
        made = [self._call(call) for call in said.calls]
        return self._line(said.text, said.thought, made) | self._end(said)

    def opening(self, said: Said, size: int = 4) -> Iterator[dict[str, Any]]:
        yield from (self._line("", piece) for piece in _cut(said.thought, size))
        yield from (self._line(piece) for piece in _cut(said.text, size))
        yield from (self._line(calls=[self._call(call)]) for call in said.calls)

    def closing(self, said: Said) -> Iterator[dict[str, Any]]:
        yield self._line() | self._end(said)

    def refusal(self, status: int, message: str) -> dict[str, Any]:
        return {"error": message}

    def _line(self, text: str = "", thought: str = "", calls: list[dict[str, Any]] | None = None) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": text}
        message |= {"thinking": thought} if thought else {}
        message |= {"tool_calls": calls} if calls else {}
        return {"model": MODEL, "created_at": "2027-01-01T00:00:00Z", "message": message, "done": False}

    def _end(self, said: Said) -> dict[str, Any]:
        counts = (
            {} if said.usage is None else _fields(prompt_eval_count=said.usage.prompt, eval_count=said.usage.output)
        )
        return {"done": True, **_fields(done_reason=_reason(self, said)), **counts}

    def _call(self, call: Call) -> dict[str, Any]:
        return {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}}


SPEAKERS: dict[str, Speaker] = {
    speaker.provider: speaker for speaker in (Chat(), Responses(), Messages(), Generate(), Ollama())
}


def frame(speaker: Speaker, event: Any, end: bytes = b"\n") -> bytes:
    """One event of a stream, framed; `event` may be bytes that stand for its JSON."""
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    if speaker.is_lines:
        return data + end
    name = f"event: {event['type']}".encode() + end if isinstance(event, dict) and "type" in event else b""
    return name + b"data: " + data + end + end


def frames(speaker: Speaker, said: Said, size: int = 4) -> tuple[list[bytes], list[bytes]]:
    """The framed events of a stream before its reason, and from there on."""
    opening = [frame(speaker, event) for event in speaker.opening(said, size)]
    closing = [frame(speaker, event) for event in speaker.closing(said)]
    return opening, [*closing, b"data: [DONE]\n\n"] if isinstance(speaker, Chat) else closing


def head(speaker: Speaker, **headers: str) -> bytes:
    """The head of a stream in chunks."""
    kind = "application/x-ndjson" if speaker.is_lines else "text/event-stream"
    return stream_head({"content-type": kind, **{name.replace("_", "-"): value for name, value in headers.items()}})


def streams(speaker: Speaker, said: Said, size: int = 4) -> Script:
    """What a server does that streams an answer."""
    opening, closing = frames(speaker, said, size)
    return [head(speaker), chunk(b"".join(opening + closing)), chunk(b"")]


def answers(speaker: Speaker, said: Said, *, streamed: bool) -> Script:
    """What a server does that answers, whole or in a stream."""
    return streams(speaker, said) if streamed else [response(speaker.whole(said))]
