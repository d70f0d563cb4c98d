"""What a run leaves behind: `observability` adds to it, and takes out of all of it what is to be blanked."""

import asyncio
import json

import pytest

from agentspec import replay, resume, run_sync
from agentspec.errors import NotAllowed, ReplayDiverged, SpecInvalid

ADA, IBAN = "ada@example.org", "DE02120300000000202051"
KEY = "ghp_" + "0123456789" * 4
BLANKED = """
  redact: {patterns: ['[a-z]+@example\\.org'], keys: [iban]}
"""
ECHO = """
capability:
  tools:
    echo:
      parameters: {text: string, iban: string}
      expr: 'args.text + " " + "ghp_" + "0123456789012345678901234567890123456789"'
"""


def spec(folder, observability, sentence="hello"):
    call = {"name": "echo", "arguments": {"text": ADA, "iban": IBAN}}
    (folder / "turns.json").write_text(json.dumps([{"tool_calls": [call]}, {"text": f"told {ADA}"}]))
    path = folder / "a.yaml"
    path.write_text(
        f"name: a\ntask: write to {ADA}\nobservability: {observability}\ncontext: {{system: {sentence}}}{ECHO}"
    )
    return path


def go(path, **options):
    return run_sync(path, script=path.with_name("turns.json"), **options)


def test_what_is_to_be_blanked_stands_in_nothing_that_a_run_leaves_behind(tmp_path):
    path = spec(
        tmp_path, f"{BLANKED}  events: [{{jsonl: logs/events.jsonl}}]\n  transcript_dir: talk\n  trace: always\n"
    )
    heard = []

    result = go(path, on_event=heard.append, record=tmp_path / "rec.yaml")

    assert result.status == "done"
    assert result.text == "told [redacted]"
    written = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    del written[path], written[tmp_path / "turns.json"]
    everything = b"".join([*written.values(), json.dumps(heard).encode(), json.dumps(result.as_json()).encode()])
    assert [secret for secret in (ADA, IBAN, KEY) if secret.encode() in everything] == []
    assert {file.parent.name for file in written} >= {"logs", "talk", ".agentspec"}
    assert asyncio.run(replay(result.run_id, project=tmp_path)).same_version


