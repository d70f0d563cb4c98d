"""Agents as tools: a run of their own within what their caller may and has left, and one envelope for the caller."""

import asyncio
import json
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from agentspec import NotAllowed, SpecInvalid, load, replay, resume, run
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.runtime.result import Result
from tests.servers.loopback import Loopback, response

PROGRAM = str(Path(__file__).parents[1] / "servers" / "mcp_program.py")
LEAD = """
name: lead
task: Find the colour.
model:
  provider: script
  options:
    turns:
      - tool_calls: [{id: one, name: ask, arguments: ARGUMENTS}]
      - text: done
capability:
  CAPABILITY
  tools:
    ask: {description: asks, agent: expert, TOOL}
---
name: expert
model:
  provider: script
  options:
    turns:
      - tool_calls: [{id: x, name: mark, arguments: {n: a}}]
      - text: blue
EXTRA
capability:
  toolkits: [ask_user]
  tools:
    mark: {description: m, parameters: {n: string}, run: [sh, -c, 'echo "$0" >> effects', "${args.n}"]}
"""


def write(place: Path, **parts: str) -> Path:
    """The file of both agents; parts that are not given stay as they do nothing."""
    text = LEAD
    known = {
        "ARGUMENTS": "{task: Which?}",
        "CAPABILITY": "approval: {default: allow}",
        "TOOL": "idempotent: false",
        "EXTRA": "",
    }
    for name, part in (known | parts).items():
        text = text.replace(name, part)
    path = place / "team.yaml"
    path.write_text(text)
    return path


def start(path: Path, **options: Any) -> Result:
    return asyncio.run(run(f"{path}#lead", trace=True, **options))


def results(result: Result) -> list[dict[str, Any]]:
    return [line for line in result.trace or () if line["kind"] == "result"]


def effects(place: Path) -> list[str]:
    path = place / "effects"
    return path.read_text().split() if path.exists() else []


def lines(place: Path) -> list[dict[str, Any]]:
    store = SqliteStore(place / ".agentspec" / "runs.db")
    try:
        return store.list_runs()
    finally:
        store.close()


def test_an_agent_is_one_call_with_one_envelope_and_a_run_of_its_own(tmp_path: Path) -> None:
    heard: list[dict[str, Any]] = []
    result = start(write(tmp_path), on_event=heard.append)

    told = next(event for event in heard if event["kind"] == "tool_result")
    child = f"{result.run_id}.{told['data']['run_id'].rpartition('.')[2]}"
    assert (result.status, told["text"], told["effect"], effects(tmp_path)) == ("done", "blue", "process", ["a"])
    assert told["data"] == {
        "ok": True,
        "summary": "blue",
        "data": None,
        "artifacts": [],
        "tokens_used": told["used"]["input_tokens"] + told["used"]["output_tokens"],
        "cost_usd": None,
        "budget_exceeded": False,
        "run_id": child,
        "error": None,
    }
    assert [(line["spec"], line["status"], line.get("parent")) for line in lines(tmp_path)] == [
        ("expert", "done", result.run_id),
        ("lead", "done", None),
    ]
    workers = [event for event in heard if event["kind"] == "worker"]
    assert {(event["call_id"], event["name"], event["event"]["run_id"]) for event in workers} == {("one", "ask", child)}
    assert [event["seq"] for event in heard if event["seq"] is not None] == list(range(1, 9))
    assert asyncio.run(replay(result.run_id, project=tmp_path)).same_version
    assert asyncio.run(replay(child, project=tmp_path)).same_version


def test_what_it_used_counts_with_its_caller(tmp_path: Path) -> None:
    result = start(write(tmp_path))

    own = result.llm.own or {}
    assert (result.llm.provider_calls, own["provider_calls"], result.llm.iterations) == (4, 2, 2)
    assert result.llm.output_tokens > own["output_tokens"] > 0


