"""Calls that are tried again: waits that can be left, and what is never tried again."""

import asyncio

import pytest

from agentspec import run
from tests.servers.loopback import Loopback, response


@pytest.mark.parametrize("wait", ["30", "Sat, 01 Jan 2050 00:00:30 GMT"])
async def test_a_wait_that_the_server_asks_for_ends_at_once_when_the_run_is_stopped(world, wait):
    """I-01"""
    headers = {"retry-after": wait, "date": "Sat, 01 Jan 2050 00:00:00 GMT"}
    refused = asyncio.Event()
    async with asyncio.timeout(10), Loopback([[response({"error": {"message": "slow down"}}, 429, headers)]]) as server:
        path = world.write(server.url, model={"retry": {"max_attempts": 3, "max_wait": "60s"}})
        going = asyncio.ensure_future(run(path, on_event=lambda event: event["kind"] == "model_call" and refused.set()))
        await refused.wait()
        going.cancel()

        with pytest.raises(asyncio.CancelledError):
            await going

    assert len(server.asked) == 1
