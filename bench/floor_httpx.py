"""floor_httpx: the least that a program can do with httpx for the same work.

It keeps a list of messages, encodes the whole request every time, posts it, decodes the answer, looks the function up
and calls it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
from work import MODEL, SYSTEM, TASK, TOOL, lookup, main

HEADERS = {"authorization": "Bearer bench"}


class Floor:
    async def open(self) -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        self.client = httpx.AsyncClient(headers=HEADERS, timeout=60, limits=limits)

    async def loop(self, base_url: str, result: int) -> int:
        functions: dict[str, Callable[..., str]] = {"lookup": lambda key: lookup(key, result)}
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": TASK},
        ]
        turns = 0
        while True:
            request = {"model": MODEL, "messages": messages, "tools": [TOOL]}
            response = await self.client.post(f"{base_url}/chat/completions", json=request)
            message = response.json()["choices"][0]["message"]
            messages.append(message)
            turns += 1
            if not message.get("tool_calls"):
                return turns
            for call in message["tool_calls"]:
                function = call["function"]
                text = functions[function["name"]](**json.loads(function["arguments"]))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})

    async def stream(self, base_url: str) -> int:
        request = {"model": MODEL, "messages": [{"role": "user", "content": TASK}], "stream": True}
        pieces = 0
        async with self.client.stream("POST", f"{base_url}/chat/completions", json=request) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {"):
                    json.loads(line[6:])
                    pieces += 1
        return pieces

    async def close(self) -> None:
        await self.client.aclose()


if __name__ == "__main__":
    main(Floor())
