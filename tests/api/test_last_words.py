"""Whole runs that reach a bound: they speak once more inside it, and end by it."""

import json

from agentspec import run

LOOK = {"tool_calls": [{"name": "look", "arguments": {}}]}


async def ran(tmp_path, turns, **execution):
    model = {"provider": "script", "options": {"turns": turns}}
    spec = {"name": "s", "task": "go", "model": model, "execution": execution}
    path = tmp_path / "s.json"
    path.write_text(json.dumps({**spec, "capability": {"tools": {"look": {"expr": "'a book'"}}}}))
    return await run(path)


async def test_a_call_in_flight_when_only_last_words_fit_is_called_back_for_them(tmp_path):
    turns = [LOOK, {"text": "Too late.", "delay": 30}, "A book."]

    result = await ran(tmp_path, turns, limits={"wall_clock": "2s"})

    assert (result.status, result.stop_reason, result.text) == ("budget_exhausted", "wall_clock", "A book.")
    assert result.wrapped_up
    assert result.stopped_by == {
        "limit": "execution.limits.wall_clock",
        "detail": "reached while something was in flight",
        "file": "s.json",
        "line": 1,
    }


async def test_last_words_that_take_too_long_are_not_waited_for(tmp_path):
    turns = [LOOK, {"text": "Never.", "delay": 30}]

    result = await ran(tmp_path, turns, limits={"working_time": "500ms", "tool_calls": 1}, max_iterations=1)

    assert (result.status, result.stop_reason, result.wrapped_up) == ("budget_exhausted", "max_iterations", False)


async def test_a_capped_run_that_owes_an_output_ends_with_a_valid_one(tmp_path):
    schema = {"type": "object", "properties": {"seen": {"type": "string"}}, "required": ["seen"]}
    turns = [LOOK, '{"seen": "a book"}']

    result = await ran(tmp_path, turns, max_iterations=1, output={"schema": schema})

    assert (result.status, result.output, result.output_valid) == ("budget_exhausted", {"seen": "a book"}, True)
