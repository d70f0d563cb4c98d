"""What runs of one loop share: whoever begins while the last one ends gets nothing that is being closed."""

import asyncio

from agentspec.api.workspace import workspace


async def test_a_store_that_is_opened_while_the_last_user_leaves_stays_open(tmp_path):
    leave = asyncio.Event()

    async def last() -> None:
        async with workspace() as shared:
            assert shared.client is not None  # closing it takes a turn of the loop
            await leave.wait()

    async def next_one() -> list:
        await leave.wait()  # goes on in the turn in which the last one leaves
        async with workspace() as shared:
            store = shared.store(tmp_path / "runs.db")
            await asyncio.sleep(0.01)
            return store.list_runs()

    leaver, comer = asyncio.create_task(last()), asyncio.create_task(next_one())
    await asyncio.sleep(0)
    leave.set()

    assert await comer == []
    await leaver
