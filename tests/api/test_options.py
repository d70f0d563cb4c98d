"""What a program may say about a run: each option is known by name, typed, and never taken for something else."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
from pathlib import Path

import pytest

from agentspec import NotAllowed, RunOptions, check, load, replay, resume, run, run_sync, stream
from agentspec.api.options import ResumeKeywords, RunKeywords

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "python.md").read_text(encoding="utf-8")


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "s.json"
    value = {"name": "s", "task": "go", "model": {"provider": "script", "options": {"turns": ["hello"]}}}
    path.write_text(json.dumps(value))
    return path


def refusal(call) -> str:
    with pytest.raises(NotAllowed) as raised:
        call()
    return str(raised.value)


async def last(**options) -> dict:
    return [event async for event in stream(**options)][-1]


def test_the_keywords_of_run_are_the_fields_of_its_options():
    fields = {each.name for each in dataclasses.fields(RunOptions)}

    assert fields == RunKeywords.__annotations__.keys()
    assert ResumeKeywords.__annotations__.keys() < fields


def test_the_guide_tells_every_option_once():
    table = PAGE.split("## Options of a run\n")[1].split("\n## ")[0]

    told = [name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]

    assert sorted(told) == sorted(each.name for each in dataclasses.fields(RunOptions))


def test_a_misspelt_option_is_told_with_what_was_meant(spec):
    said = {
        "run": refusal(lambda: asyncio.run(run(spec, modle="openai:m"))),
        "run_sync": refusal(lambda: run_sync(spec, input={"a": 1})),
        "stream": refusal(lambda: asyncio.run(last(spec=spec, on_evnt=print))),
        "resume": refusal(lambda: asyncio.run(resume("r", traces=True))),
    }

    assert said == {
        "run": "`run` has no option `modle`; did you mean `model`?",
        "run_sync": "`run` has no option `input`; did you mean `inputs`?",
        "stream": "`stream` has no option `on_evnt`; did you mean `on_event`?",
        "resume": "`resume` has no option `traces`; did you mean `trace`?",
    }


def test_what_a_run_was_started_with_cannot_be_said_when_it_goes_on():
    said = refusal(lambda: asyncio.run(resume("r", inputs={"a": 1})))

    assert said == (
        "`resume` has no option `inputs`; the run keeps the one that it was started with; "
        "it has `store`, `record`, `trace`, `on_approval`, `on_question`, `on_tool`, `on_event`, `on_notice`"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sets": "a=1"}, '`sets` is one text where several may stand: write it as `["execution.max_iterations=3"]`'),
        ({"inputs": "a=1"}, '`inputs` is one text where several may stand: write it as `{"folder": "inbox"}`'),
        ({"approve": "yes"}, "`approve` can't be `yes`: it is `ask`, `allow`, `deny`"),
        ({"identity": {"name": "ada"}}, "`identity` has no `name`: it has `user`, `roles`, `tenant`"),
        ({"identity": {"roles": "admin"}}, "`identity`: `roles` is a list of texts"),
        ({"script": "none.yaml"}, "`script`: no such file: `none.yaml`"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused_before_the_start(spec, tmp_path, options, said):
    assert refusal(lambda: run_sync(spec, **options)) == said
    assert not (tmp_path / ".agentspec").exists()


def test_check_takes_no_bare_text_for_its_codes(spec):
    said = 'is one text where several may stand: write it as `["AS5"]`'

    assert refusal(lambda: check(spec, select="AS5")) == f"`select` {said}"
    assert refusal(lambda: check(spec, ignore="AS5")) == f"`ignore` {said}"


def test_load_takes_no_bare_text_for_a_list(spec):
    assert refusal(lambda: load(spec, sets="a=1")).startswith("`sets` is one text where several may stand")


def test_a_loaded_spec_is_not_changed_behind_its_back(spec):
    said = refusal(lambda: run_sync(load(spec), model="openai:m", inputs={"a": 1}))

    assert said == "the spec is loaded already, so `inputs`, `model` can't change it: give it to `load`"


def test_paths_may_be_texts(spec, tmp_path):
    (tmp_path / "turns.yaml").write_text("- text: from the script\n")

    result = run_sync(spec, script=str(tmp_path / "turns.yaml"), record=str(tmp_path / "r.scenario.yaml"))

    assert result.text == "from the script"
    assert (tmp_path / "r.scenario.yaml").read_text().startswith("scenario: ")


def test_a_stream_is_heard_by_a_listener_of_ones_own_too(spec):
    heard: list[dict] = []

    event = asyncio.run(last(spec=spec, on_event=heard.append))

    assert heard[-1] == event
    assert event["kind"] == "run_finished"


def test_a_replay_tells_what_it_compared(spec, tmp_path):
    ended = run_sync(spec, store=tmp_path / "kept")

    replayed = asyncio.run(replay(ended.run_id, store=tmp_path / "kept"))

    assert (replayed.steps, replayed.same_version) == (2, True)
    assert replayed.written_by.startswith("agentspec ")


def test_an_unknown_outcome_word_is_refused():
    said = refusal(lambda: asyncio.run(resume("r", tool_outcome="retry")))

    assert said == "`tool_outcome` can't be `retry`: it is `ask`, `assume_failed`, `rerun`"
