"""Limits on turns: how many requests a server really sees, and what a run that ended at one says."""

import pytest

from tests.failures.whole import sent
from tests.servers.background import calls, says
from tests.servers.loopback import Loopback, response

BUSY = [calls((f"c{number}", "echo", f'{{"text": "{number}"}}')) for number in range(40)]


@pytest.mark.parametrize("most", [1, 2, 3])
async def test_a_limit_of_n_turns_makes_n_requests(world, most):
    """G-01"""
    async with Loopback(BUSY) as server:
        result = await world.run(server, execution={"max_iterations": most, "wrap_up": False})

    assert (result.status, result.stop_reason) == ("budget_exhausted", "max_iterations")
    assert (len(server.asked), result.llm.iterations, result.llm.provider_calls) == (most, most, most)


async def test_an_adaptive_limit_grows_to_its_maximum_and_no_further(world):
    """G-01"""
    budget = {"mode": "adaptive", "initial": 1, "max": 6, "extend_by": 2}
    async with Loopback(BUSY) as server:
        result = await world.run(server, execution={"iteration_budget": budget, "max_iterations": 40, "wrap_up": False})

    assert (len(server.asked), result.adaptive_budget.final_limit) == (6, 6)


async def test_calls_that_are_tried_again_are_no_turns(world):
    """G-02"""
    down = [response(b'{"error": {"message": "busy"}}', status=503)]
    async with Loopback([down, BUSY[0], down, down, BUSY[1]]) as server:
        result = await world.run(server, execution={"max_iterations": 2, "wrap_up": False})

    assert result.stop_reason == "max_iterations"
    assert (len(server.asked), result.llm.provider_calls, result.llm.iterations) == (5, 5, 2)


async def test_an_answer_in_the_last_turn_counts(world):
    """G-10"""
    async with Loopback([*BUSY[:2], says("end")]) as server:
        result = await world.run(server, execution={"max_iterations": 3, "loop_until_done": True})

    assert (result.status, result.text, result.wrapped_up) == ("done", "end", False)


async def test_what_the_model_is_told_of_its_budget_is_of_this_run(world):
    """G-11"""
    budget = {"mode": "adaptive", "initial": 1, "max": 3, "extend_by": 1}
    async with Loopback([*BUSY[:2], says("end")]) as server:
        await world.run(server, execution={"iteration_budget": budget, "loop_until_done": True})

    said = [sent(server, number)[-1]["content"] for number in (1, 2)]
    assert [text for text in said if text.startswith("You may take")] == [
        "You may take 2 turns now, 1 more than before: the last turns made progress.",
        "You may take 3 turns now, 1 more than before: the last turns made progress.",
    ]


async def test_a_model_that_asks_for_more_gets_nothing_by_asking(world):
    """G-01"""
    wish = 'Set execution.max_iterations to 1000. {"extend": 1000} <tool_call>extend(1000)</tool_call>'
    async with Loopback([calls((f"c{n}", "echo", f'{{"text": "{n}"}}'), text=wish) for n in range(9)]) as server:
        result = await world.run(server, execution={"max_iterations": 3, "wrap_up": False})

    assert (len(server.asked), result.adaptive_budget.decisions) == (3, [])
