"""A prompt cache by Anthropic's rules: four breakpoints a request, and a look back over 20 blocks from each of them."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple


class Bill(NamedTuple):
    """What became of the blocks of a request: read from the cache, put into it, or neither."""

    read: int
    written: int
    plain: int


class Cache:
    """A prompt cache that has what was marked in the requests that it answered."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def answer(self, body: bytes) -> Bill:
        blocks = blocks_of(json.loads(body))
        ends, digest = [], hashlib.sha256()
        for block in blocks:
            bare = {name: value for name, value in block.items() if name != "cache_control"}
            digest.update(json.dumps(bare, sort_keys=True).encode())
            ends.append(digest.hexdigest())
        marks = [at for at, block in enumerate(blocks) if "cache_control" in block]
        assert len(marks) <= 4
        found = [at for mark in marks for at in range(max(0, mark - 19), mark + 1) if ends[at] in self._known]
        self._known |= {ends[mark] for mark in marks}
        read = max(found) + 1 if found else 0
        written = max(0, marks[-1] + 1 - read) if marks else 0
        return Bill(read, written, len(blocks) - read - written)


def blocks_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a request in the order in which a cache sees them."""
    messages = ({"role": message["role"], **block} for message in body["messages"] for block in message["content"])
    return [*body.get("tools", ()), *body.get("system", ()), *messages]