def test_a_file_of_events_has_what_is_numbered_and_grows_from_run_to_run(tmp_path):
    path = spec(tmp_path, "{events: [{jsonl: logs/events.jsonl}]}")

    runs = [go(path).run_id for _ in range(2)]

    lines = [json.loads(line) for line in (tmp_path / "logs/events.jsonl").read_text().splitlines()]
    assert [line["run_id"] for line in lines if line["kind"] == "run_finished"] == runs
    assert [line["seq"] for line in lines if line["run_id"] == runs[1]] == list(range(1, len(lines) // 2 + 1))


def test_events_can_go_to_standard_error(tmp_path, capsys):
    go(spec(tmp_path, "{events: [stderr]}"))

    assert json.loads(capsys.readouterr().err.splitlines()[-1])["kind"] == "run_finished"


def test_a_transcript_has_one_line_a_message(tmp_path):
    run_id = go(spec(tmp_path, "{transcript_dir: talk}")).run_id

    lines = [json.loads(line) for line in (tmp_path / f"talk/{run_id}.jsonl").read_text().splitlines()]
    assert [line["role"] for line in lines] == ["system", "user", "assistant", "tool_result", "assistant"]
    assert lines[0] == {"role": "system", "content": "hello"}
    assert lines[3]["call_id"] == lines[2]["tool_calls"][0]["id"]


def test_a_transcript_has_what_the_model_saw(tmp_path):
    path = spec(tmp_path, "{transcript_dir: talk}")
    hides = '{filter: [{when: message.tool == "echo", replace: hidden}], system: hello}'
    path.write_text(path.read_text().replace("{system: hello}", hides))

    run_id = go(path).run_id

    lines = [json.loads(line) for line in (tmp_path / f"talk/{run_id}.jsonl").read_text().splitlines()]
    assert [line["content"] for line in lines if line["role"] == "tool_result"] == ["hidden"]


@pytest.mark.parametrize(("trace", "asked", "has"), [("always", False, True), ("on_failure", False, False)])
def test_a_trace_stands_in_the_result_as_the_spec_wants_it(tmp_path, trace, asked, has):
    assert (go(spec(tmp_path, f"{{trace: {trace}}}"), trace=asked).trace is not None) is has


@pytest.mark.parametrize(
    ("trace", "asked", "has"), [("never", False, False), ("never", True, True), ("on_failure", False, True)]
)
def test_a_run_that_fails_tells_its_trace_unless_it_is_never_wanted(tmp_path, trace, asked, has):
    path = spec(tmp_path, f"{{trace: {trace}}}")
    (tmp_path / "turns.json").write_text("[]")

    assert (go(path, trace=asked).trace is not None) is has


def test_every_decision_is_kept_where_it_is_wanted(tmp_path):
    path = spec(tmp_path, "{decisions: true}")
    (tmp_path / "turns.json").write_text(
        json.dumps([{"tool_calls": [{"name": "echo", "arguments": {"text": "a", "iban": "b"}}]}] * 9)
    )

    result = go(path)

    assert result.status == "stuck"
    assert {decision["kind"] for decision in result.decisions} >= {"stall_warning", "feedback_composed"}


@pytest.mark.parametrize("key", ["events: [{jsonl: a.yaml/x}]", "transcript_dir: a.yaml"])
def test_what_cannot_be_written_is_told_once_and_ends_no_run(tmp_path, key):
    told = []

    result = go(spec(tmp_path, f"{{{key}}}"), on_notice=told.append)

    assert result.status == "done"
    assert [line for line in told if "can't be written" in line] == told[-1:]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("observability: {events: [{jsonl: a.yaml}]}", "a.yaml"),
        ("observability: {events: [{jsonl: .agentspec/runs.db}]}", ".agentspec/runs.db"),
        ("capability: {middleware: [audit_log, {audit_log: {path: notes.py}}]}", "notes.py"),
        ("observability: {transcript_dir: .agentspec}", ".agentspec/run.jsonl"),
    ],
)
def test_nothing_is_written_over_a_file_of_another_kind(tmp_path, key, name):
    (tmp_path / "notes.py").write_text("print(1)\n")
    (tmp_path / "turns.json").write_text("[]")
    path = tmp_path / "a.yaml"
    path.write_text(f"name: a\ntask: hi\n{key}\n")

    with pytest.raises(SpecInvalid) as refused:
        go(path)

    (finding,) = refused.value.diagnostics
    assert (finding.code, finding.message.partition(" is ")[0]) == ("AS727", f"`{name}`")
    assert not (tmp_path / ".agentspec").exists()


def test_a_file_that_came_to_be_since_is_spared_when_a_run_goes_on(tmp_path):
    run_id = go(spec(tmp_path, "{events: [{jsonl: later.py}]}")).run_id
    (tmp_path / "later.py").write_text("print(1)\n")

    with pytest.raises(NotAllowed, match=r"`.*later.py` is there and is no file of events"):
        asyncio.run(resume(run_id, project=tmp_path, message="again"))

    assert (tmp_path / "later.py").read_text() == "print(1)\n"


def test_a_run_whose_first_words_were_blanked_goes_on(tmp_path):
    path = spec(tmp_path, BLANKED, sentence=f"you write to {ADA}")
    run_id = go(path).run_id

    going_on = resume(run_id, project=tmp_path, message="again")

    assert asyncio.run(going_on).status == "done"


WAITS = """
name: ref
task: use the model name
capability:
  toolkits: [ask_user]
  tools:
    echo: {parameters: {name: string}, expr: 'args.name + " values"'}
"""


