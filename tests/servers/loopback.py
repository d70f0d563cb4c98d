"""A raw HTTP server for the tests: it can answer, cut, stall, drip, and send what no framework would let it send.

A test gives one script of steps for each request, the last one for all that follow. A step is bytes, or one of the
marks below. The server keeps what it was asked, byte by byte.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

CERTIFICATE = Path(__file__).with_name("localhost.pem")


@dataclass(frozen=True)
class Drip:
    """Send byte by byte."""

    data: bytes
    gap: float = 0.005


@dataclass(frozen=True)
class Pause:
    """Say nothing for a while."""

    seconds: float


STALL = "stall"  # say nothing more until the client has gone
CLOSE = "close"  # end the connection in an orderly way
RESET = "reset"  # end it with a TCP reset
Step = bytes | Drip | Pause | str
Script = Sequence[Step]


@dataclass
class Asked:
    """One request as it came."""

    line: str
    headers: dict[str, str]
    body: bytes
    connection: int

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Loopback:
    """A server on a port of its own; `async with` it."""

    scripts: Sequence[Script]
    tls: bool = False
    greeting: bytes = b""  # said before anything is asked
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0
    port: int = 0

    async def __aenter__(self) -> Self:
        context = None
        if self.tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=context, limit=1 << 24)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for writer in self._writers:  # a task that was cancelled before its first step has closed nothing
            writer.transport.abort()

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}/v1"

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        self._tasks.add(asyncio.create_task(self._serve(reader, writer, self.connections)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: int) -> None:
        try:
            writer.write(self.greeting)
            while await self._one(reader, writer, connection):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: int) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        line, *rest = head.decode("latin-1").strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in rest)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.asked.append(Asked(line, headers, body, connection))
        for step in self.scripts[min(len(self.asked), len(self.scripts)) - 1]:
            if not await self._step(step, reader, writer):
                return False
        return True

    async def _step(self, step: Step, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        if isinstance(step, bytes):
            writer.write(step)
            await writer.drain()
            return True
        if isinstance(step, Drip):
            for position in range(len(step.data)):
                writer.write(step.data[position : position + 1])
                await writer.drain()
                await asyncio.sleep(step.gap)
            return True
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return True
        if step == STALL:
            while await reader.read(65536):
                pass
        if step == RESET:
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        return False


def response(
    body: bytes | str | object = b"", status: int = 200, headers: Mapping[str, str] | None = None, *, length: int = -1
) -> bytes:
    """A whole response with its length; JSON unless the body is bytes or text."""
    if isinstance(body, str):
        body = body.encode()
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    fields = {"content-type": "application/json", "content-length": str(len(body) if length < 0 else length)}
    fields |= headers or {}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} Status\r\n{lines}\r\n".encode("latin-1") + body


def stream_head(headers: Mapping[str, str] | None = None) -> bytes:
    """The head of a stream in chunks."""
    fields = {"content-type": "text/event-stream", "transfer-encoding": "chunked", **(headers or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode("latin-1")


def chunk(data: bytes) -> bytes:
    """`data` as one chunk; empty data ends the body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(body: object, end: bytes = b"\n") -> bytes:
    """One server-sent event."""
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"data: " + text + end + end


DONE = event(b"[DONE]")


def stream(*events: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    """A whole stream of events in one chunk."""
    return stream_head(headers) + chunk(b"".join(events)) + chunk(b"")


def piece(delta: Mapping[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    """One event of a chat completion that streams."""
    choice = {"index": 0, "delta": dict(delta or {}), "finish_reason": finish}
    return event({"id": "chatcmpl-1", "model": "m-1", "choices": [choice], **more})


def call_piece(
    index: int | None = 0, call_id: str | None = None, name: str | None = None, arguments: str = ""
) -> bytes:
    """One event with a piece of a tool call."""
    function = {"arguments": arguments, **({"name": name} if name is not None else {})}
    call: dict[str, Any] = {"function": function}
    if index is not None:
        call["index"] = index
    if call_id is not None:
        call |= {"id": call_id, "type": "function"}
    return piece({"tool_calls": [call]})


def usage_piece(prompt: int = 11, completion: int = 5, **more: Any) -> bytes:
    """The event with the usage that comes last."""
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion, **more}
    return event({"id": "chatcmpl-1", "model": "m-1", "choices": [], "usage": counts})


def completion(message: Mapping[str, Any], finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    """The body of a whole chat completion."""
    usage = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "chatcmpl-1", "model": "m-1", "choices": [choice], "usage": usage, **more}
