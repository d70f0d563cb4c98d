"""Specs and presets against models that misbehave: every run has an end of its own, and replays to it."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from agentspec.api.scenarios.behaviours import Candidate, behaviours, find_candidates, trials_of, try_all
from agentspec.spec.scenario import ScriptedTurn

ROOT = Path(__file__).parents[3]


async def tried(*paths: Path) -> dict[str, tuple[str, str]]:
    candidates, _ = find_candidates(paths)
    found = await try_all(trials_of(candidates), 2)
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
        "lies-about-usage": ("budget_exhausted", "max_iterations"),
        "many-at-once": ("done", "natural"),
        "never-ends": ("budget_exhausted", "max_iterations"),
        "only-announces": ("done", "natural"),
        "refused": ("provider_error", "content_filter"),
        "repeats-a-call": ("stuck", "repeated_call"),
        "says-nothing": ("stuck", "barren_reply"),
        "server-fails": ("provider_error", "server_error"),
        "unknown-tools": ("stuck", "thrash"),
        "window-too-small": ("error", "context_overflow"),
    }
    assert not (tmp_path / "done").exists()


LIBRARY = {
    "library.yaml": "library: house\nversion: 1.0.0\nexports: {presets: [attentive], prompts: [tone], skills: [look]}\n"
    "ceiling: {effects: [none, read, process]}\n",
    "presets/attentive.yaml": "preset: attentive\nextends: [base, ./more.yaml]\n"
    "inputs: {folder: string, most: integer, how: {enum: [fast, slow]}, all: 'string[]', by: string?}\n"
    "context: {system: {file: prompts/tone.md}}\n"
    "capability:\n  skills: {look: skills/look}\n  tools: {now: {description: n, run: [date]}}\n",
    "presets/base.yaml": "preset: base\nexecution: {max_iterations: 3}\n",
    "presets/more.yaml": "preset: more\ncontext: {prompts: {nudge.native: {file: prompts/tone.md}}}\n",
    "presets/audit.yaml": "preset: audit\nexecution: {max_iterations: 1}\n",
    "prompts/tone.md": "Answer in two sentences.\n",
    "skills/look/SKILL.md": "---\nname: look\ndescription: how to look\n---\nLook twice.\n",
}


async def test_presets_of_a_library_are_tried_in_it_with_its_files_and_names(tmp_path):
    (tmp_path / "agentspec.toml").write_text("")
    for name, text in LIBRARY.items():
        path = tmp_path / "house" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    candidates, _ = find_candidates([tmp_path / "house"])

    found = await try_all(trials_of(candidates, "never-ends"), 2)

    assert {each.spec.partition("#")[2]: each.problem or each.result.stop_reason for each in found} == {
        "attentive": "max_iterations",
        "audit": "max_iterations",
        "base": "max_iterations",
        "more": "thrash",
    }


def test_trials_are_chosen_by_the_name_of_the_spec_or_of_the_behaviour():
    one, other = (
        Candidate(f"{name}.yaml#{name}", f"/{name}.yaml#{name}", is_preset=True) for name in ("audit", "tidy")
    )

    assert len(trials_of([one, other])) == 2 * len(behaviours())
    assert [each.candidate for each in trials_of([one, other], "TIDY")] == [other] * len(behaviours())
    assert [(each.candidate, each.behaviour.name) for each in trials_of([one, other], "never-")] == [
        (one, "never-ends"),
        (other, "never-ends"),
    ]
    assert trials_of([one, other], "nope") == []


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
    found = await try_all(trials_of(candidates), 4)
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
