"""The runs of one loaded spec share what is the same for all of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentspec import Spec, load
from agentspec.api.options import RunOptions
from agentspec.api.run import start
from agentspec.api.running import Running
from agentspec.api.workspace import workspace
from tests.calls import counted

SPEC = """\
name: adder
task: Add up.
model: {provider: script, options: {turns: [{text: "Done."}]}}
execution: {nudge: "Go on, ${run.id}."}
capability:
  tools:
    add: {description: Add., parameters: {left: number}, returns: number, expr: args.left + 1.0}
"""
PLAIN = SPEC.replace("${run.id}", "please")
CALLS = 742  # of Python functions to start a run whose plan is there


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    return loaded(tmp_path, PLAIN)


def loaded(folder: Path, text: str) -> Spec:
    path = folder / "adder.yaml"
    path.write_text(text, encoding="utf-8")
    return load(path)


async def started(spec: Spec, options: RunOptions | None = None) -> Running:
    async with workspace() as shared:
        running = await start(spec, None, options or RunOptions(), shared)
        running.journal.close()
        return running


async def test_runs_of_one_loaded_spec_share_their_plan(spec: Spec) -> None:
    first, second = await started(spec), await started(spec)

    assert first.plan is second.plan
    assert first.ports.tools["add"] is second.ports.tools["add"]
    assert first.driver is not second.driver


async def test_runs_share_a_mask_until_the_environment_changes(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = await started(spec), await started(spec)
    monkeypatch.setenv("SHOP_TOKEN", "geheim-0123")
    third = await started(spec)

    assert first.mask is second.mask
    assert third.mask is not first.mask
    assert third.mask.text("it is geheim-0123") == "it is [redacted]"


async def test_runs_with_other_options_have_another_plan(spec: Spec) -> None:
    plain, dry = await started(spec), await started(spec, RunOptions(dry_run=True))

    assert plain.plan is not dry.plan
    assert (await started(spec)).plan is plain.plan


async def test_runs_that_are_told_their_own_words_have_plans_of_their_own(tmp_path: Path) -> None:
    spec = loaded(tmp_path, SPEC)

    assert (await started(spec)).plan is not (await started(spec)).plan


async def test_a_run_whose_plan_is_there_starts_with_few_calls(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:  # each variable costs a few calls
        monkeypatch.delenv(name)

    async with workspace() as shared:
        (await start(spec, None, RunOptions(), shared)).journal.close()
        with counted() as calls:
            running = await start(spec, None, RunOptions(), shared)
        running.journal.close()

    assert calls.made <= CALLS
