"""The HTTP client: connections are reused when that is safe, and dropped when it is not."""

import asyncio
import ssl

import pytest

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.http.connection import HttpError
from agentspec.adapters.http.waits import Limits
from tests.servers.loopback import CERTIFICATE, CLOSE, STALL, Loopback, chunk, response, stream_head

LIMITS = Limits(connect=2.0, total=3.0)
OK = response(b"ok")


@pytest.fixture
async def client():
    made = HttpClient()
    yield made
    await made.close()


async def rounds():
    """Some rounds of the event loop: what is on its way over the loopback arrives."""
    for _ in range(300):
        await asyncio.sleep(0)


async def fetch(client, url, body=b"{}", limits=LIMITS):
    got = await client.send(client.target(url, {}), body, limits)
    try:
        return await got.read()
    finally:
        got.close()


async def test_requests_one_after_another_share_a_connection(client):
    async with Loopback([[OK]]) as server:
        answers = [await fetch(client, server.url) for _ in range(5)]

        assert answers == [b"ok"] * 5
        assert server.connections == 1


async def test_requests_at_once_have_connections_of_their_own_and_all_are_kept(client):
    async with Loopback([[OK]]) as server:
        await asyncio.gather(*(fetch(client, server.url) for _ in range(8)))
        await asyncio.gather(*(fetch(client, server.url) for _ in range(8)))

        assert server.connections <= 8
        assert len(server.asked) == 16


@pytest.mark.parametrize(
    "script",
    [
        [OK, CLOSE],
        [response(b"ok", headers={"connection": "close"})],
        [OK + b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil"],
        [b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok"],
    ],
    ids=["closed after the answer", "said to be closed", "with more than was asked for", "of HTTP 1.0"],
)
async def test_a_connection_that_cannot_be_trusted_is_not_used_again(client, script):
    async with Loopback([script, [OK]]) as server:
        assert await fetch(client, server.url) == b"ok"
        await rounds()
        assert await fetch(client, server.url) == b"ok"

        assert [asked.connection for asked in server.asked] == [1, 2]


async def test_bytes_that_come_while_nobody_asks_end_the_connection(client):
    async with Loopback([[OK, b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil"], [OK]]) as server:
        await fetch(client, server.url)
        await rounds()

        assert await fetch(client, server.url) == b"ok"


async def test_a_response_that_is_let_go_early_takes_its_connection_along(client):
    async with Loopback([[stream_head(), chunk(b"one"), STALL], [OK]]) as server:
        first = await client.send(client.target(server.url, {}), b"", LIMITS)
        assert await first.chunk() == b"one"
        first.close()

        assert await fetch(client, server.url) == b"ok"
        assert server.connections == 2


async def test_a_response_whose_rest_is_discarded_gives_its_connection_back_when_it_ends(client):
    async with Loopback([[stream_head(), chunk(b"one"), chunk(b"two"), chunk(b"")], [OK]]) as server:
        first = await client.send(client.target(server.url, {}), b"", LIMITS)
        await first.chunk()
        first.discard()
        first.close()
        await rounds()

        assert await fetch(client, server.url) == b"ok"
        assert server.connections == 1


async def test_a_cancelled_request_leaves_nothing_behind(client):
    async with Loopback([[STALL], [OK]]) as server:
        task = asyncio.create_task(fetch(client, server.url))
        await rounds()
        assert len(server.asked) == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert await fetch(client, server.url) == b"ok"
        assert server.connections == 2


async def test_a_large_answer_makes_the_server_wait_for_its_reader(client):
    size = 8 << 20
    async with Loopback([[response(b"x" * size)]]) as server:
        got = await client.send(client.target(server.url, {}), b"", LIMITS)
        await rounds()

        largest, total = 0, 0
        while part := await got.chunk():
            largest, total = max(largest, len(part)), total + len(part)
        got.close()

    assert total == size
    assert largest < 3 << 20


async def test_a_large_request_is_sent_whole(client):
    async with Loopback([[OK]]) as server:
        assert await fetch(client, server.url, b"x" * (6 << 20)) == b"ok"

        assert len(server.asked[0].body) == 6 << 20


async def test_tls_is_spoken_to_a_server_that_is_trusted():
    trusting = ssl.create_default_context(cafile=str(CERTIFICATE))
    client = HttpClient(tls=trusting)
    async with Loopback([[OK]], tls=True) as server:
        answers = [await fetch(client, server.url) for _ in range(3)]
        await client.close()

        assert answers == [b"ok"] * 3
        assert server.connections == 1


async def relay(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()


@pytest.fixture
async def proxy():
    """A proxy that tunnels any host to this machine; it keeps the heads that it was sent."""
    heads, tasks = [], set()

    async def serve(reader, writer):
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        port = heads[-1].split(b" ")[1].rpartition(b":")[2]
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(relay(reader, inner_writer), relay(inner_reader, writer), return_exceptions=True)

    def accept(reader, writer):
        tasks.add(asyncio.create_task(serve(reader, writer)))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1], heads
    server.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_https_goes_through_a_proxy_by_a_tunnel(proxy):
    port, heads = proxy
    environment = {"HTTPS_PROXY": f"http://u:p@127.0.0.1:{port}"}
    client = HttpClient(environment, tls=ssl.create_default_context(cafile=str(CERTIFICATE)))
    async with Loopback([[OK]], tls=True) as server:
        address = f"model.test:{server.port}"
        answers = [await fetch(client, f"https://{address}/v1") for _ in range(2)]
        await client.close()

    wanted = f"CONNECT {address} HTTP/1.1\r\nhost: {address}\r\nproxy-authorization: Basic dTpw\r\n\r\n"
    assert answers == [b"ok", b"ok"]
    assert heads == [wanted.encode()]
    assert "proxy-authorization" not in server.asked[0].headers


async def test_a_proxy_that_refuses_is_named():
    async with Loopback([[response(b"", 407)]]) as proxy:
        client = HttpClient({"HTTPS_PROXY": proxy.url})
        with pytest.raises(HttpError) as caught:
            await fetch(client, "https://model.test/v1")

    assert (caught.value.kind, str(caught.value)) == (
        "connect",
        "the proxy gave no tunnel to `model.test:443` (HTTP 407)",
    )


def test_one_client_may_serve_one_event_loop_after_another():
    client = HttpClient()

    async def once():
        async with Loopback([[OK]]) as server:
            try:
                return await fetch(client, server.url)
            finally:
                await client.close()

    assert [asyncio.run(once()), asyncio.run(once())] == [b"ok", b"ok"]
