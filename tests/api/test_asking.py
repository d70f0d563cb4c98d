"""Runs that wait for somebody outside: questions to the person, and tools that the caller carries out."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agentspec import NotAllowed, check, replay, resume, run
from agentspec.runtime.result import Result

SPEC = """
name: asker
execution: {max_concurrent_tools: 4}
capability:
  toolkits: [{ask_user: {names: {ask_user: ask_ada}, timeout: 200ms}}]
  tools:
    look_up: {description: l, parameters: {id: string}, returns: {fields: {n: integer}}, external: true, effect: read}
    note: {description: n, parameters: {path: string}, run: [touch, "${args.path}"]}
"""
ASKS = """
- tool_calls:
    - {id: one, name: ask_ada, arguments: {question: Which one?, options: [red, blue]}}
- text: done
"""
ASKS_TWICE = """
- tool_calls:
    - {id: one, name: ask_ada, arguments: {question: Which one?}}
    - {id: two, name: ask_ada, arguments: {question: How many?}}
- text: done
"""
LOOKS = """
- tool_calls:
    - {id: one, name: look_up, arguments: {id: x}}
    - {id: two, name: look_up, arguments: {id: y}}
    - {id: three, name: note, arguments: {path: n}}
- tool_calls:
    - {id: three, name: note, arguments: {path: n}}
- text: done
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "a.yaml").write_text(SPEC)
    return tmp_path


def start(place: Path, turns: str, **options: Any) -> Result:
    (place / "s.yaml").write_text(turns)
    return asyncio.run(run(place / "a.yaml", "go", script=place / "s.yaml", trace=True, **options))


def go_on(place: Path, run_id: str, **options: Any) -> Result:
    return asyncio.run(resume(run_id, project=place, trace=True, **options))


def results(result: Result) -> list[tuple[str, str, str]]:
    lines = [line for line in result.trace or () if line["kind"] == "result"]
    return [(line["id"], line["status"], line["text"]) for line in lines]


def test_a_question_suspends_where_nobody_is_there_and_its_answer_is_the_result(place: Path) -> None:
    heard: list[dict[str, Any]] = []
    asked = start(place, ASKS, on_event=heard.append)
    answered = go_on(place, asked.run_id, answers={"one": "the blue one"})

    live = [event["kind"] for event in heard if event["kind"].startswith("question_")]
    assert (asked.status, asked.stop_reason, live) == ("suspended", "input", ["question_asked", "question_answered"])
    question = {
        "what": "question",
        "call_id": "one",
        "name": "ask_ada",
        "arguments": {"question": "Which one?", "options": ["red", "blue"]},
    }
    assert asked.handle == {"run_id": asked.run_id, "reason": "input", "pending": [question]}
    assert [event["questions"] for event in heard if event["kind"] == "input_requested"] == [[question]]
    assert (answered.status, results(answered)) == ("done", [("one", "ok", "the blue one")])
    assert asyncio.run(replay(asked.run_id, project=place)).same_version


def test_the_only_question_needs_no_name(place: Path) -> None:
    asked = start(place, ASKS)

    assert results(go_on(place, asked.run_id, answers={"": "red"})) == [("one", "ok", "red")]


def test_a_program_answers_and_one_that_is_slow_suspends_the_run(place: Path) -> None:
    async def slow(_: Any) -> str:
        await asyncio.sleep(60)
        return "late"

    quick = start(place, ASKS, on_question=lambda asked: asked["arguments"]["options"][0])
    late = start(place, ASKS, on_question=slow)

    assert (quick.status, results(quick)) == ("done", [("one", "ok", "red")])
    assert (late.status, late.stop_reason) == ("suspended", "input")


def test_nobody_there_leaves_the_run_as_it_is(place: Path) -> None:
    asked = start(place, ASKS)
    again = go_on(place, asked.run_id)

    assert (again.status, again.handle) == ("suspended", asked.handle)


def test_a_word_for_all_approvals_answers_no_question(place: Path) -> None:
    assert start(place, ASKS, approve="allow").status == "suspended"


def test_calls_of_external_tools_wait_for_their_results_and_keep_to_their_type(place: Path) -> None:
    asked = start(place, LOOKS)
    first = go_on(place, asked.run_id, tool_results={"two": {"n": "many"}})
    second = go_on(place, asked.run_id, tool_results={"one": {"n": 3}})

    assert (asked.stop_reason, [one["call_id"] for one in (asked.handle or {})["pending"]]) == (
        "tool_result",
        ["one", "two"],
    )
    assert [one["call_id"] for one in (first.handle or {})["pending"]] == ["one"]
    assert (second.status, (place / "n").exists()) == ("done", True)
    said = {call_id: text for call_id, _, text in results(second)[:2]}
    assert said == {
        "one": '{"n": 3}',
        "two": 'ERROR: the result is not what `returns` says: `n` must be an integer, not the string "many"\n'
        '{"n": "many"}',
    }


