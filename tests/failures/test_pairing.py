"""Every call has one result under one id that is its own: after odd ids, interrupts, exceptions and refusals."""

import asyncio

import pytest

from agentspec import resume, run
from agentspec.core.messages import Reply, ToolCall
from agentspec.core.plan import Plan
from agentspec.testing import ListModel, World, call, plan_for, tool
from tests.failures.whole import results, sent
from tests.servers.background import calls, says
from tests.servers.loopback import Loopback, completion, response

END = says("end")


@pytest.mark.parametrize("given", ["", " ", None], ids=["empty", "blank", "missing"])
async def test_calls_without_an_id_get_one_of_their_own_on_both_sides(world, given):
    """B-01"""
    made = [{"type": "function", "function": {"name": "ping", "arguments": "{}"}} for _ in range(2)]
    made = [{**each, "id": given} if given is not None else each for each in made]
    async with Loopback([[response(completion({"content": None, "tool_calls": made}, "tool_calls"))], END]) as server:
        result = await world.run(server)

    assert result.status == "done"
    ids = [each["id"] for each in sent(server)[1]["tool_calls"]]
    assert len(set(ids)) == 2
    assert all(each.strip() for each in ids)
    assert list(results(server)) == ids


async def test_no_result_is_taken_for_a_double_because_ids_are_empty(world):
    """B-02"""
    asked = [("", "echo", f'{{"text":"{word}"}}') for word in ("a", "b", "c")]
    async with Loopback([calls(*asked), END]) as server:
        await world.run(server)

    assert list(results(server).values()) == ["a", "b", "c"]


async def test_calls_that_share_an_id_are_told_apart_and_results_do_not_multiply(world):
    """B-03"""
    shared = calls(("d1", "ping", "{}"), ("d1", "ping", "{}"))
    async with Loopback([shared, shared, END]) as server:
        result = await world.run(server)

    assert result.status == "done"
    assert len(results(server)) == 4


async def test_an_interrupt_answers_every_open_call_and_the_run_goes_on_without_a_double(world):
    """B-05 B-07 B-09"""
    asked = [("c1", "slow", "{}"), ("c2", "slow", "{}"), ("c3", "slow", "{}")]
    async with Loopback([calls(*asked), END]) as server:
        path = world.write(server.url)
        slow = {"description": "Sleeps", "run": ["sh", "-c", "echo x >> notes; exec sleep 60"]}
        path = world.write(
            server.url, capability={"tools": {"slow": slow, "ping": {"description": "P", "expr": "'p'"}}}
        )
        heard = asyncio.Event()
        ids = []

        def hear(event):
            ids.append(event["run_id"])
            if event["kind"] == "tool_call":
                heard.set()

        going = asyncio.ensure_future(run(path, on_event=hear))
        await heard.wait()
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
        result = await resume(ids[0], project=world.folder)

    assert (result.status, result.text) == ("done", "end")
    told = results(server)
    assert "may have acted" in told["c1"]
    assert [told[call_id] for call_id in ("c2", "c3")] == ["ERROR: interrupted before it started"] * 2
    assert [message["role"] for message in sent(server)] == ["user", "assistant", "tool", "tool", "tool"]


def plan_with_two() -> Plan:
    return plan_for({}, tool("good"), tool("bad"))


def asks_twice() -> tuple[Reply, Reply]:
    asked: tuple[ToolCall, ...] = (call("bad", "c1"), call("good", "c2"))
    return Reply(calls=asked), Reply(text="end")


@pytest.mark.parametrize("raised", [ValueError(), asyncio.CancelledError()], ids=["no message", "cancelled"])
async def test_a_tool_that_raises_anything_is_a_result_under_its_own_id(raised):
    """B-06 B-10"""

    def bad():
        raise raised

    world = World(plan_with_two(), ListModel(*asks_twice()), {"bad": bad, "good": lambda: "fine"})
    async with asyncio.timeout(10):
        result = await world.run("go")

    assert (result.status, result.tools.successful, result.tools.rejected) == ("done", ["good"], ["bad"])
    told = {message.call_id: message.text for message in world.driver.state.transcript if hasattr(message, "call_id")}
    assert list(told) == ["c1", "c2"]
    assert told["c1"].startswith("ERROR: ")
    assert len(told["c1"]) > len("ERROR: ")


async def test_a_conversation_that_was_turned_down_is_not_sent_again(world):
    """B-12"""
    refusal = [response({"error": {"message": "tool_call_id c1 has no matching call"}}, 400)]
    async with Loopback([calls(("c1", "ping", "{}")), refusal]) as server:
        result = await world.run(server)

    assert (result.status, result.stop_reason, len(server.asked)) == ("provider_error", "invalid_request", 2)
