"""Gates of completion in whole runs: files, commands and judges are asked, and the result says what came of it."""

import asyncio
import json
import tempfile
from pathlib import Path

import pytest

from agentspec import Unavailable, replay, resume, run
from agentspec.adapters.stores.sqlite import SqliteStore
from tests.servers.background import calls, says
from tests.servers.loopback import Loopback


@pytest.fixture
def spec(tmp_path):
    def write(turns: list, **sections: object):
        path = tmp_path / "s.json"
        model = {"provider": "script", "options": {"turns": turns}}
        path.write_text(json.dumps({"name": "s", "task": "go", "model": model, **sections}))
        return path

    return write


def call(name: str, **arguments: object) -> dict:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def list_runs(folder: Path) -> list[str]:
    store = SqliteStore(folder / ".agentspec" / "runs.db")
    found = [line["run_id"] for line in store.list_runs()]
    store.close()
    return found


def heard(events: list, kind: str) -> list:
    return [event for event in events if event["kind"] == kind]


WRITE = {"write": {"description": "W", "run": ["sh", "-c", "echo x > report.md"]}}


async def test_a_run_that_is_told_of_a_missing_file_writes_it(spec):
    path = spec(
        ["Done.", call("write"), "Now it is there."],
        execution={"loop_until_done": True, "require_artifacts": ["report.md", "../x"]},
        capability={"tools": WRITE},
    )

    result = await run(path)

    assert (result.status, result.stop_reason, result.text) == ("done", "natural", "Now it is there.")
    assert result.declared_artifacts == {"present": ["report.md"], "missing": [], "unverifiable": ["../x"]}


async def test_a_run_without_a_required_tool_fails_and_names_it(spec):
    path = spec(["Done."], execution={"require_successful_tools": ["write"]}, capability={"tools": WRITE})

    result = await run(path)

    assert (result.status, result.stop_reason) == ("failed", "required_tools_missing")
    assert result.missing_required_tools == ["write"]
    assert result.error.message == "`write` did not succeed in this run"
    assert result.terminal.kind == "failed"


async def test_a_run_ends_when_a_tool_has_succeeded(spec):
    path = spec([call("write")], execution={"stop_after_successful_tools": ["write"]}, capability={"tools": WRITE})

    result = await run(path)

    assert (result.status, result.stop_reason, result.terminal.kind) == ("done", "stop_after_tool", "policy_stop")


LINES = """\
name: s
task: go
model: {provider: script, options: {turns: TURNS}}
execution:
  EXECUTION
capability:
  tools:
    write: {description: W, run: [sh, -c, echo x > report.md]}
"""
RULES = {
    "a rule of a turn": ("post_turn:\n    - {when: 'false', stop: a}\n    - stop: enough", "execution.post_turn[1]", 7),
    "a rule of the end": ("terminal:\n    - stop: other", "execution.terminal[0]", 6),
    "a tool that ends it": ("stop_after_successful_tools: [write]", "execution.stop_after_successful_tools[0]", 5),
    "a missing file": ("require_artifacts: [b.txt]", "execution.require_artifacts", 5),
    "a rule of completion": (
        "verify_completion:\n    - {when: 'false', veto: a}\n    - command: [/none]",
        "execution.verify_completion[1]",
        7,
    ),
    "a guard": ("input_guardrail: {when: 'true'}", "execution.input_guardrail.when", 5),
    "an answer's form": ("output: {schema: {type: object}, repairs: 0}", "execution.output", 5),
    "a required tool": ("require_successful_tools: [read]", "execution.require_successful_tools", 5),
}


@pytest.mark.parametrize("kind", RULES)
async def test_a_run_that_a_line_of_its_spec_ends_names_the_line(tmp_path, kind):
    written, place, line = RULES[kind]
    path = tmp_path / "s.yaml"
    turns = json.dumps([call("write"), "Done.", "Done."])
    path.write_text(LINES.replace("TURNS", turns).replace("EXECUTION", written))
    if kind == "a required tool":
        path.write_text(path.read_text() + "    read: {description: R, expr: '1'}\n")

    result = await run(path)

    stands = {name: result.stopped_by[name] for name in ("limit", "file", "line")}
    assert stands == {"limit": place, "file": "s.yaml", "line": line}


