"""Failures of limits: what is counted, when a bound is looked at, and what stands at the end."""

import json

import pytest

from agentspec import Unavailable, load, run
from tests.servers.loopback import STALL, Loopback, chunk, completion, piece, response, stream_head

LOOK = {"content": "I look.", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ping"}}]}
PRICES = {"input": 10.0, "output": 100.0}


def counted(message, finish, *, prompt=100, output=20, **usage):
    body = completion(message, finish)
    body["usage"] = {"prompt_tokens": prompt, "completion_tokens": output, **usage}
    return [response(body)]


def looks(**usage):
    return counted(LOOK, "tool_calls", **usage)


def says(text, **usage):
    return counted({"content": text}, "stop", **usage)


async def test_a_limit_of_n_turns_makes_n_requests_and_one_for_the_last_words(world):
    """G-01"""
    async with Loopback([looks()]) as server:
        with_words = await world.run(server, execution={"max_iterations": 3, "stall": False})
        words = len(server.asked)
        without = await world.run(server, execution={"max_iterations": 3, "stall": False, "wrap_up": False})

    assert (words, len(server.asked) - words) == (4, 3)
    assert (with_words.llm.iterations, with_words.adaptive_budget.final_limit) == (4, 3)
    assert (without.status, without.stop_reason, without.text) == ("budget_exhausted", "max_iterations", "I look.")


async def test_the_last_words_keep_the_tools_in_the_request_and_forbid_to_call_them(world):
    """G-04"""
    async with Loopback([looks(), says("Enough.")]) as server:
        result = await world.run(server, execution={"max_iterations": 1})

    asked = server.asked[1].json
    assert (asked["tool_choice"], len(asked["tools"])) == ("none", 5)
    assert (result.status, result.text, result.wrapped_up) == ("budget_exhausted", "Enough.", True)
    assert result.stopped_by == {"limit": "execution.max_iterations", "detail": "1 turn", "file": "s.json", "line": 1}


async def test_an_answer_far_above_the_bound_is_never_asked_for(world):
    """G-06"""
    async with Loopback([looks(prompt=300, output=40)]) as server:
        result = await world.run(server, execution={"limits": {"tokens": 1_500}, "wrap_up": False})

    caps = [asked.json["max_tokens"] for asked in server.asked]
    used = result.llm.input_tokens + result.llm.output_tokens
    assert (result.status, result.stop_reason) == ("budget_exhausted", "tokens")
    assert caps == sorted(caps, reverse=True)
    assert all(64 <= cap < 1_500 for cap in caps)
    assert used <= 1_500


async def test_a_server_that_knows_no_limit_is_not_listened_to_without_end(world):
    """G-06"""
    endless = [stream_head(), *[chunk(piece({"content": "word " * 400})) for _ in range(16)], STALL]
    async with Loopback([endless]) as server:
        result = await world.run(server, model={"stream": True}, execution={"limits": {"tokens": 1_500}})

    assert (result.status, result.stop_reason, len(server.asked)) == ("budget_exhausted", "tokens", 1)
    assert result.llm.usage_estimated
    assert 1_500 < result.llm.output_tokens <= 8_000


async def test_dollars_are_counted_by_the_spec_s_prices_and_never_passed(world):
    """G-06"""
    events = []
    async with Loopback([looks(prompt=200, output=20)]) as server:
        result = await world.run(
            server,
            model={"prices": PRICES},
            execution={"limits": {"cost_usd": 0.02}, "wrap_up": False, "stall": False},
            on_event=events.append,
        )

    costs = [event["cost_usd"] for event in events if event["kind"] == "model_call"]
    assert (result.status, result.stop_reason) == ("budget_exhausted", "cost_usd")
    assert costs == [0.004] * len(server.asked)
    assert result.llm.cost_usd == pytest.approx(sum(costs))
    assert result.llm.cost_usd <= 0.02


@pytest.mark.parametrize("usage", [{"prompt": -5}, {"prompt": "100"}, {"prompt": None, "output": None}], ids=str)
async def test_usage_that_cannot_be_true_is_missing_and_is_estimated_or_refused(world, usage):
    """D-10"""
    events = []
    async with Loopback([says("Enough.", **usage)]) as server:
        result = await world.run(server, on_event=events.append)
        refused = await world.run(server, execution={"limits": {"on_missing_usage": "fail"}})

    told = [event["route"] for event in events if event["kind"] == "usage_estimated"]
    assert (result.status, result.llm.usage_estimated, told) == ("done", True, ["openai:m-1"])
    assert result.llm.input_tokens > 0
    assert (refused.status, refused.stop_reason, refused.text) == ("provider_error", "bad_response", "Enough.")


async def test_a_bound_on_cost_over_a_model_without_a_price_is_refused_before_anything_runs(world, monkeypatch):
    """G-16"""
    async with Loopback([says("Enough.")]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        path = world.folder / "s.json"
        path.write_text(json.dumps({"name": "s", "task": "go", "execution": {"limits": {"cost_usd": 1}}}))

        with pytest.raises(Unavailable, match=r"nobody knows what `gpt-5\.4-mini` costs"):
            await run(path)
        given = await run(path, sets=["execution.limits.on_unknown_price={input: 1, output: 2}"])

    assert len(server.asked) == 1
    assert given.llm.cost_usd == pytest.approx((100 + 2 * 20) / 1_000_000)


def test_a_check_says_which_price_is_missing(tmp_path):
    """G-16"""
    path = tmp_path / "a.json"
    judge = {"provider": "openai", "model": "our-judge"}
    execution = {"loop_until_done": True, "limits": {"cost_usd": 1}, "verify_completion_judge": judge}
    path.write_text(
        json.dumps({"name": "a", "model": {"provider": "openai", "model": "gpt-5.4-mini"}, "execution": execution})
    )

    found = [(one.code, one.path) for one in load(path).diagnostics if one.severity == "error"]

    assert found == [("AS802", "execution.verify_completion_judge.model")]


async def test_a_tool_that_must_be_called_is_asked_for_until_it_was_and_then_the_model_can_answer(world):
    """G-15"""
    async with Loopback([looks(), says("It is a pong.")]) as server:
        result = await world.run(server, model={"tool_choice": {"tool": "ping"}})

    choices = [asked.json.get("tool_choice") for asked in server.asked]
    assert choices == [{"type": "function", "function": {"name": "ping"}}, None]
    assert (result.status, result.text) == ("done", "It is a pong.")
