"""Recorded runs: what is written of them, and that they can be run again."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentspec import check, resume, run
from agentspec.api.scenarios.find import find_scenarios
from agentspec.api.scenarios.play import play
from agentspec.runtime.result import Result

KEY = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n1:MIIEpAIBAAKCAQEA1\n-----END RSA PRIVATE KEY-----"
SECRETS = {
    "openai": "sk-proj-" + "a1B2" * 8,
    "aws": "AKIAIOSFODNN7EXAMPLE",
    "github": "ghp_" + "a1B2" * 9,
    "private key": KEY,
    "address": "postgres://shop:geheim-4711@db.example.org/x",
    "header": "X-API-Key: 0123456789abcdef",
    "short header": "Authorization: Basic dTpwdw",
    "word behind its name": "password: geheim",
    "dotenv": "export DB_PASSWORD='geheim 4711'",
    "JSON": '{"user": "shop", "password": "geheim"}',
    "number in JSON": '{"user": "shop", "pass_code": 471147}',
    "query": "https://example.org/x?api_key=geheim&n=1",
}
HIDDEN = {
    "address": "postgres://shop:[redacted]@db.example.org/x",
    "header": "X-API-Key: [redacted]",
    "short header": "Authorization: Basic [redacted]",
    "word behind its name": "password: [redacted]",
    "dotenv": "export DB_PASSWORD='[redacted]'",
    "JSON": '{"user": "shop", "password": "[redacted]"}',
    "number in JSON": '{"user": "shop", "pass_code": 0}',
    "query": "https://example.org/x?api_key=[redacted]&n=1",
}


def recorded(place: Path, spec: dict[str, Any], turns: list[Any], **options: Any) -> tuple[Result, Path]:
    """A run whose model says these turns, and the file that it was recorded to."""
    (place / "a.json").write_text(json.dumps({"name": "reader", **spec}))
    (place / "s.json").write_text(json.dumps(turns))
    path = place / "r.yaml"
    return asyncio.run(run(place / "a.json", "go", script=place / "s.json", record=path, **options)), path


def again(place: Path, path: Path, **options: Any) -> Result:
    return asyncio.run(run(place / "a.json", "go", script=path, trace=True, **options))


def calls(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "id": call_id, "arguments": arguments}]}


@pytest.mark.parametrize("shape", SECRETS)
def test_what_looks_like_a_secret_is_in_no_recorded_scenario_whoever_said_it(tmp_path: Path, shape: str) -> None:
    secret, hidden = SECRETS[shape], HIDDEN.get(shape, "[redacted]")
    (tmp_path / "kept.txt").write_text(secret)
    tools = {"read": {"description": "r", "parameters": {"path": "string"}, "run": ["cat", "kept.txt"]}}
    turns = [calls("read", "one", path=f"of {secret}"), {"text": f"it is {secret}"}]

    result, path = recorded(tmp_path, {"capability": {"tools": tools}}, turns)
    repeated = again(tmp_path, path)

    assert result.text == f"it is {secret}"
    written = path.read_text()
    assert not any(line in written for line in secret.splitlines() if line and line not in hidden)
    assert repeated.text == f"it is {hidden}"
    assert [found.code for found in check(path).diagnostics] == []


async def test_a_password_that_a_tool_brought_is_nowhere_in_the_recording_which_still_plays(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("user=ada\npassword=geheim-4711\n")
    tools = {
        "read": {"description": "r", "run": ["cat", "kept.txt"]},
        "login": {
            "description": "l",
            "parameters": {"user": "string", "password": "string", "code_token": "integer", "argv": "string[]"},
            "expr": "args.user",
        },
    }
    given = {"user": "ada", "password": "geheim-4711", "code_token": 4711, "argv": ["psql", "--password", "x"]}
    turns = [calls("read", "a"), calls("login", "b", **given), {"text": "geheim-4711 lets ada in"}]
    heard: list[str] = []

    result, path = await asyncio.to_thread(
        recorded, tmp_path, {"capability": {"tools": tools}}, turns, on_notice=heard.append
    )
    [found] = find_scenarios([path]).scenarios
    played = await play(found)

    written = yaml.safe_load(path.read_text())
    assert result.status == "done"
    assert written["tool_results"] == [
        {"name": "read", "arguments": {}, "status": "ok", "text": "user=ada\npassword=[redacted]\n"},
        {
            "name": "login",
            "arguments": {
                "user": "ada",
                "password": "[redacted]",
                "code_token": 0,
                "argv": ["psql", "--password", "[redacted]"],
            },
            "status": "ok",
            "text": "ada",
        },
    ]
    assert written["expect"]["text"] == {"equals": "[redacted] lets ada in"}
    assert "geheim" not in path.read_text()
    assert heard[-1] == f"`{path}`: redacted in 9 places; read it before others do"
    assert played.reasons() == []


ASKING = {"capability": {"toolkits": ["ask_user"]}}


def test_what_a_person_replied_is_replied_again(tmp_path: Path) -> None:
    asks = [calls("ask_user", call_id, question="Which [one]?") for call_id in ("one", "two")]
    said = iter(["the red one", "the blue one"])

    first, path = recorded(tmp_path, ASKING, [*asks, {"text": "done"}], on_question=lambda _: next(said))
    repeated = again(tmp_path, path)

    assert (first.status, repeated.status) == ("done", "done")
    replies = [line["text"] for line in repeated.trace or () if line["kind"] == "result"]
    assert replies == ["the red one", "the blue one"]


def test_a_question_that_no_reply_matches_waits_and_approvals_are_asked_as_ever(tmp_path: Path) -> None:
    gated = {
        "capability": {
            "toolkits": ["ask_user", "todo"],
            "approval": {"rules": [{"tool": "todo_write", "decision": "ask"}]},
        }
    }
    user = [
        {"match": "Which*", "reply": "red"},
        {"match": "Stop*", "action": "stop"},
        {"reply": "yes", "match": "allow*"},
    ]
    scenarios = {
        "matched": calls("ask_user", "one", question="Which one?"),
        "unmatched": calls("ask_user", "one", question="Stop now?"),
        "approval": calls("todo_write", "one", items=[{"task": "paint"}]),
    }
    ends = {}

    recorded(tmp_path, gated, [{"text": "done"}])
    for name, turn in scenarios.items():
        (tmp_path / "u.json").write_text(json.dumps({"model": [turn, {"text": "done"}], "user": user}))
        ends[name] = again(tmp_path, tmp_path / "u.json").stop_reason

    assert ends == {"matched": "completed", "unmatched": "input", "approval": "approval"}


TEAM = """
name: lead
capability:
  tools:
    ask: {description: asks, agent: expert, idempotent: true}
