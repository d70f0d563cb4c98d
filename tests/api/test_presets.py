"""The presets run: each does its kind of work as its numbers say, offline, with a script for the model."""

from __future__ import annotations

import json

import pytest

from agentspec import Result, run

FILES = {"toolkits": ["files.read"]}


@pytest.fixture
def preset(tmp_path):
    async def go(name: str, *turns: object, approve: str = "ask", dry_run: bool = False, **sections: object) -> Result:
        path = tmp_path / "s.json"
        model = {"provider": "script", "options": {"turns": list(turns)}}
        path.write_text(json.dumps({"name": "s", "extends": name, "task": "go", "model": model, **sections}))
        return await run(path, approve=approve, dry_run=dry_run)

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


# --- the layers of the captains

MAKE = {"make": {"description": "Makes a folder", "parameters": {"path": "string"}, "run": ["mkdir", "${args.path}"]}}
CAPABILITY = {"tools": MAKE, "toolkits": ["files.read"]}


def make(path: str) -> dict:
    return {"tool_calls": [{"name": "make", "arguments": {"path": path}}]}


@pytest.mark.parametrize("name", ["oncall_captain", "review_captain", "release_captain"])
async def test_a_captain_acts_and_leaves_its_layers_to_their_work(preset, tmp_path, name):
    result = await preset(name, look("."), make("new"), "Done.", capability=CAPABILITY)

    assert (result.status, result.text, result.llm.iterations) == ("done", "Done.", 3)
    assert (result.tools.successful, result.tools.rejected) == (["list_directory", "make"], [])
    assert (tmp_path / "new").is_dir()


async def test_a_merge_captain_looks_unasked_and_asks_before_it_changes_something(preset, tmp_path):
    waiting = await preset("merge_captain", look("."), make("new"), "Merged.", capability=CAPABILITY)

    assert (waiting.status, waiting.stop_reason) == ("suspended", "approval")
    assert [(each["name"], each["arguments"]) for each in waiting.handle["pending"]] == [("make", {"path": "new"})]
    assert not (tmp_path / "new").exists()

    refused = await preset("merge_captain", make("new"), "Not merged.", capability=CAPABILITY, approve="deny")
    merged = await preset("merge_captain", make("new"), "Merged.", capability=CAPABILITY, approve="allow")

    assert (refused.status, refused.text) == ("done", "Not merged.")
    assert (merged.status, merged.text) == ("done", "Merged.")
    assert (tmp_path / "new").is_dir()


async def test_an_oncall_captain_has_fifty_calls(preset, tmp_path):
    for n in range(52):
        (tmp_path / f"d{n}").mkdir()
    calls = [look(f"d{n}")["tool_calls"][0] for n in range(52)]

    within = await preset("oncall_captain", {"tool_calls": calls[:50]}, "Quiet.", capability=FILES)
    beyond = await preset("oncall_captain", {"tool_calls": calls[:51]}, "Quiet.", capability=FILES)

    assert (within.status, within.tools.rejected) == ("done", [])
    assert (beyond.status, beyond.tools.rejected) == ("done", ["list_directory"])


@pytest.mark.parametrize("asked", ["layer", "option"])
async def test_a_release_captain_can_rehearse(preset, tmp_path, asked):
    capability = {**CAPABILITY, **({"+middleware": ["dry_run"]} if asked == "layer" else {})}

    result = await preset("release_captain", make("new"), "Released.", capability=capability, dry_run=asked == "option")

    assert (result.status, result.text) == ("done", "Released.")
    assert not (tmp_path / "new").exists()