async def test_a_command_verifies_the_answer_and_its_tail_goes_back_to_the_model(spec, tmp_path):
    events: list = []
    path = spec(
        ["Done.", call("write"), "Now it is there."],
        execution={
            "loop_until_done": True,
            "max_nudges": 0,
            "verify_completion": [{"command": ["cat", "report.md"]}],
        },
        capability={"tools": WRITE},
    )

    result = await run(path, on_event=events.append)

    assert (result.status, result.llm.iterations) == ("done", 3)
    decisions = heard(events, "judge_decision")
    assert [decision["judge"] for decision in decisions] == ["verify_completion"]
    assert "No such file" in decisions[0]["detail"]


@pytest.mark.parametrize(
    ("rule", "status", "reason"),
    [
        ({"command": ["no-such-program"]}, "completion_unverified", "verifier_failed"),
        ({"command": ["sleep", "60"], "timeout": "200ms"}, "budget_exhausted", "max_iterations"),
    ],
)
async def test_a_command_that_cannot_start_or_hangs_confirms_nothing(spec, rule, status, reason):
    path = spec(
        ["Done.", "Done.", "Done."],
        execution={
            "loop_until_done": True,
            "done_sentinel": False,
            "iteration_budget": {"mode": "fixed", "max": 2},
            "verify_completion": [rule],
            "wrap_up": False,
        },
    )

    result = await run(path)

    assert (result.status, result.stop_reason) == (status, reason)


def verdict(word: str, detail: str = "") -> str:
    return json.dumps({"verdict": word, "detail": detail, "gaps": []})


async def test_a_judge_that_is_the_runs_own_model_is_asked_and_counted(spec):
    events: list = []
    path = spec(
        [
            "Done.",
            {"role": "judge", "text": verdict("continue", "Say what.")},
            "It is 4.",
            {"role": "judge", "text": verdict("done")},
        ],
        execution={"loop_until_done": True, "done_sentinel": False, "verify_completion_judge": True},
    )

    result = await run(path, on_event=events.append)

    assert (result.status, result.stop_reason, result.text) == ("done", "natural", "It is 4.")
    assert (result.llm.iterations, result.llm.provider_calls, result.llm.judge_calls) == (2, 4, 2)
    assert result.as_json()["completion_judge"] == {
        "invocations": 2,
        "vetoes": 1,
        "max_invocations": 5,
        "cap_reached": False,
    }
    assert result.turn_end_condition is None
    assert [decision["verdict"] for decision in heard(events, "judge_decision")] == ["continue", "done"]
    assert result.visible_text == "Done.\n\nIt is 4."


async def test_a_judge_can_have_a_model_of_its_own(spec):
    own = {
        "provider": "script",
        "model": "strict",
        "options": {"turns": [verdict("continue", "More."), verdict("done")]},
    }
    path = spec(
        ["Done.", "Done now."], execution={"loop_until_done": True, "done_sentinel": False, "turn_end_condition": own}
    )
    events: list = []

    result = await run(path, on_event=events.append)

    assert result.status == "done"
    assert result.turn_end_condition["invocations"] == 2
    routes = [event["route"] for event in heard(events, "model_call")]
    assert [route.partition(":")[2] for route in routes] == ["script", "strict", "script", "strict"]


async def test_a_script_answers_for_every_judge(spec, tmp_path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps(["Done.", {"role": "judge", "text": verdict("done")}]))
    own = {"provider": "openai", "model": "some-model"}
    path = spec([], execution={"loop_until_done": True, "done_sentinel": False, "verify_completion_judge": own})

    result = await run(path, script=script)

    assert result.status == "done"


