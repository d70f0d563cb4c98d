"""Runs that draw on one pot: it is never overspent, everyone ends, and nobody is left behind."""

import asyncio
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec import load
from agentspec.api.options import RunOptions
from agentspec.api.run import start
from agentspec.api.workspace import workspace
from agentspec.core.limits.price import Price
from agentspec.core.messages import Failure, Reply, Usage, UserMessage
from agentspec.core.transcript import Transcript
from agentspec.ports import ModelRequest
from agentspec.runtime.pots import Ledger, Pots, PottedModel, Wish
from agentspec.testing import ListModel
from tests.sample import fast_first

PRICE = Price(input=3.0, output=15.0)
STEPS = st.lists(
    st.tuples(st.sampled_from(["call", "settle", "join", "leave"]), st.integers(0, 900), st.floats(0, 1)), max_size=60
)


@given(STEPS, st.none() | st.integers(1, 5_000), st.none() | st.floats(0.0001, 0.1), st.integers(1, 20))
def test_whatever_is_asked_for_no_pot_is_overspent(steps, tokens, cost_usd, branches):
    ledger = Ledger(tokens, cost_usd)
    ledger.branches = branches
    open_calls = []
    for step, request, share in steps:
        if step == "call":
            given = ledger.reserve(Wish(request=request, longest=1_000, least=64, price=PRICE))
            open_calls += [(request, given)] if given is not None else []
        elif step == "settle" and open_calls:
            asked, given = open_calls.pop(request % len(open_calls))
            output = int(given.output * share)
            ledger.settle(given, asked + output, (asked * PRICE.input + output * PRICE.output) / 1e6)
        else:
            ledger.branches = max(0, ledger.branches + {"join": 1, "leave": -1}.get(step, 0))

        assert tokens is None or ledger.spent_tokens + ledger.reserved_tokens <= tokens
        assert cost_usd is None or ledger.spent_cost + ledger.reserved_cost <= cost_usd * (1 + 1e-9)


def test_a_single_run_may_have_all_that_is_left():
    ledger = Ledger(tokens=1_000)
    ledger.branches = 1

    assert ledger.share(Wish(request=200, longest=5_000, least=64)) == 800


def request():
    return ModelRequest(transcript=Transcript().append(UserMessage(text="x" * 276)))  # 100 tokens at most


async def test_a_branch_whose_share_is_too_small_waits_while_a_sibling_is_asked_and_then_goes_on():
    pots = Pots(tokens=500)
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def slow(_: ModelRequest) -> Reply:
        asked.set()
        await go_on.wait()
        return Reply(text="a", usage=Usage(100, 10))

    first = PottedModel(ListModel(slow), pots.join(), longest=400)
    second = PottedModel(ListModel(Reply(text="b", usage=Usage(100, 10))), pots.join(), longest=400)
    earlier = asyncio.create_task(first.answer(request(), None))
    await asked.wait()
    later = asyncio.create_task(second.answer(request(), None))
    await asyncio.sleep(0)
    waited = not later.done()
    go_on.set()

    assert waited
    assert [answer.text for answer in await asyncio.gather(earlier, later)] == ["a", "b"]
    assert (pots.ledger.spent_tokens, pots.ledger.reserved_tokens) == (220, 0)


async def test_a_branch_is_refused_only_when_nobody_is_asked_and_its_share_is_the_others_then():
    pots = Pots(tokens=300)
    branches = [pots.join() for _ in range(4)]
    models = [PottedModel(ListModel(Reply(text="a", usage=Usage(100, 64))), branch) for branch in branches]

    answers = await asyncio.gather(*(model.answer(request(), None) for model in models))

    refused = [answer for answer in answers if isinstance(answer, Failure)]
    assert len(refused) == 3
    assert {failure.limit for failure in refused} == {"tokens"}
    assert pots.ledger.branches == 1
    assert pots.ledger.spent_tokens <= 300


async def test_a_call_that_is_called_back_gives_back_its_place_in_the_line():
    pots = Pots(tokens=10_000)
    never = asyncio.Event()

    async def silent(_: ModelRequest) -> Reply:
        await never.wait()
        return Reply()

    model = PottedModel(ListModel(silent), pots.join(), longest=200)
    going = asyncio.create_task(model.answer(request(), None))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going

    assert (pots.ledger.in_flight, pots.ledger.reserved_tokens) == (0, 0)
    assert pots.ledger.spent_tokens == 300  # nobody knows what it used: the most


class Counting:
    """A model server that writes as much as it may, up to a length of its own, and counts what it gave."""

    def __init__(self) -> None:
        self.dice = random.Random(7)
        self.tokens = 0
        self.cost = 0.0
        self.calls = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
                )
                body = json.dumps(self.answer(await reader.readexactly(length))).encode()
                await asyncio.sleep(self.dice.random() / 200)
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
                writer.write(b"content-length: %d\r\n\r\n" % len(body) + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def answer(self, sent: bytes) -> dict:
        asked = json.loads(sent)
        prompt = len(sent) // 4
        output = min(asked["max_tokens"], self.dice.randint(64, 400))
        self.calls += 1
        self.tokens += prompt + output
        self.cost += (prompt * PRICE.input + output * PRICE.output) / 1e6
        call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": f'{{"at": {self.calls}}}'}}
        message = {"content": "w " * output, "tool_calls": [call]}
        usage = {"prompt_tokens": prompt, "completion_tokens": output}
        return {"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": usage}


@pytest.mark.parametrize("limits", fast_first([{"tokens": 60_000}, {"cost_usd": 0.4}]), ids=["tokens", "cost"])
async def test_fifty_runs_at_once_never_overspend_one_pot_and_all_end(tmp_path, monkeypatch, limits):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim-0123456789")
    model_server = Counting()
    server = await asyncio.start_server(model_server.serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    prices = {"input": PRICE.input, "output": PRICE.output}
    model = {"provider": "openai", "model": "m", "base_url": url, "prices": prices, "stream": False}
    tools = {"look": {"parameters": {"at": "integer"}, "expr": "string(args.at)"}}
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"name": "s", "task": "go", "model": model, "capability": {"tools": tools}}))
    pots = Pots(**limits)

    async with server, workspace() as shared:
        running = [await start(load(path), None, RunOptions(), shared) for _ in range(50)]
        for one in running:
            one.share(pots)
        results = await asyncio.wait_for(asyncio.gather(*(one.go() for one in running)), 60)

    (limit,) = limits
    used = {"tokens": model_server.tokens, "cost_usd": model_server.cost}[limit]
    assert {(result.status, result.stop_reason) for result in results} == {("budget_exhausted", limit)}
    assert limits[limit] * 0.8 < used <= limits[limit]
    assert all(result.llm.provider_calls >= 1 for result in results)
    assert sum(result.llm.provider_calls for result in results) == model_server.calls
    assert (pots.ledger.branches, pots.ledger.in_flight, pots.ledger.reserved_tokens) == (0, 0, 0)
