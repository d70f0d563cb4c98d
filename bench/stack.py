"""stack: what the HTTP stack alone costs, for the candidates that docs/decisions/0010-http-stack.md compares.

The same loop for all: messages encoded once, requests joined from kept bytes, answers decoded by the standard library.
`python bench/stack.py NAME --port …`; the packages of the candidates are not among the project's dependencies, so each
is imported by the candidate that needs it.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

from work import MODEL, SYSTEM, TASK, TOOL, lines, lookup, main

HEADERS = {"authorization": "Bearer bench", "content-type": "application/json"}


class Httpx:
    """httpx as it is."""

    def client(self) -> Any:
        import httpx

        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        return httpx.AsyncClient(headers=HEADERS, timeout=60, limits=limits)

    async def open(self) -> None:
        self.http = self.client()

    async def post(self, url: str, body: bytes) -> bytes:
        return (await self.http.post(url, content=body)).content

    async def parts(self, url: str, body: bytes) -> AsyncIterator[bytes]:
        async with self.http.stream("POST", url, content=body) as response:
            async for part in response.aiter_raw():
                yield part

    async def close(self) -> None:
        await self.http.aclose()


class HttpxAiohttp(Httpx):
    """httpx's interface over aiohttp's connections."""

    def client(self) -> Any:
        import aiohttp
        import httpx
        from httpx_aiohttp import AiohttpTransport

        def session() -> aiohttp.ClientSession:
            return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))

        return httpx.AsyncClient(headers=HEADERS, timeout=60, transport=AiohttpTransport(client=session))


class Aiohttp:
    """aiohttp as it is."""

    async def open(self) -> None:
        import aiohttp

        self.http = aiohttp.ClientSession(headers=HEADERS, connector=aiohttp.TCPConnector(limit=0))

    async def post(self, url: str, body: bytes) -> bytes:
        async with self.http.post(url, data=body, allow_redirects=False) as response:
            return await response.read()

    async def parts(self, url: str, body: bytes) -> AsyncIterator[bytes]:
        async with self.http.post(url, data=body, allow_redirects=False) as response:
            async for part in response.content.iter_any():
                yield part

    async def close(self) -> None:
        await self.http.close()


class Own:
    """The project's client."""

    async def open(self) -> None:
        from agentspec.adapters.http.client import HttpClient
        from agentspec.adapters.http.waits import Limits

        self.http = HttpClient()
        self.limits = Limits(connect=10, idle=60, total=60)

    async def post(self, url: str, body: bytes) -> bytes:
        response = await self.http.send(self.http.target(url, HEADERS), body, self.limits)
        try:
            return await response.read()
        finally:
            response.close()

    async def parts(self, url: str, body: bytes) -> AsyncIterator[bytes]:
        response = await self.http.send(self.http.target(url, HEADERS), body, self.limits)
        try:
            while part := await response.chunk():
                response.progress()
                yield part
        finally:
            response.close()

    async def close(self) -> None:
        await self.http.close()


class H11:
    """h11 over asyncio's streams."""

    def __init__(self) -> None:
        self.idle: list[Any] = []

    async def open(self) -> None:
        pass

    async def post(self, url: str, body: bytes) -> bytes:
        return b"".join([part async for part in self.parts(url, body)])

    async def parts(self, url: str, body: bytes) -> AsyncIterator[bytes]:
        import asyncio
        from urllib.parse import urlsplit

        import h11

        where = urlsplit(url)
        reader, writer = self.idle.pop() if self.idle else await asyncio.open_connection(where.hostname, where.port)
        connection = h11.Connection(h11.CLIENT)
        headers = [("host", where.netloc), *HEADERS.items(), ("content-length", str(len(body)))]
        head = connection.send(h11.Request(method="POST", target=where.path, headers=headers)) or b""
        writer.write(head + (connection.send(h11.Data(body)) or b"") + (connection.send(h11.EndOfMessage()) or b""))
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                connection.receive_data(await reader.read(65536))
            elif isinstance(event, h11.Data):
                yield bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                break
        self.idle.append((reader, writer))

    async def close(self) -> None:
        for _, writer in self.idle:
            writer.close()


class Stack:
    def __init__(self, http: Any) -> None:
        self.http = http

    async def open(self) -> None:
        await self.http.open()

    async def loop(self, base_url: str, result: int) -> int:
        kept = bytearray(json.dumps({"model": MODEL, "tools": [TOOL]})[:-1].encode() + b', "messages": [')
        kept += json.dumps({"role": "system", "content": SYSTEM}).encode()
        kept += b"," + json.dumps({"role": "user", "content": TASK}).encode()
        turns = 0
        while True:
            answer = await self.http.post(f"{base_url}/chat/completions", bytes(kept) + b"]}")
            message = json.loads(answer)["choices"][0]["message"]
            kept += b"," + json.dumps(message).encode()
            turns += 1
            if not message.get("tool_calls"):
                return turns
            for call in message["tool_calls"]:
                text = lookup(**json.loads(call["function"]["arguments"]), size=result)
                kept += b"," + json.dumps({"role": "tool", "tool_call_id": call["id"], "content": text}).encode()

    async def stream(self, base_url: str) -> int:
        pieces = 0
        async for line in lines(self.http.parts(f"{base_url}/chat/completions", b'{"stream": true}')):
            if line.startswith(b"data: {"):
                json.loads(line[6:])
                pieces += 1
        return pieces

    async def close(self) -> None:
        await self.http.close()


STACKS = {"httpx": Httpx, "httpx+aiohttp": HttpxAiohttp, "aiohttp": Aiohttp, "h11": H11, "own": Own}

if __name__ == "__main__":
    main(Stack(STACKS[sys.argv.pop(1)]()))
