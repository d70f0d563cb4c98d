"""What only computes is answered in the commit of its order; whatever may act waits until its order is stored."""

from typing import Any

import pytest

from agentspec.core.messages import Reply
from agentspec.ports import Invocation, Output
from agentspec.testing.kernel import call, plan_for, tool
from agentspec.testing.world import ListModel, MemoryJournal, World

VALUES: dict[str, Any] = {"execution": {"loop_until_done": True, "max_iterations": 9}}


class Doubling:
    """Computes; remembers what was in the journal when it did."""

    def __init__(self, journal: MemoryJournal) -> None:
        self.journal = journal
        self.seen: list[str] = []

    async def call(self, invocation: Invocation) -> Output:
        return self.compute(invocation)

    def compute(self, invocation: Invocation) -> Output:
        self.seen.append(self.journal.records[-1].kind)
        return Output(text=str(2 * invocation.arguments["n"]))

    async def close(self) -> None: ...


def world_with(*replies: Reply, effect: str = "none", look: Any = None) -> tuple[World, Doubling]:
    double = tool("double", effect=effect, repeat="read", parameters={"type": "object", "properties": {"n": {}}})
    world = World(plan_for(VALUES, double, tool("look")), ListModel(*replies), {"look": look or (lambda: "a picture")})
    computing = Doubling(world.journal)
    world.tools["double"] = computing
    return world, computing


def wants(*calls: Any) -> Reply:
    return Reply(calls=calls)


async def test_a_turn_that_only_computes_is_one_commit() -> None:
    replies = [wants(call("double", arguments=f'{{"n": {n}}}')) for n in range(3)]
    world, _ = world_with(*replies, Reply(text="done"))

    result = await world.run("go")

    kinds = [record.kind for record in world.journal.records]
    turn = ["model_replied", "call_tool", "tool_returned", "note", "call_model"]
    assert result.text == "done"
    assert kinds == ["run_started", "note", "call_model", *turn, *turn, *turn, "model_replied", "finish"]
    assert [count for count, _ in world.journal.appends] == [3, 5, 5, 5, 2]


async def test_a_tool_that_claims_an_effect_waits_for_its_order() -> None:
    world, computing = world_with(wants(call("double", arguments='{"n": 1}')), Reply(text="done"), effect="write")

    await world.run("go")

    assert computing.seen == ["call_tool"]


async def test_calls_that_take_time_go_on_beside_those_that_compute() -> None:
    calls = wants(call("look", "a"), call("double", "b", arguments='{"n": 2}'), call("look", "c"))
    world, _ = world_with(calls, Reply(text="done"))

    await world.run("go")

    shown = [(event["call_id"], event["text"]) for event in world.events if event["kind"] == "tool_result"]
    told = [message.text for message in world.model.requests[-1].transcript][-3:]
    assert shown == [("b", "4"), ("a", "a picture"), ("c", "a picture")]
    assert told == ["a picture", "4", "a picture"]


@pytest.mark.parametrize("arguments", ['{"n": null}', "{}"])
async def test_a_fault_inside_is_the_result_of_its_call(arguments: str) -> None:
    world, _ = world_with(wants(call("double", arguments=arguments)), Reply(text="done"))

    result = await world.run("go")

    (shown,) = [event for event in world.events if event["kind"] == "tool_result"]
    assert (shown["status"], shown["error"]["category"], result.status) == ("error", "exception", "done")
