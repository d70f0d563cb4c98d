"""Limits that hold for a session: what its earlier runs have used is gone, however they ended."""

import json

import pytest

from agentspec import resume, run

LOOK = {"tool_calls": [{"name": "look", "arguments": {}}], "usage": {"input_tokens": 100, "output_tokens": 10}}
END = {"text": "end", "usage": {"input_tokens": 100, "output_tokens": 10}}


@pytest.fixture
def spec(tmp_path):
    def write(turns: list, scope: str = "session", **limits: object):
        model = {"provider": "script", "options": {"turns": turns}, "prices": {"input": 1, "output": 1}}
        execution = {"limits": {"scope": scope, **limits}, "wrap_up": False}
        path = tmp_path / "s.json"
        capability = {"tools": {"look": {"expr": "'a book'"}}}
        values = {"name": "s", "task": "go", "model": model, "execution": execution, "capability": capability}
        path.write_text(json.dumps(values))
        return path

    return write


@pytest.mark.parametrize(
    ("limit", "bound"), [("tokens", 400), ("cost_usd", 0.0004), ("provider_calls", 3), ("tool_calls", 1)]
)
async def test_a_later_run_has_what_the_earlier_ones_of_its_session_have_left(spec, limit, bound):
    path = spec([LOOK, END], **{limit: bound})

    first = await run(path, session="ada")
    second = await run(path, session="ada")
    other = await run(path, session="bob")

    assert (first.status, other.status) == ("done", "done")
    assert (second.status, second.stop_reason) == ("budget_exhausted", limit)
    assert second.stopped_by["limit"] == f"execution.limits.{limit}"
    assert second.llm.provider_calls < first.llm.provider_calls or limit == "tool_calls"


async def test_without_the_scope_each_run_has_pots_of_its_own(spec):
    path = spec([LOOK, END], scope="run", provider_calls=3)

    assert [(await run(path, session="ada")).status for _ in range(3)] == ["done"] * 3


async def test_rules_see_what_the_run_itself_has_used(spec, tmp_path):
    path = spec([LOOK, END], tokens=100_000)
    values = json.loads(path.read_text())
    values["execution"]["loop_control"] = [{"when": "usage.input_tokens > 100", "stop": "much"}]
    path.write_text(json.dumps(values))

    assert [(await run(path, session="ada")).status for _ in range(2)] == ["done", "done"]


async def test_a_run_that_is_begun_by_a_message_is_one_of_the_session(spec, tmp_path):
    path = spec([LOOK, END, END], provider_calls=2)
    first = await run(path)

    second = await resume(first.run_id, message="And now?", project=tmp_path)

    assert (first.status, second.status, second.session_id) == ("done", "budget_exhausted", first.session_id)
    assert second.llm.provider_calls == 0
