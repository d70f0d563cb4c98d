"""Hostile text from models, tools, servers and file names: what a program reads stays valid, what people see is safe."""

import json

import pytest

from tests.servers.background import calls, says, serving
from tests.servers.loopback import DONE, completion, event, response, stream

EVIL = "\x1b]0;owned\x07\x1b[31m\u202egnp\u2066\x9b2J\x00\ufeff\u200b\r\b\x7f"
STEERING = ("\x1b", "\x07", "\u202e", "\u2066", "\x9b", "\x00", "\r", "\b")
LONE = (
    '{"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "a \\ud800 b"}}]}'
)
END = says("end")


def evil_calls():
    return calls(("c1", f"look{EVIL}", "{}"), ("c2", "echo", json.dumps({"text": EVIL})), (f"c{EVIL}", "echo", EVIL))


SITUATIONS = {
    "the text": [says(EVIL)],
    "a lone surrogate": [[response(LONE)]],
    "a lone surrogate in a stream": [
        [stream(event(b'{"choices":[{"index":0,"delta":{"content":"\\ud83d"},"finish_reason":"stop"}]}'), DONE)]
    ],
    "names, arguments and results": [evil_calls(), END],
    "the body of an error": [[response({"error": {"message": EVIL}}, 400)]],
    "the title of an HTML error": [[response(f"<html><title>{EVIL}</title>", 500)]],
    "the finish reason": [says("half", EVIL), END],
    "the model's name": [[response({**completion({"content": "x"}), "model": EVIL})]],
    "a refusal": [[response(completion({"content": None, "refusal": EVIL}))]],
    "a request id": [[response({"error": {"message": "no"}}, 400, {"x-request-id": "a\x1b[31m\x9b"})]],
}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_whatever_a_server_says_people_are_safe_and_programs_can_read_it(
    agentspec, tmp_path, monkeypatch, situation, streamed
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-geheim-0123456789")
    tool = {"description": "E", "parameters": {"text": "string"}, "run": ["printf", "%s", "${args.text}"]}
    with serving(*SITUATIONS[situation]) as server:
        model = {"provider": "openai", "model": "m", "base_url": server.url, "stream": streamed, "retry": False}
        spec = {"name": "s", "task": EVIL.replace("\x00", ""), "model": model, "capability": {"tools": {"echo": tool}}}
        (tmp_path / "s.json").write_text(json.dumps(spec))
        done = agentspec("run", "s.json", "--json", "--trace", "--events", "events")

    assert done.code in (0, 1)
    assert [mark for mark in STEERING if mark in done.err] == []
    result = json.loads(done.out)
    done.out.encode()
    events = [json.loads(line) for line in (tmp_path / "events").read_bytes().decode().split("\n")[:-1]]
    assert events[-1]["kind"] == "run_finished"
    assert agentspec("replay", result["run_id"]).code == 0
    shown = agentspec("runs", "show", result["run_id"])
    assert [mark for mark in STEERING if mark in shown.out + shown.err] == []
    assert all(json.loads(line) for line in agentspec("runs", "export", result["run_id"]).out.splitlines())


@pytest.mark.parametrize("name", ["\x1b[31m.yaml", "a\u202eb.yaml", "a\nb.yaml", "a'\"`$(x).yaml", "ü \U0001f600.yaml"])
def test_odd_file_names_are_files_like_any_other(agentspec, tmp_path, name):
    (tmp_path / name).write_text("name: a\ntask: go\nmodel: {provider: script, options: {turns: [hello]}}\n")
    (tmp_path / f"bad{name}").write_text("name: a\nmodl: 1\n")

    assert agentspec("run", name).out == "hello\n"
    refused = agentspec("run", f"bad{name}", "go")
    assert (refused.code, refused.out) == (2, "")
    assert [mark for mark in ("\x1b", "\u202e") if mark in refused.err] == []


SPEC = "name: a\ntask: go\nmodel: {provider: script, options: {turns: [hello]}}\n"


def test_a_folder_whose_name_is_no_text_is_refused_in_words(agentspec, tmp_path):
    folder = tmp_path / "f\udcff"
    folder.mkdir()
    (folder / "a.yaml").write_text(SPEC)

    done = agentspec("run", f"{folder.name}/a.yaml")

    said = f"agentspec: the path `{tmp_path}/f\ufffd` is not UTF-8; rename it\n"
    assert done == (2, "", said)


@pytest.mark.parametrize(
    "words",
    [
        ["f\udcff.yaml"],
        ["a.yaml", "--input", "who=\udcff"],
        ["a.yaml", "--set", "context.system=\udcff"],
        ["a.yaml", "--set", "description=\udcff"],
        ["a.yaml", "--session", "s\udcff"],
        ["a.yaml", "--script", "f\udcff.yaml"],
        ["a.yaml", "--store", "kept\udcff"],
        ["a.yaml", "--record", "r\udcff.yaml"],
        ["a.yaml", "--events", "e\udcff"],
        ["a.yaml", "--model", "script:\udcff"],
    ],
)
def test_words_of_the_command_line_that_are_no_text_are_no_bug(agentspec, tmp_path, words):
    (tmp_path / "a.yaml").write_text(
        SPEC + "inputs: {who: {type: string, default: x}}\ncontext: {system: '${inputs.who}'}\n"
    )
    (tmp_path / "f\udcff.yaml").write_text(SPEC)

    done = agentspec("run", *words, "--json")

    assert done.code in (0, 2)
    assert json.loads(done.out)
