"""Whole runs with a real model in the process: it is weak, and what is said of it is true all the same."""

from __future__ import annotations

import asyncio
import json

import pytest

from agentspec import replay, run, stream

CITY = {"system": "You answer in one short sentence."}
FRANCE, ITALY = "What is the capital of France?", "What is the capital of Italy?"
ADD = {
    "add": {
        "description": "Adds two numbers",
        "parameters": {"a": "number", "b": "number"},
        "returns": "number",
        "expr": "args.a + args.b",
    }
}


@pytest.fixture
def spec(tmp_path):
    def write(model=(), **sections):
        path = tmp_path / "a.json"
        usual = {"provider": "local", "temperature": 0, "context_window": 1024, "max_output_tokens": 120}
        path.write_text(json.dumps({"name": "a", "model": usual | dict(model), **sections}))
        return path

    return write


@pytest.mark.slow
async def test_two_runs_at_once_end_with_what_each_was_asked(spec):
    path = spec(context=CITY)

    of_france, of_italy = await asyncio.gather(run(path, FRANCE), run(path, ITALY))

    assert ("Paris" in of_france.text, "Rome" in of_italy.text) == (True, True)
    assert {each.status for each in (of_france, of_italy)} == {"done"}
    assert of_france.llm.cost_usd == 0.0
    assert not of_france.llm.usage_estimated
    assert (await replay(of_france.run_id, project=path.parent)).steps > 0


@pytest.mark.slow
async def test_a_call_of_a_tool_has_the_arguments_that_the_tool_takes(spec):
    path = spec(
        execution={"stop_after_successful_tools": ["add"], "max_iterations": 2},
        capability={"tools": ADD},
        context={"system": "You calculate with the tool add."},
    )

    result = await run(path, "What is 2 plus 3?", trace=True)

    assert (result.status, result.stop_reason, result.tools.mode) == ("done", "stop_after_tool", "json")
    assert result.tools.rejected == []
    [call] = [note for note in result.trace if note["kind"] == "call"]
    assert {name: type(value) for name, value in call["arguments"].items()} == {"a": int, "b": int}


async def test_what_is_heard_while_it_streams_is_what_it_said(spec):
    events = [event async for event in stream(spec(context=CITY), FRANCE)]

    heard = "".join(event["text"] for event in events if event["kind"] == "text_delta")
    assert "Paris" in heard
    assert events[-1]["kind"] == "run_finished"


@pytest.mark.slow
async def test_an_answer_that_never_ends_is_told_as_cut_off(spec):
    result = await run(spec({"max_output_tokens": 16}), "Tell a story that never ends.")

    assert (result.status, result.stop_reason) == ("failed", "output_truncated")
    assert result.llm.output_tokens == 16 * result.llm.iterations


@pytest.mark.slow
@pytest.mark.slow
async def test_an_answer_that_was_cut_goes_on_from_where_it_ended(spec):
    path = spec(model={"max_output_tokens": 16, "prefill": "on"}, context=CITY)

    result = await run(path, "Count from one to ten in words, separated by commas.", trace=True)

    begun, whole, *_ = (note["text"] for note in result.trace if note["kind"] == "turn")
    assert len(whole) > len(begun)
    assert whole.startswith(begun.rstrip())


@pytest.mark.slow
async def test_a_judge_gives_a_verdict_and_the_run_an_end_that_follows_from_it(spec):
    judge = {"rubric": "The answer names a city.", "max_invocations": 1}

    result = await run(spec(execution={"verify_completion_judge": judge, "max_iterations": 2}, context=CITY), FRANCE)

    assert result.llm.judge_calls >= result.completion_judge["invocations"] == 1
    vetoed = result.completion_judge["vetoes"] == 1
    assert result.status == ("completion_unverified" if vetoed else "done")


async def test_a_task_that_is_longer_than_the_window_ends_with_that_error(spec):
    result = await run(spec({"context_window": 256}), "word " * 300)

    assert (result.status, result.stop_reason) == ("error", "context_overflow")


NOTE = {
    "note": {
        "description": "Notes a word, and how often it was said",
        "parameters": {"word": "string", "times": {"type": "integer", "minimum": 1, "maximum": 9}},
        "expr": "args.word",
    }
}
WORDS = ("sea", "tree", "house", "bread", "river", "moon", "chair", "road", "bird", "lamp")


@pytest.mark.slow
async def test_of_twenty_runs_with_a_tool_nearly_all_do_what_they_are_asked(spec):
    path = spec(
        execution={"stop_after_successful_tools": ["note"], "max_iterations": 3},
        capability={"tools": NOTE},
        context={"system": "You note words with the tool note."},
    )
    tasks = [f"Note the word {word}, which was said {times} times." for word in WORDS for times in (2, 7)]

    results = await asyncio.gather(*(run(path, task, trace=True) for task in tasks))

    assert sum(result.status == "done" for result in results) >= 16
    noted = [note for result in results for note in result.trace if note["kind"] == "call"]
    statuses = [note["status"] for result in results for note in result.trace if note["kind"] == "result"]
    assert len(statuses) == len(noted)
    for call, status in zip(noted, statuses, strict=True):
        arguments = call["arguments"]
        is_valid = isinstance(arguments.get("word"), str) and arguments.get("times") in range(1, 10)
        assert status == ("ok" if is_valid else "invalid_arguments")
