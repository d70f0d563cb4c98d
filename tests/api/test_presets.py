"""The presets run: each does its kind of work as its numbers say, offline, with a script for the model."""

from __future__ import annotations

import json

import pytest

from agentspec import Result, run

FILES = {"toolkits": ["files.read"]}


@pytest.fixture
def preset(tmp_path):
    async def go(name: str, *turns: object, **sections: object) -> Result:
        path = tmp_path / "s.json"
        model = {"provider": "script", "options": {"turns": list(turns)}}
        path.write_text(json.dumps({"name": "s", "extends": name, "task": "go", "model": model, **sections}))
        return await run(path)

    return go


def look(path: str) -> dict:
    return {"tool_calls": [{"name": "list_directory", "arguments": {"path": path}}]}


def verdict(word: str) -> dict:
    return {"text": json.dumps({"verdict": word, "detail": word, "gaps": []})}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        *((name, "natural") for name in ("audit", "repair", "oncall_captain", "review_captain", "release_captain")),
        ("summary", "completed"),
    ],
)
async def test_a_preset_ends_with_its_answer(preset, name, reason):
    result = await preset(name, "It holds.")

    assert (result.status, result.stop_reason, result.text) == ("done", reason, "It holds.")


async def test_an_audit_begins_with_four_turns_and_has_more_while_it_progresses(preset, tmp_path):
    for number in range(6):
        (tmp_path / f"d{number}").mkdir()

    result = await preset("audit", *(look(f"d{number}") for number in range(6)), "Six folders.", capability=FILES)

    budget = result.adaptive_budget
    assert (result.status, result.llm.iterations) == ("done", 7)
    assert (budget.initial, budget.max, budget.final_limit) == (4, 12, 8)


async def test_an_answer_of_verify_is_judged_and_a_veto_makes_it_go_on(preset):
    result = await preset("verify", "Perhaps.", verdict("continue"), "It holds.", verdict("done"))

    assert (result.status, result.text, result.llm.judge_calls) == ("done", "It holds.", 2)
    assert result.turn_end_condition == {"invocations": 2, "vetoes": 1, "max_invocations": 10, "cap_reached": False}


async def test_a_summary_has_one_turn_and_calls_nothing(preset):
    result = await preset("summary", look("."), "Last words.", capability=FILES)

    assert (result.status, result.stop_reason, result.adaptive_budget.max) == ("budget_exhausted", "max_iterations", 1)