def test_arguments_are_its_inputs_and_its_own_task_needs_none(tmp_path: Path) -> None:
    extra = """
task: "Say ${inputs.colour}."
inputs: {colour: string, size: {type: integer, default: 3}}
context: {system: "Size ${inputs.size}."}
"""
    arguments = "{colour: red, size: 5}"
    path = write(tmp_path, TOOL="parameters: {colour: string, size: integer}", ARGUMENTS=arguments, EXTRA=extra)
    heard: list[dict[str, Any]] = []
    start(path, on_event=heard.append)

    child = next(event["event"] for event in heard if event["kind"] == "worker")
    assert (child["kind"], child["task"]) == ("run_started", "Say red.")


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"TOOL": "parameters: {colour: string}"}, "`expert` has no input `colour`"),
        ({"TOOL": "parameters: {}", "EXTRA": "inputs: {size: integer}"}, "the input `size` of `expert` has no value"),
        (
            {"TOOL": "parameters: {size: integer}", "EXTRA": "inputs: {size: integer}"},
            "`expert` has no `task` of its own, and the tool gives it none",
        ),
    ],
)
def test_what_can_not_be_called_is_told_before_anything_starts(tmp_path: Path, part: Any, words: str) -> None:
    with pytest.raises((NotAllowed, SpecInvalid)) as refused:
        start(write(tmp_path, **part))

    assert words in str(refused.value)
    assert not (tmp_path / ".agentspec" / "runs.db").exists()


def test_agents_are_called_one_level_deep(tmp_path: Path) -> None:
    path = write(tmp_path)
    (tmp_path / "other.yaml").write_text(path.read_text())
    path.write_text(path.read_text().replace("agent: expert", 'agent: "other.yaml#lead"'))

    with pytest.raises(SpecInvalid, match=r"`ask` calls `other.yaml#lead`, which calls agents itself"):
        start(path)


@pytest.mark.parametrize(
    ("returns", "answer", "status", "data"),
    [
        ("{fields: {n: integer}}", '{"n": 3}', "ok", {"n": 3}),
        ("string", "three", "ok", "three"),
        ("{fields: {n: integer}}", "three", "error", "three"),
    ],
)
def test_its_result_is_held_against_returns(tmp_path: Path, returns: str, answer: str, status: str, data: Any) -> None:
    path = write(tmp_path, TOOL=f"returns: {returns}")
    path.write_text(path.read_text().replace("- text: blue", f"- text: '{answer}'"))
    heard: list[dict[str, Any]] = []
    start(path, on_event=heard.append)

    told = next(event for event in heard if event["kind"] == "tool_result")
    assert (told["status"], told["data"]["ok"], told["data"]["data"]) == (status, status == "ok", data)


@pytest.mark.parametrize(
    ("capability", "status"),
    [
        ("ceiling: {effects: [read]}", "denied"),
        ("ceiling: {commands: [ls]}", "denied"),
        ("ceiling: {tools: [ask, other]}", "denied"),
        ("approval: {rules: [{tool: 'mar?', decision: deny}]}", "denied"),
        ("permissions: {deny: ['mar?'], on_escalation: deny}", "denied"),
        ("ceiling: {tools: [ask, mark], effects: [process]}", "ok"),
    ],
)
def test_what_its_caller_may_not_it_may_not(tmp_path: Path, capability: str, status: str) -> None:
    heard: list[dict[str, Any]] = []
    result = start(write(tmp_path, CAPABILITY=capability), on_event=heard.append)

    inner = [event["event"] for event in heard if event["kind"] == "worker"]
    assert [event["status"] for event in inner if event["kind"] == "tool_result"] == [status]
    assert (result.status, len(effects(tmp_path))) == ("done", int(status == "ok"))


@pytest.mark.parametrize("limit", ["tool_calls: 2", "provider_calls: 3"])
def test_it_works_within_what_its_caller_has_left(tmp_path: Path, limit: str) -> None:
    path = write(tmp_path)
    path.write_text(
        path.read_text().replace("task: Find the colour.", f"task: Go.\nexecution: {{limits: {{{limit}}}}}")
    )
    result = start(path)

    assert result.llm.provider_calls <= 5
    assert len(effects(tmp_path)) <= 1


