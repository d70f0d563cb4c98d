"""What a model says, in the words of each protocol: whole, in the events of a stream, and as a refusal.

A test writes `Said` once and sends it in every protocol. What no server would send is written by the tests of the one
protocol that it is about.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.servers.loopback import Script, chunk, response, stream_head
from tests.servers.openai_speakers import Chat, Responses
from tests.servers.said import ABSENT, ID, MODEL, Call, Said, Speaker, fields_of, pieces_of, reason_of


class Messages:
    """Anthropic's Messages API."""

    provider = "anthropic"
    paths = ("/v1/messages", "/v1/messages")
    reasons = {"stop": "end_turn", "calls": "tool_use", "length": "max_tokens", "filter": "refusal"}
    is_lines = False
    errors = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
              404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error"}  # fmt: skip

    def whole(self, said: Said) -> dict[str, Any]:
        stop = fields_of(stop_reason=reason_of(self, said), stop_sequence=None)
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
                for piece in pieces_of(text, size):
                    yield {"type": "content_block_delta", "index": place, "delta": {"type": kind, name: piece}}
            yield {"type": "content_block_stop", "index": place}

    def closing(self, said: Said) -> Iterator[dict[str, Any]]:
        told = {} if said.usage is None else {"usage": fields_of(output_tokens=said.usage.output) | self._thought(said)}
        delta = fields_of(stop_reason=reason_of(self, said), stop_sequence=None)
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
        counts = fields_of(input_tokens=prompt, cache_read_input_tokens=told.cached, output_tokens=told.output)
        return {"usage": counts | {"cache_creation_input_tokens": 0} | self._thought(said)}

    def _thought(self, said: Said) -> dict[str, Any]:
        assert said.usage is not None
        return {"output_tokens_details": fields_of(thinking_tokens=said.usage.reasoning)}


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
        return self._event(self._parts(said), reason_of(self, said)) | self._usage(said)

    def opening(self, said: Said, size: int = 4) -> Iterator[dict[str, Any]]:
        for part in self._parts(said):
            if "text" not in part:
                yield self._event([part])
            for piece in pieces_of(part.get("text", ""), size):
                yield self._event([{**part, "text": piece}])

    def closing(self, said: Said) -> Iterator[dict[str, Any]]:
        yield self._event([{"text": ""}], reason_of(self, said)) | self._usage(said)

    def refusal(self, status: int, message: str) -> dict[str, Any]:
        return {"error": {"code": status, "message": message, "status": self.errors.get(status, "INTERNAL")}}

    def _event(self, parts: list[dict[str, Any]], reason: Any = ABSENT) -> dict[str, Any]:
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0, **fields_of(finishReason=reason)}
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
        counts = fields_of(promptTokenCount=told.prompt, cachedContentTokenCount=told.cached)
        return {"usageMetadata": counts | fields_of(candidatesTokenCount=written, thoughtsTokenCount=thoughts)}


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
        yield from (self._line("", piece) for piece in pieces_of(said.thought, size))
        yield from (self._line(piece) for piece in pieces_of(said.text, size))
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
            {} if said.usage is None else fields_of(prompt_eval_count=said.usage.prompt, eval_count=said.usage.output)
        )
        return {"done": True, **fields_of(done_reason=reason_of(self, said)), **counts}

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
