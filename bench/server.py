"""server: a scripted model server in a process of its own, cheap enough not to be what is measured.

It never parses JSON: the turn is the number of tool results in the request. The path says what to do:
`/turns/N/v1/chat/completions` asks for a tool N times and then answers; `/chunks/N/v1/chat/completions` streams N
pieces of text in one burst; `protocols` has the paths of the others. Run it alone with `python bench/server.py`; it
prints its port.
"""

from __future__ import annotations

import asyncio
import json
import sys
from functools import lru_cache

import protocols

SSE_END = b"data: [DONE]\n\n"
BYTES = 4  # of a token, about


def completion(message: dict[str, object], finish: str, tokens: int) -> bytes:
    """The body of a chat completion that holds `message`, to a request of so many tokens."""
    return json.dumps(
        {
            "id": "chatcmpl-bench",
            "object": "chat.completion",
            "created": 1700000000,
            "model": "bench-1",
            "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
            "usage": {"prompt_tokens": tokens, "completion_tokens": 18, "total_tokens": tokens + 18},
        }
    ).encode()


@lru_cache(maxsize=4096)
def turn_body(turn: int, turns: int, tokens: int) -> bytes:
    """The answer to the request that holds `turn` tool results already."""
    if turn >= turns:
        return completion({"role": "assistant", "content": "All done."}, "stop", tokens)
    call = {"name": "lookup", "arguments": json.dumps({"key": f"item-{turn}"})}
    calls = [{"id": f"call_{turn:06d}", "type": "function", "function": call}]
    return completion({"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls", tokens)


@lru_cache(maxsize=16)
def stream_body(chunks: int) -> bytes:
    """A whole event stream of `chunks` pieces of text."""

    def event(delta: dict[str, str], finish: str | None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        body = {"id": "chatcmpl-bench", "object": "chat.completion.chunk", "created": 1700000000, "model": "bench-1"}
        return b"data: " + json.dumps({**body, "choices": [choice]}).encode() + b"\n\n"

    usage = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": chunks, "total_tokens": chunks + 9}}
    pieces = [event({"role": "assistant", "content": ""}, None)]
    pieces += [event({"content": f"word{number % 100} "}, None) for number in range(chunks)]
    pieces += [event({}, "stop"), b"data: " + json.dumps(usage).encode() + b"\n\n", SSE_END]
    return b"".join(pieces)


def answer(path: str, body: bytes) -> tuple[bytes, bytes]:
    """Content type and body for one request."""
    if not path.endswith("/chat/completions"):
        return protocols.answer(path, body)
    _, kind, number, *_ = path.split("/")
    if kind == "chunks":
        return b"text/event-stream", stream_body(int(number))
    return b"application/json", turn_body(body.count(b'"tool_call_id"'), int(number), len(body) // BYTES)


class Connection(asyncio.Protocol):
    """One kept-alive connection: requests with a content length, one after another."""

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.head_end = -1
        self.need = 0
        self.path = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while self.read_one():
            pass

    def read_one(self) -> bool:
        """Answer the next request if it is complete."""
        if self.head_end < 0:
            self.head_end = self.buffer.find(b"\r\n\r\n")
            if self.head_end < 0:
                return False
            lines = bytes(self.buffer[: self.head_end]).split(b"\r\n")
            self.path = lines[0].split(b" ")[1].decode()
            lengths = [line.split(b":")[1] for line in lines[1:] if line.lower().startswith(b"content-length:")]
            self.need = self.head_end + 4 + (int(lengths[0]) if lengths else 0)
        if len(self.buffer) < self.need:
            return False
        kind, body = answer(self.path, bytes(self.buffer[self.head_end + 4 : self.need]))
        del self.buffer[: self.need]
        self.head_end = -1
        head = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %d\r\n\r\n" % (kind, len(body))
        self.transport.write(head + body)  # type: ignore[attr-defined]
        return True


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