def test_tokens_of_all_children_come_out_of_one_pot(tmp_path: Path) -> None:
    path = write(tmp_path)
    calls = ", ".join(f"{{id: c{n}, name: ask, arguments: {{task: T{n}}}}}" for n in range(4))
    text = path.read_text().replace("{id: one, name: ask, arguments: {task: Which?}}", calls)
    text = text.replace("agent: expert,", "agent: expert, effect: read,")
    path.write_text(text.replace("task: Find the colour.", "task: Go.\nexecution: {limits: {tokens: 4000}}"))
    result = start(path)

    assert result.llm.input_tokens + result.llm.output_tokens <= 4000


def test_a_bound_that_it_reaches_is_told_in_its_envelope(tmp_path: Path) -> None:
    heard: list[dict[str, Any]] = []
    start(write(tmp_path, EXTRA="execution: {max_iterations: 1, wrap_up: false}"), on_event=heard.append)

    told = next(event for event in heard if event["kind"] == "tool_result")
    assert (told["status"], told["error"]["category"], told["data"]["budget_exceeded"]) == (
        "error",
        "budget_exhausted",
        True,
    )
    assert told["text"].startswith("ERROR: the agent `ask` ended budget_exhausted (max_iterations)")


MARKS = "{tool_calls: [{name: mark, arguments: {n: a}}]}"


@pytest.mark.parametrize(
    ("turns", "extra", "end", "asked"),
    [
        ("{error: {status: 400, message: down}}", "", "provider_error (invalid_request)", 1),
        (", ".join(["{text: ''}"] * 9), "execution: {max_nudges: 9}", "stuck (barren_reply)", 5),
        (", ".join([MARKS] * 9), "", "stuck (repeated_call)", 5),
        (", ".join(["{text: ''}"] * 3), "execution: {max_nudges: 1}", "stuck (max_nudges)", 3),
        (f"{MARKS}, {{text: blue}}", "execution: {max_iterations: 1, wrap_up: false}", "budget_exhausted (max_iterations)", 1),
        ("{text: blue}", "execution: {require_successful_tools: [mark]}", "failed (required_tools_missing)", 1),
        (", ".join(["{text: blue}"] * 2), "execution: {require_artifacts: [x]}", "completion_unverified (artifact_missing)", 2),
    ],
)  # fmt: skip
def test_an_end_without_success_is_no_answer_and_what_it_cost_is_counted(
    tmp_path: Path, turns: str, extra: str, end: str, asked: int
) -> None:
    path = write(tmp_path, EXTRA=extra)
    opening, _, rest = path.read_text().rpartition("    turns:\n")
    path.write_text(f"{opening}    turns: [{turns}]\n{rest[rest.index(extra or 'capability') :]}")
    heard: list[dict[str, Any]] = []

    result = start(path, on_event=heard.append)

    told = next(event for event in heard if event["kind"] == "tool_result")
    assert (told["status"], told["data"]["ok"], told["data"]["error"]["category"]) == (
        "error",
        False,
        end.partition(" ")[0],
    )
    assert told["text"].startswith(f"ERROR: the agent `ask` ended {end}")
    assert told["data"]["summary"] == ("blue" if "blue" in turns and "max_iterations" not in extra else "")
    assert result.llm.provider_calls == 2 + asked


def test_with_a_script_nobody_else_is_asked(tmp_path: Path) -> None:
    path = write(tmp_path)
    text = path.read_text()
    text = text.replace("provider: script", "provider: openai\n  model: gpt-5.4-mini").replace(
        "  options:\n    turns:", "  x-turns:"
    )
    path.write_text(text.replace("      - t", "    - t"))
    (tmp_path / "s.yaml").write_text(
        "- tool_calls: [{id: one, name: ask, arguments: {task: Which?}}]\n- text: from the script\n- text: done\n"
    )
    result = start(path, script=tmp_path / "s.yaml")

    assert (result.text, [line["text"] for line in results(result)]) == ("done", ["from the script"])


def test_an_agent_without_a_model_is_answered_by_its_caller_s(tmp_path: Path) -> None:
    (tmp_path / "team.yaml").write_text(
        "name: lead\ntask: Go.\nmodel: {provider: script, options: {turns: ["
        "{tool_calls: [{id: one, name: ask, arguments: {task: T}}]}, {text: mine}, {text: done}]}}\n"
        "capability: {tools: {ask: {description: a, agent: expert.yaml}}}\n"
    )
    (tmp_path / "expert.yaml").write_text("name: expert\ncontext: {system: You know.}\n")
    result = start(tmp_path / "team.yaml")

    assert [line["text"] for line in results(result)] == ["mine"]


