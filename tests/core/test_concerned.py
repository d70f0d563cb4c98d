"""What a turn costs the kernel, in calls and not in seconds: counted so that it does not grow unseen."""

from __future__ import annotations

from typing import Any

import pytest

from agentspec.core import events, proposals
from agentspec.core.facts import Facts
from agentspec.core.messages import Reply, ToolCall, ToolResult
from agentspec.core.policy import Admitted, TurnEnded, TurnSettled, TurnStarted
from agentspec.core.rulings import PASS
from agentspec.testing.kernel import Kernel, call, plan_for, tool
from tests.calls import counted

PLAIN: dict[str, Any] = {"execution": {"loop_until_done": True, "max_iterations": 99}}
ASKED = 31  # policies in a turn, each as often as it is asked; one without settings that concern is not in the plan
BOUNDED: dict[str, Any] = {
    "execution": {**PLAIN["execution"], "limits": {"cost_usd": 10.0}},
    "model": {"prices": {"input": 3.0, "output": 15.0}},
}
CALLS = 243  # of Python functions in a turn with one call, the script of this test among them
CALLS_BOUNDED = 269  # the same where money is counted

LOOK = ToolCall("c1", "look", "{}")
ACT = proposals.Act(call=LOOK, index=0, arguments={})
RESULT = ToolResult("look", "c1", status="error", text="no")
SAMPLES: dict[type, Any] = {
    Admitted: Admitted(calls=(ACT, ACT)),
    TurnSettled: TurnSettled(turn=1),
    events.ToolReturned: events.ToolReturned(at=1.0, order=1, call=LOOK, result=RESULT),
    events.ModelReplied: events.ModelReplied(at=1.0, order=1, reply=Reply(calls=(LOOK,))),
    proposals.Act: ACT,
    proposals.Take: proposals.Take(Reply(text="done")),
}


def started(settings: dict[str, Any]) -> Kernel:
    kernel = Kernel(plan_for(settings, tool("look")))
    kernel.start("go")
    return kernel


@pytest.fixture
def kernel() -> Kernel:
    return started(PLAIN)


def turn(kernel: Kernel, number: int) -> None:
    kernel.reply("", call("look", arguments=f'{{"key": "item-{number}"}}'))
    kernel.returned("c1", f"the value of item {number}")


def calls_of_a_turn(kernel: Kernel, number: int) -> int:
    with counted() as calls:
        turn(kernel, number)
    return calls.made


def test_a_turn_of_a_plain_spec_asks_few_policies(kernel: Kernel) -> None:
    hears = (events.ModelReplied, Admitted, events.ToolReturned, TurnSettled, TurnEnded, TurnStarted)
    reviews = (proposals.Think, proposals.Take, proposals.Admit, proposals.Act, proposals.Close)

    heard = sum(len(kernel.plan.hearing[kind]) for kind in hears)
    reviewed = sum(len(kernel.plan.reviewing[kind]) for kind in reviews)

    assert heard + reviewed <= ASKED


@pytest.mark.parametrize(("settings", "calls"), [(PLAIN, CALLS), (BOUNDED, CALLS_BOUNDED)])
def test_a_turn_costs_few_calls_and_a_late_one_as_many_as_an_early_one(settings: dict[str, Any], calls: int) -> None:
    kernel = started(settings)
    for number in range(10):
        turn(kernel, number)
    early = calls_of_a_turn(kernel, 10)
    for number in range(11, 60):
        turn(kernel, number)

    late = calls_of_a_turn(kernel, 60)

    assert late <= early <= calls


def test_the_facts_stay_the_same_where_nothing_that_is_published_has_changed(kernel: Kernel) -> None:
    turn(kernel, 0)
    before = kernel.state.facts

    turn(kernel, 1)

    after = kernel.state.facts
    assert all(getattr(after, name) is getattr(before, name) for name in ("left", "stall", "evidence", "deferred"))


def test_a_policy_that_is_not_asked_would_have_nothing_to_say(kernel: Kernel) -> None:
    policies = zip(kernel.plan.policies, kernel.state.memory, strict=True)
    idle = [(policy, memory, kind) for policy, memory in policies for kind in policy.idle]

    heard = [policy.observe(memory, SAMPLES[kind], Facts()) == memory for policy, memory, kind in idle]
    ruled = [policy.review(memory, SAMPLES[kind], Facts()) is PASS for policy, memory, kind in idle]

    assert len(idle) == 8
    assert all(heard[at] if kind in policy.hears else ruled[at] for at, (policy, _, kind) in enumerate(idle))