@pytest.mark.parametrize("pattern", ["values", "[a-z]+", r"\S+", ".*", "name|question"])
def test_a_pattern_blanks_what_is_said_and_never_what_it_is_called(tmp_path, pattern):
    path = tmp_path / "a.yaml"
    path.write_text(f"{WAITS}observability: {{redact: {{patterns: [{json.dumps(pattern)}], keys: [name]}}}}\n")
    said = "which name question values"
    echo = {"id": "one", "name": "echo", "arguments": {"name": said}}
    ask = {"id": "two", "name": "ask_user", "arguments": {"question": said}}
    (tmp_path / "turns.json").write_text(json.dumps([{"tool_calls": [echo]}, {"tool_calls": [ask]}, {"text": said}]))

    waiting = go(path)
    replayed = asyncio.run(replay(waiting.run_id, project=tmp_path))
    ended = asyncio.run(resume(waiting.run_id, project=tmp_path, answers={"two": said}))

    (pending,) = waiting.handle["pending"]
    question = pending["arguments"].pop("question")
    assert pending == {"what": "question", "call_id": "two", "name": "ask_user", "arguments": {}}
    assert replayed.same_version
    assert ended.status == "done"
    assert all("[redacted]" in text and said not in text for text in (question, ended.text))
    everything = b"".join(file.read_bytes() for file in (tmp_path / ".agentspec").rglob("*") if file.is_file())
    assert said.encode() not in everything


TALKS = """
name: seeded
description: for zoe
task: go on
model: {provider: script}
execution:
  max_nudges: 3
  nudge: zoe, go on
  output: {schema: {type: object, properties: {who: {type: string, description: zoe}}, required: [who]}}
capability:
  tools:
    echo: {description: echoes for zoe, parameters: {description: string}, expr: 'args.description + "!"'}
context:
  reminders: [zoe is near, {text: "zoe is far", when: "iteration >= 0"}]
  history:
    - {role: user, content: I am zoe}
    - {role: assistant, content: hello zoe, tool_calls: [{id: one, name: echo, arguments: {description: zoe}}]}
    - {role: tool_result, call_id: one, content: zoe!}
    - {role: assistant, content: that was zoe}
"""


@pytest.mark.parametrize("pattern", ["zoe", "[a-z]+", "script|zoe|echo|native", r"\S+", "string|object|zoe"])
def test_whatever_is_said_is_blanked_and_no_setting_is(tmp_path, pattern):
    path = tmp_path / "a.yaml"
    path.write_text(f"{TALKS}observability: {{redact: {{patterns: [{json.dumps(pattern)}]}}}}\n")
    (tmp_path / "turns.json").write_text(json.dumps([{"text": '{"who": "zoe"}'}, {"text": '{"who": "zoe"}'}]))
    heard = []

    result = go(path, on_event=heard.append)
    replayed = asyncio.run(replay(result.run_id, project=tmp_path))
    again = asyncio.run(resume(result.run_id, project=tmp_path, message="zoe again"))

    assert (result.status, result.output, replayed.same_version) == ("done", {"who": "[redacted]"}, True)
    assert again.status == "done"
    kept = b"".join(file.read_bytes() for file in (tmp_path / ".agentspec").rglob("*") if file.is_file())
    said = kept.replace(json.dumps(pattern)[1:-1].encode(), b"")
    assert [said[max(0, at - 60) : at + 9] for at in (said.find(b"zoe"),) if at >= 0] == []
    assert "zoe" not in json.dumps([heard, again.as_json()])


def test_a_replay_that_decides_otherwise_names_what_was_blanked(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(
        "name: a\ntask: hi\nexecution: {verify_completion: [{when: 'answer == \"zoe 12\"', veto: no}]}\n"
        "observability: {redact: {patterns: ['zoe [0-9]+']}}\n"
    )
    (tmp_path / "turns.json").write_text(json.dumps([{"text": "zoe 7"}]))
    run_id = go(path).run_id

    with pytest.raises(ReplayDiverged, match=r"; `execution.verify_completion.when` is blanked in the journal"):
        asyncio.run(replay(run_id, project=tmp_path))
