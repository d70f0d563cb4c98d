"""Approvals of whole runs: nobody there suspends, an answer from another process goes on, and nothing runs twice."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agentspec import NotAllowed, SpecInvalid, replay, resume, run
from agentspec.runtime.result import Result

SPEC = """
name: asker
capability:
  approval:
    rules:
      - {tool: make, decision: ask, reason: it makes files}
      - {tool: drop, decision: deny}
  tools:
    make: {description: m, parameters: {path: string}, run: [mkdir, "${args.path}"]}
    drop: {description: d, parameters: {path: string}, run: [rmdir, "${args.path}"]}
    note: {description: n, parameters: {path: string}, run: [touch, "${args.path}"]}
"""
TURNS = """
- tool_calls:
    - {id: one, name: make, arguments: {path: x}}
    - {id: two, name: note, arguments: {path: n}}
    - {id: three, name: drop, arguments: {path: x}}
    - {id: four, name: make, arguments: {path: y}}
- text: done
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "a.yaml").write_text(SPEC)
    (tmp_path / "s.yaml").write_text(TURNS)
    return tmp_path


def start(place: Path, **options: Any) -> Result:
    return asyncio.run(run(place / "a.yaml", "go", script=place / "s.yaml", trace=True, **options))


def go_on(place: Path, run_id: str, **options: Any) -> Result:
    return asyncio.run(resume(run_id, project=place, trace=True, **options))


def made(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir() if path.is_dir() and not path.name.startswith("."))


def statuses(result: Result) -> dict[str, str]:
    return {line["id"]: line["status"] for line in result.trace or () if line["kind"] == "result"}


def test_nobody_there_suspends_the_run_when_all_else_has_run(place: Path) -> None:
    result = start(place)

    assert (result.status, result.stop_reason, made(place)) == ("suspended", "approval", [])
    assert result.handle == {
        "run_id": result.run_id,
        "reason": "approval",
        "pending": [
            {
                "call_id": call_id,
                "name": "make",
                "arguments": {"path": path},
                "rule": "capability.approval.rules[0]",
                "reason": "it makes files",
            }
            for call_id, path in (("one", "x"), ("four", "y"))
        ],
    }
    assert result.tools.successful == []
    assert [line["name"] for line in result.trace or () if line.get("status") == "ok"] == ["note"]


def test_answers_by_call_go_on_with_the_very_turn(place: Path) -> None:
    suspended = start(place)

    first = go_on(place, suspended.run_id, approve={"four": "allow"})
    assert (first.status, made(place)) == ("suspended", ["y"])
    assert [pending["call_id"] for pending in (first.handle or {})["pending"]] == ["one"]
    second = go_on(place, suspended.run_id, approve={"one": "deny"})

    assert (second.status, second.text, made(place)) == ("done", "done", ["y"])
    assert statuses(second) == {"one": "denied", "two": "ok", "three": "denied", "four": "ok"}
    assert asyncio.run(replay(suspended.run_id, project=place)).same_version


def test_one_word_answers_all_and_lifts_no_denial(place: Path) -> None:
    allowed = start(place, approve="allow")

    assert (allowed.status, made(place)) == ("done", ["x", "y"])
    assert statuses(allowed) == {"one": "ok", "two": "ok", "three": "denied", "four": "ok"}


def test_a_program_can_answer(place: Path) -> None:
    asked = []

    async def decide(question: Any) -> str:
        asked.append((question["call_id"], question["arguments"]))
        return "allow" if question["arguments"] == {"path": "y"} else "deny"

    result = start(place, on_approval=decide)

    assert (result.status, made(place)) == ("done", ["y"])
    assert asked == [("one", {"path": "x"}), ("four", {"path": "y"})]


def test_a_call_that_is_not_waited_for_cannot_be_answered(place: Path) -> None:
    suspended = start(place)

    said = []
    for approve in ({"two": "allow"}, {"one": "yes"}):
        with pytest.raises(NotAllowed) as refused:
            go_on(place, suspended.run_id, approve=approve)
        said.append(str(refused.value).replace(suspended.run_id, "…"))

    assert said == [
        "the run `…` does not wait for `two`: it waits for `one`, `four`",
        "`one` can't be answered with `yes`: it is `allow`, `session` or `deny`",
    ]
    assert made(place) == []


def test_a_word_that_is_no_answer_to_this_question_is_refused(place: Path) -> None:
    suspended = start(place)

    with pytest.raises(NotAllowed) as refused:
        go_on(place, suspended.run_id, approve={"one": "session"})

    assert str(refused.value) == (
        "`one` can't be answered with `session`: it is `allow` or `deny`; "
        "only what `permissions` refuse can be granted for the `session`"
    )
    assert (go_on(place, suspended.run_id, approve="allow").status, made(place)) == ("done", ["x", "y"])


def test_an_answer_is_used_once(place: Path) -> None:
    suspended = start(place)
    go_on(place, suspended.run_id, approve={"one": "allow"})

    with pytest.raises(NotAllowed, match="does not wait for `one`"):
        go_on(place, suspended.run_id, approve={"one": "allow"})


def test_who_the_run_acts_for_is_known_to_rules_and_tools(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "name: a\ncapability:\n"
        "  approval: {default: deny, rules: [{when: \"'admin' in identity.roles\", decision: allow}]}\n"
        '  tools: {who: {description: w, run: [echo, "${identity.user}"]}}\n'
    )
    (tmp_path / "s.yaml").write_text("- tool_calls: [{id: one, name: who, arguments: {}}]\n- text: done\n")

    said = [
        next(
            line["text"].strip() for line in start(tmp_path, identity=identity).trace or () if line["kind"] == "result"
        )
        for identity in ({"user": "ada", "roles": ["admin"]}, {"user": "eve", "roles": []}, {})
    ]

    assert (said[0], said[1].partition(":")[0], said[2].partition(":")[0]) == ("ada", "DENIED", "DENIED")


def test_a_dry_run_changes_nothing(place: Path) -> None:
    result = start(place, dry_run=True, approve="allow")

    assert (result.status, made(place)) == ("done", [])
    assert statuses(result) == {"one": "ok", "two": "ok", "three": "denied", "four": "ok"}


def test_a_model_beyond_the_ceiling_answers_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123")
    (tmp_path / "a.yaml").write_text("name: a\ncapability: {ceiling: {models: [small-*]}}\n")

    with pytest.raises((NotAllowed, SpecInvalid), match="ceiling"):
        asyncio.run(run(tmp_path / "a.yaml", "go", model="openai:large"))


def test_the_ceiling_bounds_a_run_that_sets_no_bound_itself(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "name: a\ncapability: {ceiling: {limits: {tool_calls: 1}}, tools: {add: {description: a, expr: '1'}}}\n"
    )
    (tmp_path / "s.yaml").write_text(
        "- tool_calls: [{name: add, arguments: {}}]\n- tool_calls: [{name: add, arguments: {}}]\n- text: done\n"
    )

    result = start(tmp_path)

    assert (result.status, result.stop_reason) == ("budget_exhausted", "tool_calls")
