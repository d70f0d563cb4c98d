"""`agentspec run` from outside: what it reads, what it prints where, and how it exits."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT
from tests.sample import fast_first
from tests.servers.background import calls, says, serving
from tests.servers.loopback import DONE, piece, response, stream, usage_piece

SPEC = """\
name: reader
task: What is here?
model:
  provider: script
  options:
    turns:
      - tool_calls: [{name: list_directory, arguments: {path: docs}, id: c1}]
      - text: One note.
capability:
  toolkits: [files.read]
"""
ANSWERS = "name: a\nmodel: {provider: script, options: {turns: [hello]}}\n"
RESULT = {
    "run_id",
    "session_id",
    "spec",
    "status",
    "stop_reason",
    "terminal",
    "text",
    "visible_text",
    "output",
    "output_valid",
    "llm",
    "tools",
    "adaptive_budget",
    "completion_judge",
    "turn_end_condition",
    "stall",
    "compactions",
    "missing_required_tools",
    "declared_artifacts",
    "error",
    "handle",
    "wrapped_up",
    "stopped_by",
    "trace",
    "decisions",
}
LLM = {
    "iterations",
    "provider_calls",
    "judge_calls",
    "duration_ms",
    "input_tokens",
    "output_tokens",
    "cached_input_tokens",
    "reasoning_tokens",
    "cost_usd",
    "usage_estimated",
}


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "AGENTSPEC_HOME", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "note.txt").write_text("hi")
    (tmp_path / "reader.yaml").write_text(SPEC)
    (tmp_path / "a.yaml").write_text(ANSWERS)
    return tmp_path


def at(url: str, **model: object) -> str:
    settings = {"provider": "openai", "model": "m-1", "base_url": url, "retry": False, **model}
    return f"name: s\ntask: go\nmodel: {json.dumps(settings)}\ncapability: {{toolkits: [files.read]}}\n"


def events_of(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


# --- what is printed where


def test_stdout_has_the_text_alone_and_stderr_a_line_a_turn(agentspec):
    done = agentspec("run", "reader.yaml")

    assert (done.code, done.out) == (0, "One note.\n")
    turns = [line.split(" · ")[0] for line in done.err.splitlines()]
    assert turns[:2] == ["turn 1: list_directory", "turn 2: answer"]
    assert turns[2].startswith("done (completed) after 2 turns, 1 tool call, ")


def test_quiet_says_nothing_but_how_a_run_ended_that_is_not_done(agentspec):
    assert agentspec("run", "reader.yaml", "--quiet") == (0, "One note.\n", "")
    stopped = agentspec("run", "reader.yaml", "--quiet", "--set", "execution.max_iterations=1")

    assert (stopped.code, stopped.out) == (1, "One note.\n")
    assert stopped.err.startswith("budget_exhausted (max_iterations) after 2 turns, 1 tool call, ")
    assert stopped.err.endswith("  1 turn\n  the bound is `execution.max_iterations` (--set)\n")


def test_json_is_the_result_with_every_field(agentspec):
    done = agentspec("run", "reader.yaml", "--json")

    result = json.loads(done.out)
    assert set(result) == RESULT
    assert set(result["llm"]) >= LLM
    assert result["llm"]["provider"] == "script"
    assert result["terminal"] == {
        "kind": "natural",
        "reason": "completed",
        "owner": "agent",
        "lifecycle_state": "completed",
        "run_record_status": "completed",
    }
    assert (result["text"], result["tools"]["calls"], result["trace"]) == ("One note.", ["list_directory"], None)


def test_a_run_that_is_not_done_brings_its_trace_and_its_bound(agentspec):
    result = json.loads(agentspec("run", "reader.yaml", "--json", "--set", "execution.max_iterations=1").out)

    assert (result["status"], result["stopped_by"], result["wrapped_up"]) == (
        "budget_exhausted",
        {"limit": "execution.max_iterations", "detail": "1 turn", "file": "--set"},
        True,
    )
    assert [step["kind"] for step in result["trace"]] == ["turn", "call", "result", "turn"]


def test_the_trace_is_given_where_it_is_asked_for(agentspec):
    trace = json.loads(agentspec("run", "reader.yaml", "--json", "--trace").out)["trace"]

    assert trace[1] == {"kind": "call", "id": "c1", "name": "list_directory", "arguments": {"path": "docs"}}
    assert trace[2] == {
        "kind": "result",
        "id": "c1",
        "name": "list_directory",
        "status": "ok",
        "text": "note.txt  2 bytes",
    }


def test_events_are_json_lines_numbered_without_gaps(agentspec, project):
    agentspec("run", "reader.yaml", "--events", "events.jsonl")

    events = events_of((project / "events.jsonl").read_text())
    stored = [event for event in events if event["seq"] is not None]
    assert [event["seq"] for event in stored] == list(range(1, len(stored) + 1))
    assert [event["kind"] for event in stored] == [
        "run_started",
        "turn_started",
        "model_call",
        "tool_call",
        "tool_result",
        "turn_started",
        "model_call",
        "run_finished",
    ]
    assert {event["kind"] for event in events if event["seq"] is None} == {"text_delta", "tool_call_delta"}
    assert all({"run_id", "seq", "ts", "kind"} <= set(event) for event in events)
    assert "".join(event["text"] for event in events if event["kind"] == "text_delta") == "One note."
    assert (stored[2]["route"], stored[2]["attempt"], stored[2]["error_class"]) == ("script:script", 1, None)
    assert (stored[4]["call_id"], stored[4]["status"]) == ("c1", "ok")
    assert (stored[-1]["status"], stored[-1]["stop_reason"]) == ("done", "completed")


def test_a_call_that_was_refused_has_its_result_in_the_events(agentspec, project):
    turns = [{"tool_calls": [{"name": "frob", "arguments": {}, "id": "x"}]}, "hello"]
    (project / "turns.json").write_text(json.dumps(turns))

    out = agentspec("run", "reader.yaml", "--script", "turns.json", "--events", "-").out

    results = [event for event in events_of(out) if event["kind"] == "tool_result"]
    assert [(event["call_id"], event["name"], event["status"]) for event in results] == [("x", "frob", "unknown_tool")]


def test_events_on_stdout_leave_no_room_for_anything_else(agentspec):
    done = agentspec("run", "reader.yaml", "--events", "-")

    assert [event["kind"] for event in events_of(done.out)][-1] == "run_finished"
    refused = agentspec("run", "reader.yaml", "--events", "-", "--json")
    message = "`--json` and `--events -` both write to standard output: give `--events` a file"
    error = {"category": "usage", "message": message, "help": "see `agentspec run --help`"}
    assert (refused.code, json.loads(refused.out)) == (2, {"error": error, "diagnostics": []})
    assert refused.err == f"agentspec: {message}\n  see `agentspec run --help`\n"


def test_a_file_of_events_is_replaced_only_by_a_run_that_begins(agentspec, project):
    old = '{"run_id": "old", "seq": 1, "ts": 1.0, "kind": "run_started"}\n'
    (project / "events.jsonl").write_text(old)
    (project / "bad.yaml").write_text("name: a\nmodl: 1\n")

    assert agentspec("run", "bad.yaml", "go", "--events", "events.jsonl").code == 2
    assert (project / "events.jsonl").read_text() == old
    assert agentspec("run", "bad.yaml", "go", "--events", "new.jsonl").code == 2
    assert not (project / "new.jsonl").exists()
    assert agentspec("run", "reader.yaml", "--events", "events.jsonl").code == 0
    assert "old" not in (project / "events.jsonl").read_text()


def test_a_run_goes_on_where_its_events_cannot_be_written_any_more(agentspec):
    done = agentspec("run", "reader.yaml", "--events", "/dev/full")

    assert (done.code, done.out) == (0, "One note.\n")
    assert "the events are not written any more: No space left on device\n" in done.err


@pytest.mark.slow
def test_what_a_function_or_its_programs_print_is_no_answer(process, tmp_path):
    (tmp_path / "acme.py").write_text(
        "import subprocess\ndef look(text):\n    print('printed')\n"
        "    subprocess.run(['echo', 'echoed'], check=True)\n    return text\n"
    )
    (tmp_path / "a.yaml").write_text(
        "name: a\ntask: hi\ncapability: {tools: {look: {description: Looks., parameters: {text: string}, "
        "python: 'acme:look'}}}\n"
    )
    (tmp_path / "turns.json").write_text(
        json.dumps([{"tool_calls": [{"name": "look", "arguments": {"text": "x"}}]}, {"text": "done"}])
    )
    words = ("-m", "agentspec", "run", "a.yaml", "--script", "turns.json", "--allow-python")

    plain, as_json = process(*words), process(*words, "--json")

    assert (plain.code, plain.out) == (0, "done\n")
    assert json.loads(as_json.out)["tools"]["successful"] == ["look"]
    assert [word for word in ("printed", "echoed") if word not in as_json.err] == []


# --- what keeps a run from starting


@pytest.mark.parametrize(
    ("words", "category", "message"),
    [
        (["nope.yaml"], "not_found", "no such file: `nope.yaml`"),
        (["docs"], "not_found", "`docs` is a folder; name a file in it"),
        (["reader.yaml", "--script", "nope.yaml"], "usage", "`--script`: no such file: `nope.yaml`"),
        (["reader.yaml", "--task-file", "docs"], "usage", "`--task-file`: `docs` is a folder"),
        (["reader.yaml", "--events", "docs"], "usage", "`--events`: `docs` is a folder: name a file"),
        (
            ["reader.yaml", "--events", "reader.yaml"],
            "usage",
            "`--events`: `reader.yaml` is there and is no file of events: name a new file, or an older file of events",
        ),
        (["reader.yaml", "--record", "no/r.yaml"], "not_allowed", None),
        (
            ["reader.yaml", "--record", "reader.yaml"],
            "not_allowed",
            "`reader.yaml` is there and is no scenario: name a new file, or an older scenario",
        ),
        (["reader.yaml", "--jsn"], "usage", None),
        (
            ["reader.yaml", "--identity", "ada"],
            "usage",
            "`--identity ada`: write it as `user=ada,roles=admin+ops,tenant=t1`",
        ),
        (["reader.yaml", "--model", "opnai:x"], "spec_invalid", None),
        (["reader.yaml", "--model", "openai:x"], "unavailable", None),
        (["reader.yaml", "--set", "execution.max_iteratons=3"], "spec_invalid", None),
        (["reader.yaml", "--input", "x=1"], "spec_invalid", None),
        (["a.yaml", " "], "usage", "no task: give TASK, `-` or `--task-file`, or write `task:` in the spec"),
        (["a.yaml", "x", "--task-file", "a.yaml"], "usage", "give TASK or `--task-file`, not both"),
    ],
)
def test_what_keeps_a_run_from_starting_is_told_to_people_and_programs(agentspec, project, words, category, message):
    done = agentspec("run", *words, "--json")

    told = json.loads(done.out)
    assert (done.code, set(told)) == (2, {"error", "diagnostics"})
    assert told["error"]["category"] == category
    assert message is None or told["error"]["message"] == message
    assert done.err.startswith(f"agentspec: {told['error']['message']}\n")
    assert "Traceback" not in done.err
    assert not (project / ".agentspec").exists()


def test_findings_are_told_to_programs_as_check_tells_them(agentspec, project):
    (project / "bad.yaml").write_text("name: a\nmodl: 1\n")

    run = json.loads(agentspec("run", "bad.yaml", "go", "--json").out)
    check = json.loads(agentspec("check", "bad.yaml", "--format", "json").out)

    assert run["diagnostics"] == check["diagnostics"]
    assert run["error"]["message"] == "`bad.yaml` does not check: 1 error"


# --- the task


def test_the_task_comes_from_an_argument_a_file_a_pipe_or_the_spec(agentspec, project, monkeypatch):
    (project / "task.txt").write_bytes(b"\xef\xbb\xbffrom a file\n")

    def task(*words: str, piped: bytes = b"") -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped)))
        return events_of(agentspec("run", *words, "--events", "-").out)[0]["task"]

    assert task("reader.yaml") == "What is here?"
    assert task("reader.yaml", "given") == "given"
    assert task("reader.yaml", "--task-file", "task.txt") == "from a file\n"
    assert task("reader.yaml", "-", piped=b"piped") == "piped"
    assert task("a.yaml", piped="gepipt: ü".encode()) == "gepipt: ü"


@pytest.mark.parametrize(
    ("words", "piped", "message"),
    [
        (["a.yaml"], b"", "no task: give TASK, `-` or `--task-file`, or write `task:` in the spec"),
        (["a.yaml", "-"], b" \n", "no task: give TASK, `-` or `--task-file`, or write `task:` in the spec"),
        (["a.yaml", "-"], b"a\xff", "the task in standard input is not UTF-8 text (byte 2)"),
    ],
)
def test_without_a_task_nothing_starts(agentspec, project, monkeypatch, words, piped, message):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped)))

    done = agentspec("run", *words)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"agentspec: {message}\n")
    assert not (project / ".agentspec").exists()


def test_a_task_that_is_no_text_is_shown_with_marks(agentspec):
    done = agentspec("run", "a.yaml", "x\udcff", "--events", "-")

    assert (done.code, events_of(done.out)[0]["task"]) == (0, "x\ufffd")


# --- options


def test_inputs_and_overrides_reach_the_run(agentspec, project):
    (project / "b.yaml").write_text(
        "name: b\ninputs: {who: {type: string, default: Ada}}\n"
        "model: {provider: script, options: {turns: [hello]}}\ncontext: {system: 'For ${inputs.who}.'}\n"
    )

    done = agentspec("run", "b.yaml", "go", "--input", "who=Grace", "--set", "execution.max_iterations=7", "--json")
    journal = agentspec("runs", "export", json.loads(done.out)["run_id"]).out

    assert json.loads(done.out)["adaptive_budget"]["max"] == 7
    assert "For Grace." in journal


def test_the_store_is_beside_the_spec_unless_somebody_says_otherwise(agentspec, project, monkeypatch):
    agentspec("run", "a.yaml", "go")
    assert (project / ".agentspec" / "runs.db").is_file()

    agentspec("run", "a.yaml", "go", "--store", "kept")
    assert (project / "kept" / "runs.db").is_file()

    monkeypatch.setenv("AGENTSPEC_HOME", str(project / "home"))
    agentspec("run", "a.yaml", "go", "--session", "s-1")
    assert (project / "home" / "runs.db").is_file()
    [line] = json.loads(agentspec("runs", "list", "--format", "json").out)
    assert (line["session_id"], line["status"]) == ("s-1", "done")


def test_a_script_takes_the_place_of_the_provider_and_leaves_the_limits(agentspec, project):
    (project / "s.yaml").write_text(at("http://127.0.0.1:9", retry={"max_attempts": 2, "base": "1ms"}))
    (project / "turns.yaml").write_text("- error: {status: 503}\n- error: {status: 503}\n- text: late\n")

    result = json.loads(agentspec("run", "s.yaml", "--script", "turns.yaml", "--json").out)

    assert (result["status"], result["stop_reason"], result["llm"]["provider_calls"]) == (
        "provider_error",
        "server_error",
        2,
    )


def test_another_model_answers_where_that_is_asked_for(agentspec, project, monkeypatch):
    with serving(says("from the server")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        done = agentspec("run", "reader.yaml", "--model", "openai:other", "--json")

    assert json.loads(done.out)["text"] == "from the server"
    assert server.asked[0].json["model"] == "other"


def test_a_spec_that_names_no_provider_uses_the_one_that_is_configured_and_says_so(agentspec, project, monkeypatch):
    (project / "b.yaml").write_text("name: b\ntask: go\n")
    with serving(says("hi")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim-0123456789")
        done = agentspec("run", "b.yaml", "--json")

    result = json.loads(done.out)
    assert done.err.startswith("`openai` answers with `gpt-5.4-mini`: the spec names no provider\n")
    assert (result["llm"]["provider"], result["text"]) == ("openai", "hi")


def test_keys_that_nothing_acts_on_yet_are_told_once(agentspec, project):
    (project / "b.yaml").write_text(ANSWERS + "observability: {otel: true}\nlifecycle: {daemon: true}\n")

    said = agentspec("run", "b.yaml", "go").err

    line = "accepted, not yet in effect: `observability.otel`, `lifecycle.daemon`\n"
    assert said.startswith(line)
    assert said.count("not yet in effect") == 1


# --- a recorded run


def test_a_recorded_run_checks_and_answers_as_a_script(agentspec, project):
    turns = [
        {"tool_calls": [{"name": "read_file", "arguments": {"path": "docs/note.txt"}}, {"name": "frob", "arguments": "{"}]},
        {"error": {"status": 503, "message": "busy", "retry_after": "1ms"}},
        {"error": {"status": "connection", "message": "gone"}},
        {"text": "012", "usage": {"input_tokens": 7, "output_tokens": 1}},
    ]  # fmt: skip
    (project / "turns.json").write_text(json.dumps(turns))
    words = ("run", "reader.yaml", "--set", "model.retry.base=1ms", "--json", "--trace")

    first = agentspec(*words, "--script", "turns.json", "--record", "docs/it.scenario.yaml")
    again = agentspec(*words, "--script", "docs/it.scenario.yaml", "--record", "docs/again.scenario.yaml")

    assert agentspec("check", "docs/it.scenario.yaml").out == "no findings in 1 file\n"
    assert (project / "docs" / "again.scenario.yaml").read_text() == (project / "docs/it.scenario.yaml").read_text()
    ends = [json.loads(done.out) for done in (first, again)]
    assert [end["text"] for end in ends] == ["012", "012"]
    assert [step["text"] for step in ends[0]["trace"] if step["kind"] == "result"] == [
        step["text"] for step in ends[1]["trace"] if step["kind"] == "result"
    ]


def test_a_record_names_its_spec_task_results_and_end(agentspec, project):
    agentspec("run", "reader.yaml", "--record", "docs/it.scenario.yaml")

    assert (project / "docs" / "it.scenario.yaml").read_text() == (
        "scenario: a recorded run of reader\n"
        "for: ../reader.yaml\n"
        "task: What is here?\n"
        "\n"
        "model:\n"
        "  - tool_calls:\n"
        "      - {name: list_directory, arguments: {path: docs}, id: c1}\n"
        "  - text: One note.\n"
        "\n"
        "tool_results:\n"
        "  - {name: list_directory, arguments: {path: docs}, status: ok, text: note.txt  2 bytes}\n"
        "\n"
        "expect:\n"
        "  status: done\n"
        "  stop_reason: completed\n"
        "  tools: {calls: [list_directory], successful: [list_directory], rejected: []}\n"
        "  text: {equals: One note.}\n"
    )


# --- a real server


def test_a_run_against_a_server_reads_a_file_and_answers(agentspec, project, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim-0123456789")
    asked = ("c1", "read_file", '{"path": "docs/note.txt"}')
    answer = [
        stream(piece({"content": "It says "}), piece({"content": "hi."}), piece({}, "stop"), usage_piece(20, 4), DONE)
    ]
    with serving(calls(asked), answer) as server:
        (project / "s.yaml").write_text(at(server.url))
        done = agentspec("run", "s.yaml", "--json", "--events", "events.jsonl")

    result = json.loads(done.out)
    assert (done.code, result["text"], result["tools"]["successful"]) == (0, "It says hi.", ["read_file"])
    assert (result["llm"]["input_tokens"], result["llm"]["output_tokens"]) == (31, 9)
    assert server.asked[1].json["messages"][-1]["tool_call_id"] == "c1"
    assert "hi" in server.asked[1].json["messages"][-1]["content"]
    heard = [
        event["text"] for event in events_of((project / "events.jsonl").read_text()) if event["kind"] == "text_delta"
    ]
    assert heard == ["It says ", "hi."]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_server_that_fails_gives_its_class_and_exit_1(agentspec, project, streamed):
    with serving([response({"error": {"message": "no such model"}}, 404)]) as server:
        (project / "s.yaml").write_text(at(server.url, stream=streamed))
        done = agentspec("run", "s.yaml")

    assert (done.code, done.out) == (1, "")
    assert done.err.endswith(f"  openai `m-1` at 127.0.0.1:{server.port}: HTTP 404: no such model\n") or (
        "HTTP 404: no such model" in done.err
    )


# --- a process of its own


def on_a_terminal(project: Path, *words: str, **variables: str) -> tuple[int, str]:
    """The program with all its output on a terminal: exit code, and every byte that the terminal got."""
    main_end, its_end = os.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **variables}
    process = subprocess.Popen(
        [sys.executable, "-m", "agentspec", *words],
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=its_end,
        stderr=its_end,
        env=environment,
    )
    os.close(its_end)
    shown = b""
    try:
        while data := os.read(main_end, 65536):
            shown += data
    except OSError:  # the other end is closed
        pass
    os.close(main_end)
    return process.wait(), shown.decode()


def test_a_terminal_is_drawn_on(project):
    code, shown = on_a_terminal(project, "run", "reader.yaml")

    assert code == 0
    assert "turn 1: list_directory" in shown
    assert "One note.\r\n" in shown
    assert "\x1b[32m" in shown  # the last line is green


@pytest.mark.slow
def test_no_color_is_honoured_on_a_terminal(project):
    code, shown = on_a_terminal(project, "run", "reader.yaml", NO_COLOR="1")

    assert (code, "\x1b[32m" in shown) == (0, False)
    assert "done (completed) after 2 turns" in shown


@pytest.mark.parametrize("words", fast_first([(), ("--json",), ("--events", "-")]))
def test_a_terminal_is_never_steered_by_what_a_model_or_a_file_says(project, words):
    evil = "\x1b]0;owned\x07\x1b[2J\u202egnp\x9b31m"
    turns = [{"tool_calls": [{"name": f"frob{evil}", "arguments": f"{evil}"}], "text": evil}, {"text": f"end {evil}"}]
    (project / "turns.json").write_text(json.dumps(turns))

    code, shown = on_a_terminal(project, "run", "reader.yaml", "--script", "turns.json", *words)

    assert code == 0
    assert [mark for mark in ("\x1b]", "\x1b[2J", "\u202e", "\x07", "\x9b") if mark in shown] == []


def test_an_interrupt_stops_the_tool_prints_the_result_and_leaves_a_run_to_go_on_with(project):
    turns = [{"tool_calls": [{"name": "wait", "arguments": {}}]}, {"text": "over"}]
    spec = {"name": "w", "task": "go", "model": {"provider": "script", "options": {"turns": turns}}}
    tool = {"description": "waits", "run": ["sh", "-c", "echo up > up; exec sleep 60"]}
    (project / "w.json").write_text(json.dumps({**spec, "capability": {"tools": {"wait": tool}}}))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", "agentspec", "run", "w.json", "--json"],
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    while not (project / "up").exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)

    result = json.loads(out)
    assert (process.returncode, result["status"], result["stop_reason"]) == (130, "interrupted", "signal")
    assert result["handle"] == {"run_id": result["run_id"], "reason": "signal", "pending": []}
    assert err.decode().endswith(f"  go on with: agentspec resume {result['run_id']}\n")


def test_the_last_line_tells_how_much_of_what_was_sent_was_kept(agentspec, project):
    (project / "model.py").write_text(
        "import json, sys\nasked = json.load(sys.stdin)\nis_first = len(asked['messages']) == 1\n"
        "call = {'tool_calls': [{'name': 'list_directory', 'arguments': {}}]}\n"
        "print(json.dumps(call if is_first else {'text': 'Done.'}))\n"
    )
    model = {"provider": "process", "options": {"command": ["python3", "model.py"]}}
    (project / "s.yaml").write_text(
        f"name: s\ntask: go\nmodel: {json.dumps(model)}\ncapability: {{toolkits: [files.read]}}\n"
    )

    done = agentspec("run", "s.yaml")

    assert (done.code, done.out) == (0, "Done.\n")
    assert done.err.splitlines()[-1].endswith(" tokens, prefix 100 %")
