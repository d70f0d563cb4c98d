"""floor_incremental: the least that a program can do at all for the same work.

A raw connection, each message encoded once, each request joined from kept bytes. It believes everything that the server
says, so it is a floor and no client.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from urllib.parse import urlsplit

from work import MODEL, SYSTEM, TASK, TOOL, lines, lookup, main


class Floor:
    def __init__(self) -> None:
        self.idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def open(self) -> None:
        pass

    async def body(self, base_url: str, request: bytes) -> AsyncIterator[bytes]:
        url = urlsplit(base_url)
        reader, writer = self.idle.pop() if self.idle else await asyncio.open_connection(url.hostname, url.port)
        head = f"POST {url.path}/chat/completions HTTP/1.1\r\nhost: {url.netloc}\r\ncontent-type: application/json\r\n"
        writer.write(head.encode() + b"content-length: %d\r\n\r\n" % len(request) + request)
        block = await reader.readuntil(b"\r\n\r\n")
        left = int(block.lower().split(b"content-length:")[1].split(b"\r")[0])
        while left:
            part = await reader.read(min(left, 65536))
            left -= len(part)
            yield part
        self.idle.append((reader, writer))

    async def loop(self, base_url: str, result: int) -> int:
        functions: dict[str, Callable[..., str]] = {"lookup": lambda key: lookup(key, result)}
        kept = bytearray(json.dumps({"model": MODEL, "tools": [TOOL]})[:-1].encode() + b', "messages": [')
        kept += json.dumps({"role": "system", "content": SYSTEM}).encode()
        kept += b"," + json.dumps({"role": "user", "content": TASK}).encode()
        turns = 0
        while True:
            answer = b"".join([part async for part in self.body(base_url, bytes(kept) + b"]}")])
            message = json.loads(answer)["choices"][0]["message"]
            kept += b"," + json.dumps(message).encode()
            turns += 1
            if not message.get("tool_calls"):
                return turns
            for call in message["tool_calls"]:
                function = call["function"]
                text = functions[function["name"]](**json.loads(function["arguments"]))
                kept += b"," + json.dumps({"role": "tool", "tool_call_id": call["id"], "content": text}).encode()

    async def stream(self, base_url: str) -> int:
        pieces = 0
        async for line in lines(self.body(base_url, b'{"stream": true}')):
            if line.startswith(b"data: {"):
                json.loads(line[6:])
                pieces += 1
        return pieces

    async def close(self) -> None:
        for _, writer in self.idle:
            writer.close()


if __name__ == "__main__":
    main(Floor())