def test_a_script_goes_on_after_what_it_told_children(tmp_path: Path) -> None:
    path = write(tmp_path)
    call = "- tool_calls: [{id: NAME, name: ask, arguments: {task: Which?}}]\n"
    asks = "- tool_calls: [{id: x, name: ask_user, arguments: {question: Which?}}]\n"
    turns = call.replace("NAME", "one") + "- text: first\n" + call.replace("NAME", "two") + asks + "- text: second\n"
    (tmp_path / "s.yaml").write_text(turns + "- text: done\n")
    path.write_text(path.read_text().replace("provider: script\n", "provider: openai\n", 1))
    path.write_text(
        path.read_text().replace("name: expert\nmodel:\n  provider: script", "name: expert\nx-model:\n  a: b")
    )

    asked = start(path, script=tmp_path / "s.yaml")
    result = asyncio.run(resume(asked.run_id, project=tmp_path, answers={"two/x": "blue"}, trace=True))

    assert (asked.status, result.text) == ("suspended", "done")
    assert [line["text"] for line in results(result)] == ["first", "second"]


ASKS = "{tool_calls: [{id: x, name: ask_user, arguments: {question: Which?}}]}"


def test_what_it_asks_its_caller_waits_for(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.write_text(path.read_text().replace("{id: x, name: mark, arguments: {n: a}}", ASKS[14:-2]))
    asked = start(path)
    answered = asyncio.run(resume(asked.run_id, project=tmp_path, answers={"one/x": "the blue one"}, trace=True))

    pending = (asked.handle or {})["pending"]
    assert (asked.status, asked.stop_reason) == ("suspended", "input")
    said = [(one["call_id"], one["name"], one["what"], one["agent"]) for one in pending]
    assert said == [("one/x", "ask_user", "question", "ask")]
    assert (answered.status, results(answered)[0]["text"]) == ("done", "blue")
    assert [line["status"] for line in lines(tmp_path)] == ["done", "done"]
    assert asyncio.run(replay(asked.run_id, project=tmp_path)).same_version


def test_its_approvals_are_asked_for_with_its_caller(tmp_path: Path) -> None:
    path = write(tmp_path, CAPABILITY="approval: {rules: [{tool: 'mar?', decision: ask}]}")
    asked = start(path)
    denied = asyncio.run(resume(asked.run_id, project=tmp_path, approve={"one/x": "deny"}))
    allowed = start(path, approve="allow")
    told: list[tuple[str, str]] = []
    start(path, on_approval=lambda asked: told.append((asked["call_id"], asked["agent"])) or "allow")

    assert (asked.stop_reason, denied.status, allowed.status) == ("approval", "done", "done")
    assert (told, effects(tmp_path)) == ([("one/x", "ask")], ["a", "a"])


def test_a_run_that_died_goes_on_with_its_children(tmp_path: Path) -> None:
    path = write(tmp_path)
    place = tmp_path / "project"
    place.mkdir()
    path = write(place)
    moments: list[tuple[str, Path]] = []

    def photograph(event: dict[str, Any]) -> None:
        """The store as it is when this event is on the disk."""
        inner = event.get("event", event)
        if inner["seq"] is None:
            return
        target = tmp_path / f"moment-{len(moments)}"
        target.mkdir()
        for file in (place / ".agentspec").glob("artifacts"):
            shutil.copytree(file, target / file.name)
        source, copy = sqlite3.connect(place / ".agentspec" / "runs.db"), sqlite3.connect(target / "runs.db")
        source.backup(copy)
        source.close()
        copy.close()
        moments.append((f"{event['kind']} {inner['kind']}", target))

    whole = start(path, on_event=photograph)
    outcomes = []
    for moment, store in moments[:-2]:
        before = len(effects(place))
        result = asyncio.run(resume(whole.run_id, project=place, store=store))
        outcomes.append((moment, result.status, result.text, len(effects(place)) - before))

    assert [(status, text) for _, status, text, _ in outcomes] == [("done", "done")] * len(outcomes)
    again = [more for *_, more in outcomes]
    known = again.index(0)  # the intent is on the disk with the answer that it follows from
    assert (outcomes[known][0], again) == ("worker model_call", [1] * known + [0] * (len(again) - known))


async def test_stopping_the_caller_stops_it_and_leaves_nothing(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.write_text(path.read_text().replace('echo "$0" >> effects', "touch began; sleep 60; touch ended"))
    begun = asyncio.Event()

    def hear(event: dict[str, Any]) -> None:
        if event["kind"] == "worker" and event["event"]["kind"] == "tool_call":
            begun.set()

    going = asyncio.create_task(run(load(f"{path}#lead"), on_event=hear))
    await begun.wait()
    going.cancel()
    await asyncio.gather(going, return_exceptions=True)

    assert [(line["spec"], line["status"]) for line in lines(tmp_path)] == [
        ("expert", "cancelled"),
        ("lead", "interrupted"),
    ]
    assert not (tmp_path / "ended").exists()


async def test_it_uses_the_connections_of_its_caller(tmp_path: Path) -> None:
    counting = ["sh", "-c", 'echo start >> "$0"; exec "$1" "$2"', str(tmp_path / "starts"), sys.executable, PROGRAM]
    server = {"command": counting}
    turns = [{"tool_calls": [{"id": "x", "name": "b__add", "arguments": {"a": 1, "b": 2}}]}, {"text": "three"}]
    lead = [{"tool_calls": [{"id": "y", "name": "ask", "arguments": {"task": "Add."}}]}, {"text": "done"}]
    model = {"provider": "script"}
    specs = [
        {
            "name": "lead",
            "task": "Go.",
            "model": model | {"options": {"turns": lead}},
            "capability": {"mcp": {"b": server}, "tools": {"ask": {"description": "a", "agent": "expert.json"}}},
        },
        {"name": "expert", "model": model | {"options": {"turns": turns}}, "capability": {"mcp": {"b": server}}},
    ]
    for spec in specs:
        (tmp_path / f"{spec['name']}.json").write_text(json.dumps(spec))
    heard: list[dict[str, Any]] = []

    result = await run(tmp_path / "lead.json", on_event=heard.append)

    inner = [event["event"] for event in heard if event["kind"] == "worker"]
    assert [event["status"] for event in inner if event["kind"] == "tool_result"] == ["ok"]
    assert result.text == "done"
    assert (tmp_path / "starts").read_text().count("start") == 1


async def test_its_requests_go_over_the_connections_of_its_caller(tmp_path: Path) -> None:
    """Also those of a run beside it, while both are there."""
    async with Loopback([[response({"ok": True})]]) as server:
        look = {"description": "l", "http": {"url": f"{server.url}/x", "headers": {"x-who": "${run.id}"}}}
        for name, called in (("lead", "ask"), ("expert", None)):
            turns = [{"tool_calls": [{"id": f"{name}{place}", "name": "look"}]} for place in range(2)]
            turns += [{"tool_calls": [{"id": "y", "name": "ask", "arguments": {"task": "Go."}}]}] if called else []
            asks = {"ask": {"description": "a", "agent": "expert.json"}} if called else {}
            spec = {
                "name": name,
                "task": "Go.",
                "model": {"provider": "script", "options": {"turns": [*turns, {"text": "done"}]}},
                "execution": {"stall": False},
                "capability": {"tools": {"look": look, **asks}},
            }
            (tmp_path / f"{name}.json").write_text(json.dumps(spec))

        result = await run(tmp_path / "lead.json")

    assert (result.status, server.connections) == ("done", 1)
    assert len({asked.headers["x-who"] for asked in server.asked}) == 2
    assert len(server.asked) == 4


def test_no_secret_of_an_agent_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path, EXTRA="x-none: 1")
    text = path.read_text()
    at = text.rindex("provider: script")
    path.write_text(text[:at] + "headers: {X-Api-Key: geheim-0123456789}\n  " + text[at:])

    assert start(path).status == "done"

    kept = b"".join(file.read_bytes() for file in (tmp_path / ".agentspec").rglob("*") if file.is_file())
    assert b"geheim" not in kept
    assert b"expert" in kept
