"""Whole runs over many turns at a server with Anthropic's rules for caches: what was sent before is paid as cached."""

import json
from typing import Any

import pytest

from agentspec import run
from tests.servers.cache import Bill, Cache
from tests.servers.loopback import Loopback
from tests.servers.said import Call, Said
from tests.servers.speakers import SPEAKERS, answers

TURNS = 24
LOOK = {"look": {"description": "Looks", "parameters": {"n": "integer"}, "expr": "'book ' + string(args.n)"}}
READ, WRITTEN = 0.1, 1.25  # times the price of input


def turn(number: int) -> Said:
    """A turn with one call, and every eighth with more than a cache looks back over."""
    calls = 25 if number % 8 == 0 else 1
    made = (Call(f"toolu_{number}_{at}", "look", {"n": 100 * number + at}) for at in range(calls))
    return Said(f"Step {number}.", tuple(made), reason="calls")


@pytest.mark.parametrize(
    "context",
    [{}, {"reminders": [{"text": "Be quick.", "every": 3}]}, {"timestamp_messages": True}],
    ids=["plain", "reminders", "timestamps"],
)
async def test_a_long_run_pays_cached_prices_for_what_was_sent_before(tmp_path, monkeypatch, context: dict[str, Any]):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-geheim-0123456789")
    scripts = [
        answers(SPEAKERS["anthropic"], said, streamed=False) for said in (*map(turn, range(TURNS)), Said("Done."))
    ]
    async with Loopback(scripts) as server:
        model = {"provider": "anthropic", "model": "m", "base_url": server.url, "stream": False}
        spec = {"name": "s", "task": "Look.", "model": model, "capability": {"tools": LOOK}, "context": context}
        path = tmp_path / "s.json"
        path.write_text(json.dumps({**spec, "execution": {"stall": False}}))
        result = await run(path)

    cache = Cache()
    bills = [cache.answer(asked.body) for asked in server.asked]
    assert (result.status, len(bills), result.llm.prefix_share) == ("done", TURNS + 1, 1.0)
    assert [bill.read for bill in bills] == [0, *(bill.read + bill.written for bill in bills[:-1])]
    assert paid(bills) <= 0.25 * sum(sum(bill) for bill in bills)


def paid(bills: list[Bill]) -> float:
    """What all blocks cost, a block at the price of input counted as one."""
    return sum(READ * bill.read + WRITTEN * bill.written + bill.plain for bill in bills)
