"""protocols: what the scripted server says in other protocols than Chat Completions: a call a turn, or a stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

Event = dict[str, Any]


class Protocol(NamedTuple):
    """How a protocol is told from its path and its requests, and how it says things."""

    path: str
    result: bytes  # stands once in a request for each result of a tool
    call: Callable[[int, int], Event]
    end: Callable[[int], Event]
    pieces: Callable[[int], Iterator[Event]]
    has_names: bool = False  # of events
    is_lines: bool = False


def _messages(content: Any, reason: str | None, tokens: int) -> Event:
    about = {"id": "msg_1", "type": "message", "role": "assistant", "model": "bench-1", "stop_sequence": None}
    return {**about, "content": content, "stop_reason": reason, "usage": {"input_tokens": tokens, "output_tokens": 18}}


def _message_call(turn: int, tokens: int) -> Event:
    block = {"type": "tool_use", "id": f"toolu_{turn:06d}", "name": "lookup", "input": {"key": f"item-{turn}"}}
    return _messages([block], "tool_use", tokens)


def _message_pieces(chunks: int) -> Iterator[Event]:
    yield {"type": "message_start", "message": _messages([], None, 9)}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for number in range(chunks):
        delta = {"type": "text_delta", "text": f"word{number % 100} "}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": chunks}}
    yield {"type": "message_stop"}


def _response(items: list[Event], tokens: int, status: str = "completed") -> Event:
    usage = {"input_tokens": tokens, "output_tokens": 18}
    return {"id": "resp_1", "model": "bench-1", "status": status, "output": items, "usage": usage, "error": None}


def _response_call(turn: int, tokens: int) -> Event:
    arguments = json.dumps({"key": f"item-{turn}"})
    told = {"call_id": f"call_{turn:06d}", "name": "lookup", "arguments": arguments}
    return _response([{"type": "function_call", "id": f"fc_{turn}", **told}], tokens)


def _said(text: str) -> Event:
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def _response_pieces(chunks: int) -> Iterator[Event]:
    words = [f"word{number % 100} " for number in range(chunks)]
    yield {"type": "response.created", "response": _response([], 9, "in_progress")}
    yield {"type": "response.output_item.added", "output_index": 0, "item": _said("")}
    for word in words:
        yield {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": word}
    yield {"type": "response.output_item.done", "output_index": 0, "item": _said("".join(words))}
    yield {"type": "response.completed", "response": _response([_said("".join(words))], 9)}


def _generated(part: Event, tokens: int, reason: str | None = "STOP") -> Event:
    candidate = {"content": {"role": "model", "parts": [part]}, **({"finishReason": reason} if reason else {})}
    return {"candidates": [candidate], "usageMetadata": {"promptTokenCount": tokens, "candidatesTokenCount": 18}}


def _generated_call(turn: int, tokens: int) -> Event:
    return _generated({"functionCall": {"name": "lookup", "args": {"key": f"item-{turn}"}}}, tokens)


def _generated_pieces(chunks: int) -> Iterator[Event]:
    for number in range(chunks):
        yield _generated({"text": f"word{number % 100} "}, 9, None)
    yield _generated({"text": ""}, 9)


def _line(message: Event, tokens: int, *, done: bool = True) -> Event:
    end = {"done_reason": "stop", "prompt_eval_count": tokens, "eval_count": 18} if done else {}
    return {"model": "bench-1", "message": {"role": "assistant", "content": "", **message}, "done": done, **end}


def _line_call(turn: int, tokens: int) -> Event:
    return _line({"tool_calls": [{"function": {"name": "lookup", "arguments": {"key": f"item-{turn}"}}}]}, tokens)


def _line_pieces(chunks: int) -> Iterator[Event]:
    for number in range(chunks):
        yield _line({"content": f"word{number % 100} "}, 9, done=False)
    yield _line({}, 9)


PROTOCOLS = (
    Protocol(
        "/v1/messages", b'"tool_result"', _message_call,
        lambda tokens: _messages([{"type": "text", "text": "All done."}], "end_turn", tokens),
        _message_pieces, has_names=True,
    ),
    Protocol(
        "/v1/responses", b'"function_call_output"', _response_call,
        lambda tokens: _response([_said("All done.")], tokens), _response_pieces, has_names=True,
    ),
    Protocol(
        "/v1beta/", b'"functionResponse"', _generated_call,
        lambda tokens: _generated({"text": "All done."}, tokens), _generated_pieces,
    ),
    Protocol(
        "/api/chat", b'"tool_name"', _line_call,
        lambda tokens: _line({"content": "All done."}, tokens), _line_pieces, is_lines=True,
    ),
)  # fmt: skip


@lru_cache(maxsize=8)
def stream_body(protocol: Protocol, chunks: int) -> bytes:
    """A whole stream of `chunks` pieces of text."""
    told = list(protocol.pieces(chunks))
    if protocol.is_lines:
        return b"".join(json.dumps(event).encode() + b"\n" for event in told)
    names = [f"event: {event['type']}\n" if protocol.has_names else "" for event in told]
    return b"".join(f"{name}data: {json.dumps(event)}\n\n".encode() for name, event in zip(names, told, strict=True))


def answer(path: str, body: bytes) -> tuple[bytes, bytes]:
    """Content type and body for one request of one of these protocols."""
    protocol = next(each for each in PROTOCOLS if each.path in path)
    _, kind, number, *_ = path.split("/")
    if kind == "chunks":
        content_type = b"application/x-ndjson" if protocol.is_lines else b"text/event-stream"
        return content_type, stream_body(protocol, int(number))
    turn, tokens = body.count(protocol.result), len(body) // 4
    told = protocol.end(tokens) if turn >= int(number) else protocol.call(turn, tokens)
    return b"application/json", json.dumps(told).encode()
