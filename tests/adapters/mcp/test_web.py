"""Servers at an address: called with the headers of the spec, and bounded in what they may send."""

import asyncio
import gzip
import json
from contextlib import asynccontextmanager

import pytest

from agentspec.adapters.mcp import program
from agentspec.adapters.mcp.connection import Connection, Failed, Server, require_sdk
from tests.servers.web import web


@asynccontextmanager
async def connection(url: str, **headers: str):
    require_sdk()
    opened = Connection(Server("s", url=url, headers=headers, start_timeout=20), lambda line: None)
    try:
        yield opened
    finally:
        await opened.close()


async def test_a_server_is_called_with_the_headers_of_the_spec():
    with web() as (url, _):
        async with connection(url, **{"X-Who": "me"}) as server:
            names = [tool["name"] for tool in await server.tools()]
            added = await server.call("add", {"a": 1, "b": 2})
            told = await server.call("header", {"name": "x-who"})

    assert names == ["add", "header", "grow"]
    assert (added["structuredContent"], told["content"][0]["text"]) == ({"result": 3}, "me")


async def test_a_server_that_tells_changes_to_those_who_ask_is_asked():
    with web() as (url, _):
        async with connection(url) as server:
            changed = server.watch()
            await server.tools()
            await server.call("grow", {})
            async with asyncio.timeout(10):
                await changed.wait()

            assert [tool["name"] for tool in await server.tools()][-1] == "new"


@pytest.mark.slow
async def test_a_server_that_is_gone_fails_the_call_at_once_and_says_that_it_may_have_acted():
    with web() as (url, process):
        async with connection(url) as server:
            await server.tools()
            process.kill()
            process.wait()
            with pytest.raises(Failed) as failed:
                await server.call("add", {"a": 1, "b": 2})

    assert (failed.value.category, str(failed.value)) == (
        "connection",
        "the MCP server `s` is gone: Connection closed; it may have acted",
    )


@pytest.mark.slow
async def test_a_refused_token_is_told():
    with web("right") as (url, _):
        async with connection(url, Authorization="Bearer wrong") as server:
            with pytest.raises(Failed) as failed:
                await server.tools()
        async with connection(url, Authorization="Bearer right") as server:
            assert await server.tools()

    assert failed.value.category in ("server", "connection")
    assert "right" not in str(failed.value)


@asynccontextmanager
async def answering(answer: bytes):
    """A server that says the same to every request, and counts them."""
    asked: list[bytes] = []

    async def serve(reader, writer):
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                asked.append(head)
                length = next((int(line.split(b":")[1]) for line in head.splitlines() if line.lower().startswith(b"content-length")), 0)  # fmt: skip
                await reader.readexactly(length)
                if not answer:
                    return
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listener:
        yield listener.sockets[0].getsockname()[1], asked


def response(body: bytes, *headers: str, status: str = "200 OK", kind: str = "application/json") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"content-type: {kind}", f"content-length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


RESULT = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {}}).encode()


@pytest.mark.parametrize(
    "answer",
    [
        response(b"<html>hello</html>", kind="text/html"),
        response(b"", kind=""),
        response(b"{", kind="application/json"),
        response(b"[]", kind="application/json"),
        response(gzip.compress(b"x" * 50_000_000), "content-encoding: gzip"),
        response(b"x" * (program.MESSAGE_MAX + 1)),
        response(b"no", status="500 Internal Server Error"),
        response(b"no", status="403 Forbidden"),
        response(b"", status="204 No Content"),
        response(b"data: nonsense\n\n", kind="text/event-stream"),
        response(b"event: error\ndata: {}\n\n", kind="text/event-stream"),
        b"HTTP/1.1 200 OK\r\nx-a: " + b"y" * 2_000_000 + b"\r\n\r\n",
        b"not http at all\r\n\r\n",
        b"",
    ],
    ids=lambda answer: answer[:24].decode("latin-1").strip(),
)
async def test_an_answer_that_is_none_is_a_failure_in_words(answer):
    async with answering(answer) as (port, _), connection(f"http://127.0.0.1:{port}/mcp") as server:
        with pytest.raises(Failed) as failed:
            async with asyncio.timeout(30):
                await server.tools()

    assert str(failed.value).startswith("the MCP server `s` ") or "no answer" in str(failed.value)


@pytest.mark.parametrize("status", ["302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
async def test_a_redirect_to_another_host_is_not_followed(status):
    async with answering(response(RESULT)) as (inner, reached):
        away = response(b"", f"location: http://localhost:{inner}/mcp", status=status)
        async with answering(away) as (port, _), connection(f"http://127.0.0.1:{port}/mcp", Authorization="Bearer secret") as server:  # fmt: skip
            with pytest.raises(Failed):
                await server.tools()

    assert reached == []