async def test_a_judge_without_its_key_is_refused_before_anything_starts(spec, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    path = spec(["Done."], execution={"loop_until_done": True, "verify_completion_judge": {"provider": "openai"}})

    with pytest.raises(Unavailable, match=r"`execution.verify_completion_judge`: no key"):
        await run(path)
    assert not (tmp_path / ".agentspec").exists()


async def test_a_judge_that_is_turned_away_for_a_moment_is_asked_again(spec):
    busy = {"role": "judge", "error": {"status": 429, "message": "busy"}}
    turns = ["Done.", busy, busy, {"role": "judge", "text": verdict("done")}]
    path = spec(
        [],
        model={"provider": "script", "options": {"turns": turns}, "retry": {"base": "1ms"}},
        execution={"loop_until_done": True, "done_sentinel": False, "verify_completion_judge": True},
    )

    result = await run(path)

    assert (result.status, result.llm.judge_calls, result.completion_judge["invocations"]) == ("done", 3, 1)


async def test_a_judge_that_takes_too_long_is_no_consent(spec):
    path = spec(
        ["Done.", {"role": "judge", "text": verdict("done"), "delay": "5s"}],
        execution={
            "loop_until_done": True,
            "done_sentinel": False,
            "turn_end_condition": {"operation_timeout": "50ms", "on_error": "unverified"},
        },
    )

    result = await run(path)

    assert (result.status, result.stop_reason) == ("completion_unverified", "judge_timeout")
    assert result.terminal.kind == "completion_unverified"


EVERYTHING = {
    "loop_until_done": True,
    "require_successful_tools": ["write"],
    "require_artifacts": ["report.md"],
    "verify_completion": [{"when": "answer == ''", "veto": "Speak."}, {"command": ["cat", "report.md"]}],
    "verify_completion_judge": True,
    "turn_end_condition": {"cadence": {"when": "iteration > 1"}},
    "step_judge": True,
    "input_guardrail": {"when": "task.contains('delete')", "judge": True},
    "post_turn": [{"when": "turn.tool_call_count > 0 && text == ''", "message": "Now say what you did."}],
    "terminal": [{"when": "text.size() < 10", "message": "Say more."}],
}
EVERY_TURN = [
    {"role": "judge", "match": "*<user>*", "text": json.dumps({"tripwire": False, "reason": "", "confidence": 1})},
    call("write"),
    {"role": "judge", "match": "*<step>*", "text": json.dumps({"verdict": "pass", "detail": ""})},
    "Done.",
    {"role": "judge", "match": "*<step>*", "text": json.dumps({"verdict": "pass", "detail": ""})},
    {"role": "judge", "match": "*<proposed_answer>*", "text": verdict("done")},
    {"role": "judge", "match": "*<proposed_answer>*", "text": verdict("done")},
    "The report is written.",
    {"role": "judge", "match": "*<step>*", "text": json.dumps({"verdict": "pass", "detail": ""})},
    {"role": "judge", "match": "*<proposed_answer>*", "text": verdict("done")},
    {"role": "judge", "match": "*<proposed_answer>*", "text": verdict("done")},
]


async def test_every_gate_of_one_run_is_asked_in_order_and_the_run_replays(spec, tmp_path):
    events: list = []
    path = spec(EVERY_TURN, execution=EVERYTHING, capability={"tools": WRITE})

    result = await run(path, on_event=events.append)

    assert (result.status, result.stop_reason) == ("done", "required_tools_satisfied")
    assert result.text == "The report is written."
    assert result.llm.judge_calls == 8
    asked = [event["asker"] for event in heard(events, "model_call") if event.get("role") == "judge"]
    assert asked == [
        "input_guardrail",
        "step_judge",
        "step_judge",
        "verify_completion_judge",
        "turn_end_condition",
        "step_judge",
        "verify_completion_judge",
        "turn_end_condition",
    ]
    assert (await replay(result.run_id, project=tmp_path)).same_version


async def test_a_judge_that_was_asked_when_the_run_was_stopped_is_asked_again(spec, tmp_path):
    answered = asyncio.Event()
    path = spec(
        ["Done.", {"role": "judge", "text": verdict("done"), "delay": "200ms"}],
        execution={"verify_completion_judge": True},
    )
    going = asyncio.create_task(
        run(path, on_event=lambda event: answered.set() if event["kind"] == "model_call" else None)
    )
    await answered.wait()
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    (tmp_path / "s.json").unlink()  # the run has kept all that it needs

    run_id = next(iter(list_runs(tmp_path)))
    result = await resume(run_id, project=tmp_path)

    assert (result.status, result.completion_judge["invocations"]) == ("done", 1)


async def test_a_guard_refuses_a_task_before_any_work(spec):
    path = spec([], execution={"input_guardrail": {"when": "task.contains('go')", "reason": "no going"}})

    result = await run(path)

    assert (result.status, result.stop_reason, result.llm.provider_calls) == ("input_guardrail", "tripwire", 0)
    assert (result.terminal.kind, result.error.message) == ("policy_guardrail", "no going")


async def test_a_rule_of_turns_binds_the_next_request_to_a_tool():
    server_calls = calls(("c1", "write", "{}"))
    async with Loopback([server_calls, says("Done.")]) as server:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "s.json"
            rule = {"when": "turn.tool_call_count > 0", "claim_tool": "write", "next_options": {"temperature": 0.5}}
            values = {
                "name": "s",
                "task": "go",
                "model": {"provider": "openai", "model": "m", "base_url": server.url, "stream": False},
                "execution": {"post_turn": [rule]},
                "capability": {"tools": {"write": {"description": "W", "expr": "'x'"}}},
            }
            path.write_text(json.dumps(values))
            result = await run(path)

    assert result.status == "done"
    assert "tool_choice" not in server.asked[0].json
    assert server.asked[1].json["tool_choice"] == {"type": "function", "function": {"name": "write"}}
    assert server.asked[1].json["temperature"] == 0.5


async def test_the_preset_that_has_its_answer_judged_goes_on_after_a_veto(tmp_path):
    path = tmp_path / "v.yaml"
    turns = [
        "It holds.",
        {"role": "judge", "text": verdict("continue", "Say why.")},
        "It holds, since 2 + 2 is 4.",
        {"role": "judge", "text": verdict("done")},
    ]
    values = {"name": "v", "task": "go", "extends": "verify"}
    values["model"] = {"provider": "script", "options": {"turns": turns}}
    path.write_text(json.dumps(values))

    result = await run(path)

    assert (result.status, result.text) == ("done", "It holds, since 2 + 2 is 4.")
    assert result.turn_end_condition["vetoes"] == 1


DSL = """
agent checked {
  task: "go"
  model {
    provider: script
    options {
      turns: [
        "Done.",
        { tool_calls: [ { name: write, arguments: {} } ] },
        "It is written.",
        "It is written in report.md."
      ]
    }
  }
  execution {
    loop_until_done: true
    max_nudges: 0
    verify_completion {
      when !('write' in session.successful_tool_names) => veto "Write it first."
      when answer.contains('report') => accept
    }
    post_turn {
      when turn.tool_call_count > 0 => message "Say where."
    }
    terminal {
      when !text.contains('report.md') => message "Name the file." { feedback_kind: form }
    }
  }
  capability {
    tool write() = 'written'
  }
}
"""


async def test_rules_are_the_same_in_the_other_spelling(tmp_path):
    path = tmp_path / "checked.agent"
    path.write_text(DSL)
    events: list = []

    result = await run(path, on_event=events.append)

    assert (result.status, result.text) == ("done", "It is written in report.md.")
    assert [event["kinds"] for event in heard(events, "feedback_composed")] == [
        ["veto"],
        ["post_turn"],
        ["form"],
    ]


async def test_functions_of_the_author_decide_where_they_are_allowed(spec, tmp_path):
    (tmp_path / "own_rules.py").write_text(
        "def check(state):\n"
        "    if 'because' not in state['answer']:\n"
        "        return {'veto': 'Say why.'}\n"
        "def guard(state):\n"
        "    return {'trip': True, 'reason': 'no'} if 'stop' in state['task'] else None\n"
    )
    path = spec(
        ["It is blue.", "It is blue because of the air."],
        execution={
            "done_sentinel": False,
            "verify_completion": [{"python": "own_rules:check"}],
            "input_guardrail": {"python": "own_rules:guard"},
        },
    )

    done = await run(path, allow_python=True)
    refused = await run(path, "stop here", allow_python=True)

    assert (done.status, done.text) == ("done", "It is blue because of the air.")
    assert (refused.status, refused.error.message) == ("input_guardrail", "no")


async def test_a_judge_of_the_runs_provider_asks_its_server_with_a_model_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-of-mine-0123456789")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    done = says(verdict("done"))
    async with Loopback([says("Done."), done]) as server:
        path = tmp_path / "s.json"
        model = {"model": "m", "base_url": server.url, "api_key_env": "MY_KEY", "stream": False}
        judge = {"provider": "openai", "model": "strict", "options": {"seed": 7}}
        values = {"name": "s", "task": "go", "model": model, "execution": {"verify_completion_judge": judge}}
        path.write_text(json.dumps(values))
        result = await run(path)

    assert result.status == "done"
    assert [(asked.json["model"], asked.json.get("seed")) for asked in server.asked] == [("m", None), ("strict", 7)]
    assert server.asked[1].headers["authorization"] == "Bearer sk-of-mine-0123456789"
    assert [message["role"] for message in server.asked[1].json["messages"]] == ["system", "user"]
    assert server.asked[1].json["response_format"]["json_schema"]["strict"] is True
