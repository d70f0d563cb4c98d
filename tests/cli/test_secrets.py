"""A planted key reaches no output, no error, no event, no journal, no artifact and no record, wherever it comes up."""

import json

import pytest

from tests.servers.background import calls, says, serving
from tests.servers.loopback import CLOSE, DONE, piece, response, stream

KEY = "sk-planted-0123456789abcdef"
TOKEN = "planted-team-token-0123456789"
PASSWORD = "planted-pass-word-0123"
END = says("end")


def plain(*scripts, **more):
    return scripts, more


READS = {"description": "R", "run": ["cat", "held.txt"]}
SITUATIONS = {
    "an error that repeats the key": plain([response({"error": {"message": f"bad key: {KEY}"}}, 401)]),
    "an HTML page that repeats the key": plain([response(f"<html><title>{KEY}</title></html>", 500)]),
    "an error in a stream": plain(
        [stream(f'event: error\ndata: {{"error":{{"message":"no: {KEY}"}}}}\n\n'.encode())], model={"stream": True}
    ),
    "a redirect": plain([response(b"", 302, {"location": f"https://x.example/{KEY}?k={KEY}"})]),
    "a request id": plain([response({"error": {"message": "no"}}, 400, {"x-request-id": KEY})]),
    "an answer that repeats the key": plain(says(f"You sent Bearer {KEY} to me.")),
    "a stream that repeats the key in pieces": plain(
        [stream(*(piece({"content": KEY[at : at + 5]}) for at in range(0, len(KEY), 5)), piece({}, "stop"), DONE)],
        model={"stream": True},
    ),
    "a cut stream that repeats the key": plain(
        [stream(piece({"content": f"so {KEY}"})), CLOSE], model={"stream": True}
    ),
    "a call with the key in it": plain(calls(("c1", "echo", json.dumps({"text": f"x {KEY}"}))), END),
    "a call of a tool named like the key": plain(calls(("c1", KEY, "{}")), END),
    "broken arguments with the key": plain(calls(("c1", "echo", f'{{"text": {KEY}')), END),
    "a tool that prints its environment": plain(calls(("c1", "env", "{}")), END),
    "a tool that reads a file with the key": plain(calls(("c1", "reads", "{}")), END),
    "a large output with the key": plain(calls(("c1", "reads", "{}")), END, execution={"tool_result_max": "1KiB"}),
    "a task with the key": plain(END, task=f"use {KEY}"),
    "a header from the environment that comes back": plain(
        says(f"x-team was {TOKEN}"), model={"headers": {"x-team": "${env.TEAM_ACCESS}"}}
    ),
    "a header that the spec spells out": plain(
        says(f"it was {TOKEN}"), model={"headers": {"Authorization": f"Bearer {TOKEN}"}}
    ),
    "a password in the address": plain(
        [response({"error": {"message": f"{PASSWORD} is wrong"}}, 401)], address=f"http://user:{PASSWORD}@"
    ),
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_key_shows_nowhere(agentspec, tmp_path, monkeypatch, situation):
    scripts, more = SITUATIONS[situation]
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("TEAM_ACCESS", TOKEN)
    (tmp_path / "held.txt").write_text(f"{KEY}\n" * (500 if "large" in situation else 1))
    tools = {
        "echo": {"description": "E", "parameters": {"text": "string"}, "run": ["printf", "%s", "${args.text}"]},
        "env": {"description": "E", "run": ["env"]},
        "reads": READS,
    }
    kept = tmp_path / "kept"

    with serving(*scripts) as server:
        url = server.url.replace("http://", more.get("address", "http://"))
        model = {"provider": "openai", "model": "m-1", "base_url": url, "stream": False, "retry": False}
        spec = {"name": "s", "task": "go", "model": model | more.get("model", {}), "capability": {"tools": tools}}
        spec["execution"] = {"max_iterations": 3, **more.get("execution", {})}
        (tmp_path / "s.json").write_text(json.dumps(spec))
        words = ("run", "s.json", more.get("task", "go"), "--store", str(kept))
        first = agentspec(*words, "--json", "--trace", "--events", "events", "--record", "record.yaml")
        second = agentspec(*words)

    assert first.code in (0, 1)
    shown = [first.out, first.err, second.out, second.err]
    shown += [agentspec("runs", "list", "--store", str(kept), "--format", "json").out]
    run_id = json.loads(first.out)["run_id"]
    shown += [agentspec("runs", word, run_id, "--store", str(kept)).out for word in ("show", "export")]
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name not in ("s.json", "held.txt")]
    sinks = {f"output {number}": text.encode() for number, text in enumerate(shown)}
    sinks |= {str(path.relative_to(tmp_path)): path.read_bytes() for path in files}
    assert {"events", "record.yaml", "kept/runs.db"} <= sinks.keys()
    assert [
        (sink, secret) for secret in (KEY, TOKEN, PASSWORD) for sink, held in sinks.items() if secret.encode() in held
    ] == []


def test_a_run_whose_spec_spelled_a_secret_out_cannot_go_on_and_says_why(agentspec, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = {"provider": "openai", "model": "m", "headers": {"X-Api-Key": TOKEN}, "retry": False}
    with serving(END) as server:
        (tmp_path / "s.json").write_text(json.dumps({"name": "s", "model": {**model, "base_url": server.url}}))
        run_id = json.loads(agentspec("run", "s.json", "go", "--json").out)["run_id"]
        again = agentspec("resume", run_id)

    assert again.code == 2
    assert again.err == (
        "agentspec: `model.headers.X-Api-Key` held a secret in the clear, or what `observability.redact` blanks, which is kept nowhere, so the run can't go on: "
        "write `${env.NAME}` in the spec and run it again\n"
    )
    assert agentspec("replay", run_id).code == 0
