"""A run that goes on decides by what its spec said when it began, and does nothing that its spec forbids now."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agentspec import NotAllowed, replay, resume, run
from agentspec.runtime.result import Result

TOUCH = {"description": "t", "parameters": {"name": "string"}, "run": ["touch", "${args.name}"]}
LOOK = {"description": "l", "expr": "'sky'"}
ASK = {"rules": [{"tool": "touch", "decision": "ask"}]}
CAPABILITY: dict[str, Any] = {"tools": {"touch": TOUCH, "look": LOOK}, "approval": ASK}
CALLS = [
    {"tool_calls": [{"name": "touch", "id": "a", "arguments": {"name": "made"}}]},
    {"tool_calls": [{"name": "look", "id": "b"}]},
    {"text": "done"},
]
GOES_ON = "the run goes on by what it said when it began"
NARROWER = f"`capability.ceiling` of `a.json` is narrower now, and holds; else {GOES_ON}"


def write(place: Path, *, turns: Any = CALLS, name: str = "a.json", **more: Any) -> None:
    capability = {**CAPABILITY, **more.pop("capability", {})}
    model = {"provider": "script", "options": {"turns": turns}}
    (place / name).write_text(json.dumps({"name": "a", "model": model, "capability": capability, **more}))


def goes_on(place: Path, waiting: Result, **options: Any) -> tuple[Result, list[str], list[str]]:
    """How the run ends, the statuses of its calls, and what was said."""
    heard: list[str] = []
    given = {"approve": "allow", "trace": True, **options}
    result = asyncio.run(resume(waiting.run_id, project=place, on_notice=heard.append, **given))
    return result, [line["status"] for line in result.trace or () if line["kind"] == "result"], heard


def begun(place: Path, **options: Any) -> Result:
    (place / "agentspec.toml").write_text("")
    waiting = asyncio.run(run(place / "a.json", "go", **options))
    assert waiting.status == "suspended"
    return waiting


CEILINGS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "tools": ({"tools": ["look"]}, ["denied", "ok"]),
    "another tool": ({"tools": ["touch"]}, ["ok", "denied"]),
    "effects": ({"effects": ["none", "read"]}, ["denied", "ok"]),
    "commands": ({"commands": ["ls"]}, ["denied", "ok"]),
    "nothing": ({"tools": []}, ["denied", "denied"]),
}


@pytest.mark.parametrize(
    "kind", ["tools", *(pytest.param(kind, marks=pytest.mark.slow) for kind in CEILINGS if kind != "tools")]
)
@pytest.mark.parametrize("before", [{}, {"ceiling": {"tools": ["touch", "look"], "effects": ["none", "process"]}}])
def test_a_narrower_ceiling_of_now_holds(tmp_path: Path, kind: str, before: dict[str, Any]) -> None:
    ceiling, statuses = CEILINGS[kind]
    write(tmp_path, capability=before)
    waiting = begun(tmp_path)
    write(tmp_path, capability={"ceiling": {**before.get("ceiling", {}), **ceiling}})

    result, ended, heard = goes_on(tmp_path, waiting)

    assert (ended, heard) == (statuses, [NARROWER])
    assert (tmp_path / "made").exists() is (statuses[0] == "ok")
    asyncio.run(replay(result.run_id, project=tmp_path))  # it is decided again as it was


@pytest.mark.slow
def test_what_was_refused_says_by_what(tmp_path: Path) -> None:
    write(tmp_path)
    waiting = begun(tmp_path)
    write(tmp_path, capability={"ceiling": {"tools": ["look"]}})

    result, _, _ = goes_on(tmp_path, waiting)

    [refused] = [line["text"] for line in result.trace or () if line["kind"] == "result" and line["name"] == "touch"]
    assert refused == (
        "DENIED: refused by the ceiling as the spec has it now: `touch` is not among its tools. "
        "Allowed tools: `look`. Trying again does not help."
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("now", "said"),
    [
        ({}, []),
        ({"description": "another"}, [f"`a.json` is another now: {GOES_ON}"]),
        ({"capability": {"ceiling": {"tools": ["*"]}}}, [NARROWER]),
    ],
)
def test_what_is_another_now_is_said_in_a_line_and_what_is_not_forbidden_is_done(
    tmp_path: Path, now: dict[str, Any], said: list[str]
) -> None:
    write(tmp_path)
    waiting = begun(tmp_path)
    write(tmp_path, **now)

    _, ended, heard = goes_on(tmp_path, waiting)

    assert (ended, heard) == (["ok", "ok"], said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({"tools": ["look", "touch"]}, {"tools": ["*"]}, [f"`a.json` is another now: {GOES_ON}"]),
        ({"limits": {"tokens": 100_000}}, {"limits": {"tokens": 200_000}}, [f"`a.json` is another now: {GOES_ON}"]),
        ({"tools": ["look", "touch"]}, None, [f"`a.json` is another now: {GOES_ON}"]),
        ({"tools": ["look", "touch"]}, {"tools": ["touch", "look"]}, [f"`a.json` is another now: {GOES_ON}"]),
    ],
)
def test_a_wider_ceiling_of_now_leaves_the_run_as_it_was(
    tmp_path: Path, before: Any, now: Any, said: list[str]
) -> None:
    write(tmp_path, capability={"ceiling": before})
    waiting = begun(tmp_path)
    write(tmp_path, capability={} if now is None else {"ceiling": now})

    _, ended, heard = goes_on(tmp_path, waiting)

    assert (ended, heard) == (["ok", "ok"], said)


@pytest.mark.slow
@pytest.mark.parametrize("text", [None, "name: [", '{"name": "a", "capability": {"ceiling": 5}}', "- a"])
def test_where_nobody_can_tell_what_is_allowed_now_the_run_goes_on_as_it_was(tmp_path: Path, text: str | None) -> None:
    write(tmp_path)
    waiting = begun(tmp_path)
    (tmp_path / "a.json").unlink()
    if text is not None:
        (tmp_path / "a.json").write_text(text)

    _, ended, [line] = goes_on(tmp_path, waiting)

    assert ended == ["ok", "ok"]
    assert line.endswith(GOES_ON)


def test_a_lower_limit_ends_the_run_before_it_goes_on_and_a_message_begins_within_it(tmp_path: Path) -> None:
    write(tmp_path)
    waiting = begun(tmp_path)
    write(tmp_path, capability={"ceiling": {"limits": {"tokens": 900}}})

    with pytest.raises(NotAllowed) as refused:
        goes_on(tmp_path, waiting)

    assert str(refused.value) == (
        "`capability.ceiling.limits.tokens` of `a.json` is 900 now, and the run began with none, "
        "by which it would count to its end: start it anew"
    )
    assert not (tmp_path / "made").exists()


def test_a_message_after_the_end_starts_a_run_within_the_ceiling_of_now(tmp_path: Path) -> None:
    write(tmp_path, capability={"approval": {}})
    (tmp_path / "agentspec.toml").write_text("")
    ended = asyncio.run(run(tmp_path / "a.json", "go"))
    (tmp_path / "made").unlink()
    write(tmp_path, capability={"approval": {}, "ceiling": {"tools": ["look"], "limits": {"tokens": 9000}}})

    result, statuses, heard = goes_on(tmp_path, ended, message="again")

    assert (result.status, statuses, heard) == ("done", ["denied", "ok"], [NARROWER])
    assert not (tmp_path / "made").exists()
    asyncio.run(replay(result.run_id, project=tmp_path))  # it is decided again as it was


@pytest.mark.slow
@pytest.mark.parametrize("whose", ["its caller's", "its own"])
def test_an_agent_that_is_called_is_held_within_the_ceilings_of_now(tmp_path: Path, whose: str) -> None:
    lead = {"tools": {"ask": {"description": "a", "agent": "b.json"}}, "approval": {}}
    turns = [{"tool_calls": [{"name": "ask", "id": "q", "arguments": {"task": "touch it"}}]}, {"text": "done"}]
    write(tmp_path, turns=turns, capability=lead)
    write(tmp_path, name="b.json")
    waiting = begun(tmp_path)
    narrow = {"ceiling": {"tools": ["look", "ask"]}}
    write(tmp_path, turns=turns, capability=lead | (narrow if whose == "its caller's" else {}))
    write(tmp_path, name="b.json", capability=narrow if whose == "its own" else {})

    _, ended, heard = goes_on(tmp_path, waiting)

    assert ended == ["ok"]
    assert not (tmp_path / "made").exists()
    assert heard == [NARROWER if whose == "its caller's" else NARROWER.replace("a.json", "b.json")]