def test_the_caller_carries_external_tools_out(place: Path) -> None:
    def carry_out(call: Any) -> Any:
        if call["arguments"]["id"] == "y":
            raise LookupError("no such id")
        return {"n": len(call["arguments"]["id"])}

    result = start(place, LOOKS, on_tool=carry_out)

    assert result.status == "done"
    assert results(result)[:2] == [("one", "ok", '{"n": 1}'), ("two", "error", "ERROR: LookupError: no such id")]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"answers": {"two": "x"}}, "does not wait for `two`: it waits for `one`"),
        ({"tool_results": {"one": 1}}, "does not wait for `one`: it waits for `one` (`--answer`)"),
        ({"approve": {"one": "allow"}}, "does not wait for `one`: it waits for `one` (`--answer`)"),
    ],
)
def test_what_is_not_waited_for_cannot_be_answered(place: Path, options: Any, words: str) -> None:
    asked = start(place, ASKS)

    with pytest.raises(NotAllowed) as refused:
        go_on(place, asked.run_id, **options)

    assert str(refused.value) == f"the run `{asked.run_id}` {words}"


def test_questions_of_one_reply_are_answered_at_once_although_they_wait_one_after_another(place: Path) -> None:
    asked = start(place, ASKS_TWICE)
    said: list[str] = []
    answered = go_on(place, asked.run_id, answers={"one": "red", "two": "3"}, on_notice=said.append)

    assert [one["call_id"] for one in (asked.handle or {})["pending"]] == ["one"]
    assert (answered.status, results(answered)[:2]) == ("done", [("one", "ok", "red"), ("two", "ok", "3")])
    assert said == []


def test_an_answer_whose_question_is_not_asked_is_told_at_the_end(place: Path) -> None:
    asked = start(place, ASKS_TWICE)
    said: list[str] = []
    waiting = go_on(place, asked.run_id, answers={"two": "3"}, on_notice=said.append)

    assert [one["call_id"] for one in (waiting.handle or {})["pending"]] == ["one"]
    assert said == ["`two` was not asked: its answer was not used, give it again when the run waits for it"]


def test_only_questions_that_are_still_open_are_answered_ahead(place: Path) -> None:
    asked = start(place, ASKS_TWICE)
    go_on(place, asked.run_id, answers={"one": "red"})

    for call_id in ("one", "three"):
        with pytest.raises(NotAllowed) as refused:
            go_on(place, asked.run_id, answers={call_id: "x"})

        words = f"the run `{asked.run_id}` does not wait for `{call_id}`: it waits for `two`"
        assert str(refused.value) == words


def test_a_large_result_of_the_caller_is_cut_and_kept(place: Path) -> None:
    spec = SPEC.replace("max_concurrent_tools: 4", "tool_result_max: 1KiB").replace(
        "returns: {fields: {n: integer}}, ", ""
    )
    (place / "a.yaml").write_text(spec)

    result = start(place, LOOKS, on_tool=lambda _: "x" * 5000)

    text = results(result)[0][2]
    assert len(text) <= 1024
    assert "5000 bytes in all" in text


def test_a_recorded_run_holds_what_the_person_said(place: Path) -> None:
    turns = ASKS.replace("Which one?", '"Which [one]?"')
    start(place, turns, on_question=lambda _: "the red one", record=place / "r.yaml")

    found = check(place / "r.yaml")
    said = (place / "r.yaml").read_text().partition("user:")[2].splitlines()[1]
    assert said.replace('"', "") == "  - {match: Which ?one??, reply: the red one}"
    assert [one.code for one in found.diagnostics] == []


@pytest.mark.parametrize("middleware", ["[]", "[{audit_log: {path: audit.jsonl}}, {redact: {keys: [none]}}]"])
def test_a_list_that_was_kept_is_there_when_the_run_goes_on(place: Path, middleware: str) -> None:
    spec = SPEC.replace("toolkits: [", "toolkits: [todo, ").replace(
        "capability:\n", f"capability:\n  middleware: {middleware}\n"
    )
    (place / "a.yaml").write_text(spec)
    turns = "- tool_calls: [{id: l, name: todo_write, arguments: {items: [{task: paint}]}}]\n" + ASKS.strip()
    turns = turns.replace("- text: done", "- tool_calls: [{id: r, name: todo_read, arguments: {}}]\n- text: done")
    asked = start(place, turns)
    result = go_on(place, asked.run_id, answers={"one": "blue"})

    assert results(result)[-1] == ("r", "ok", "[ ] paint\n0 of 1 done")
