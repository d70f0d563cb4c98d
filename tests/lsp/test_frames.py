"""Messages are cut out of a stream whatever else is in it."""

from __future__ import annotations

import asyncio

import pytest

from agentspec.lsp.frames import AT_ONCE, framed, messages

ONE, TWO = framed({"id": 1}), framed({"id": 2})


async def read(data: bytes, most: int = 1000) -> list[bytes]:
    stream = asyncio.StreamReader(limit=AT_ONCE)
    stream.feed_data(data)
    stream.feed_eof()
    return [body async for body in messages(stream, most)]


@pytest.mark.parametrize(
    ("data", "bodies"),
    [
        (ONE + TWO, [b'{"id": 1}', b'{"id": 2}']),
        (b'content-length:9\nContent-Type: x\n\n{"id": 1}', [b'{"id": 1}']),
        (b"{}}}" + ONE, [b'{"id": 1}']),
        (b'Content-Length: 9\r\n\r\n{"id"' + TWO, [b'{"id"Cont']),
        (b'Content-Length: 3\r\n\r\n{"id": 1}' + TWO, [b'{"i', b'{"id": 2}']),
        (b"Content-Length: 2000\r\n\r\n" + b"x" * 2000 + TWO, [b"", b'{"id": 2}']),
        (b"Content-Length: 1\r\n\r\n", []),
        (b"Content-Length: 2000\r\n\r\n" + b"x" * 1999, []),
        (b"\r\n" * 3 + TWO, [b'{"id": 2}']),
        (b"y" * (2 * AT_ONCE) + b"\n" + TWO, [b'{"id": 2}']),
        (b"", []),
    ],
    ids=["two", "small letters", "rest", "length too long", "too short", "too long", "nothing", "cut", "blank", "endless", "end"],
)  # fmt: skip
async def test_messages_are_found(data: bytes, bodies: list[bytes]) -> None:
    assert await read(data) == bodies