---
name: expert
MODEL
capability:
  tools:
    look: {description: l, expr: "'sky'"}
"""
OWN = "model: {provider: script, options: {turns: [blue, green]}}"
LEADS = [calls("ask", "one", task="Which one"), calls("ask", "two", task="And now"), {"text": "done"}]
EXPERTS = [calls("look", "l"), {"text": "blue"}, {"text": "green"}]


@pytest.mark.parametrize(
    ("model", "turns", "results"),
    [
        ("", [LEADS[0], *EXPERTS[:2], LEADS[1], EXPERTS[2], LEADS[2]], [("look", "sky")]),
        (OWN, LEADS, [("ask", "blue"), ("ask", "blue")]),
    ],
    ids=["the model of its caller", "a script of its own"],
)
def test_the_turns_of_agents_that_were_called_are_recorded_where_a_script_is_shared(
    tmp_path: Path, model: str, turns: list[dict[str, Any]], results: list[tuple[str, str]]
) -> None:
    (tmp_path / "team.yaml").write_text(TEAM.replace("MODEL", model))
    (tmp_path / "s.json").write_text(json.dumps(turns))
    path, source = tmp_path / "r.yaml", f"{tmp_path / 'team.yaml'}#lead"

    first = asyncio.run(run(source, "go", script=tmp_path / "s.json", record=path, trace=True))
    repeated = asyncio.run(run(source, "go", script=path, trace=True))

    written = yaml.safe_load(path.read_text())
    assert [{k: v for k, v in turn.items() if k != "usage"} for turn in written["model"]] == turns
    assert [(each["name"], each["text"]) for each in written["tool_results"]] == results
    assert (first.status, repeated.status, repeated.trace) == ("done", "done", first.trace)
    assert [found.code for found in check(path).diagnostics] == []


COUNTED = {"count": {"description": "c", "parameters": {"by": "string"}, "run": ["sh", "-c", "echo x >> n; wc -l < n"]}}


def test_tools_whose_results_were_recorded_are_not_run_again(tmp_path: Path) -> None:
    turns = [calls("count", call_id, by="one") for call_id in ("a", "b")]
    first, path = recorded(tmp_path, {"capability": {"tools": COUNTED}}, [*turns, {"text": "done"}], trace=True)

    repeated = again(tmp_path, path)

    assert [line["text"] for line in first.trace or () if line["kind"] == "result"] == ["1\n", "2\n"]
    assert repeated.trace == first.trace
    assert (tmp_path / "n").read_text() == "x\nx\n"


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ([{"name": "count", "status": "error", "text": "ERROR: broken"}], ("error", "ERROR: broken")),
        ([{"name": "count", "status": "timeout"}], ("timeout", "ERROR: it ended `timeout`")),
        ([{"name": "count", "data": {"n": 7}}], ("ok", '{"n":7}')),
        (
            [{"name": "count", "arguments": {"by": "two"}, "text": "2"}],
            ("error", "ERROR: no result of `count` was recorded for these arguments, and it is not run"),
        ),
        ([{"name": "other", "text": "2"}], ("ok", "1\n")),
    ],
)
def test_a_recorded_result_is_given_as_it_is_written(tmp_path: Path, results: list[Any], told: tuple[str, str]) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"name": "a", "capability": {"tools": COUNTED}}))
    script = tmp_path / "s.json"
    script.write_text(json.dumps({"model": [calls("count", "a", by="one"), {"text": "done"}], "tool_results": results}))

    found = again(tmp_path, script)

    assert [(line["status"], line["text"]) for line in found.trace or () if line["kind"] == "result"] == [told]


def test_a_run_that_goes_on_is_recorded_from_its_beginning(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "agentspec.toml").write_text("")
    spec = {
        "name": "a",
        "capability": {"tools": COUNTED, "approval": {"rules": [{"tool": "count", "decision": "ask"}]}},
    }
    (tmp_path / "sub/a.json").write_text(json.dumps(spec))
    (tmp_path / "s.json").write_text(json.dumps([calls("count", "a", by="one"), {"text": "done"}]))
    waiting = asyncio.run(run(tmp_path / "sub/a.json", "go", script=tmp_path / "s.json"))

    path = tmp_path / "r.yaml"
    asyncio.run(resume(waiting.run_id, project=tmp_path, approve="allow", record=path))

    written = yaml.safe_load(path.read_text())
    assert written["for"] == "sub/a.json"
    assert [result["text"] for result in written["tool_results"]] == ["1\n"]
    assert len(written["model"]) == 2


@pytest.mark.parametrize(
    ("name", "begin"), [("r.agent", 'scenario "'), ("r.yaml", "scenario: "), ("r.yml", "scenario: ")]
)
def test_a_run_is_recorded_in_the_spelling_of_the_name_and_over_an_older_recording(tmp_path: Path, name, begin) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"name": "reader"}))
    (tmp_path / "s.json").write_text(json.dumps([{"text": "Done."}]))
    path = tmp_path / name
    for _ in range(2):
        asyncio.run(run(tmp_path / "a.json", "go", script=tmp_path / "s.json", record=path))

    assert path.read_text().startswith(begin)
    assert [found.code for found in check(path).diagnostics] == []
    assert again(tmp_path, path).text == "Done."
