"""Specs and presets against models that misbehave: every run has an end of its own, and replays to it."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from agentspec.api.scenarios.behaviours import behaviours, find_candidates, try_all
from agentspec.spec.scenario import ScriptedTurn

ROOT = Path(__file__).parents[3]


async def tried(*paths: Path) -> dict[str, tuple[str, str]]:
    candidates, _ = find_candidates(paths)
    # the texts of a library are found by whoever uses it: its presets are tried in the specs that do
    found = await try_all([each for each in candidates if "/house/" not in each.name], 2)
    assert [each.problem for each in found if each.problem] == []
    return {each.behaviour.name: (each.result.status, each.result.stop_reason) for each in found}


def test_the_behaviours_are_a_dozen_and_more_and_written_as_turns():
    assert len(behaviours()) >= 12
    for each in behaviours():
        assert each.description[0].islower()
        for turn in each.turns:
            ScriptedTurn.model_validate({name: value for name, value in turn.items() if name not in ("error", "usage")})


@pytest.mark.slow
async def test_each_behaviour_ends_a_loop_in_its_own_way_and_no_tool_is_carried_out(tmp_path):
    spec = tmp_path / "worker.json"
    tools = {"touch": {"description": "T", "parameters": {"step": "string?"}, "run": ["touch", str(tmp_path / "done")]}}
    spec.write_text(
        json.dumps(
            {
                "name": "worker",
                "model": {"provider": "openai", "model": "gpt-5.4-mini"},
                "execution": {"loop_until_done": True, "max_iterations": 12, "limits": {"tokens": 100_000}},
                "capability": {"tools": tools},
            }
        )
    )

    ends = await tried(spec)

    assert ends == {
        "answers-at-once": ("done", "natural"),
        "broken-arguments": ("stuck", "thrash"),
        "calls-as-text": ("stuck", "thrash"),
        "claims-done": ("done", "natural"),
        "cut-off": ("failed", "output_truncated"),
        "key-refused": ("provider_error", "auth"),
        "lies-about-usage": ("stuck", "thrash"),
        "many-at-once": ("done", "natural"),
        "never-ends": ("stuck", "thrash"),
        "only-announces": ("done", "natural"),
        "refused": ("provider_error", "content_filter"),
        "repeats-a-call": ("error", "repeated_denial"),
        "says-nothing": ("stuck", "barren_reply"),
        "server-fails": ("provider_error", "server_error"),
        "unknown-tools": ("stuck", "thrash"),
        "window-too-small": ("error", "context_overflow"),
    }
    assert not (tmp_path / "done").exists()


@pytest.mark.slow
def test_every_example_comes_to_an_end():
    asyncio.run(tried(ROOT / "examples"))


def told_by_the_guide() -> dict[tuple[str, str], str]:
    """How the table of the guide says that each preset ends, by preset and behaviour."""
    lines = (ROOT / "docs/guide/scenarios.md").read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    head = next(number for number, row in enumerate(rows) if row[0] == "a model that")
    columns = [name.strip("`") for name in rows[head][1:]]
    told = {}
    for what, *ends in rows[head + 2 :]:
        behaviour = what.partition("(`")[2].removesuffix("`)")
        for column, end in zip(columns, ends, strict=True):
            presets = [column] if column != "the captains" else [f"{each}_captain" for each in CAPTAINS]
            told |= {(preset, behaviour): end for preset in presets}
    return told


CAPTAINS = ("merge", "oncall", "release", "review")


@pytest.mark.slow
async def test_each_preset_ends_as_the_guide_says_in_seconds():
    candidates, _ = find_candidates([ROOT / "stdlib/presets"])

    began = time.process_time()
    found = await try_all(candidates, 4)
    spent = time.process_time() - began

    assert [each.problem for each in found if each.problem] == []
    ends = {
        (each.spec.partition("#")[2], each.behaviour.name): (
            f"{each.result.status} ({each.result.stop_reason}), {each.result.llm.iterations}"
        )
        for each in found
    }
    assert len({preset for preset, _ in ends}) == 8
    assert ends == told_by_the_guide()
    assert spent < 60


def test_the_table_of_the_guide_has_every_behaviour():
    assert {behaviour for _, behaviour in told_by_the_guide()} == {each.name for each in behaviours()}
