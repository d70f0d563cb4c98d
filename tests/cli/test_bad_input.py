"""Bad input, named: what a person is told, how the program ends, and that nothing was lost or left behind."""

import json
import socket
import time

import pytest

from agentspec.adapters.models.providers import PROVIDERS
from tests.servers.background import calls, says, serving
from tests.servers.loopback import CLOSE, RESET, STALL, chunk, completion, piece, response, stream_head

KEY = "sk-geheim-0123456789"
END = says("end")


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AGENTSPEC_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "folder").mkdir()
    return tmp_path


# --- files

FILES = {
    "binary": (
        b"\x7fELF\x02\x01\x00\xd0\xff",
        "a.yaml:1:",
        "error[AS002]: the file is binary, not text: byte 0xD0 at offset 7 belongs to no character\n",
    ),
    "empty": (b"", "a.yaml", "error[AS018]: the file is empty\n"),
    "a list at the top": (b"- a\n- b\n", "a.yaml:1:1", "error[AS106]: expected a mapping of keys, found a list\n"),
    "an unknown key": (b"name: a\nmodle: {}\n", "a.yaml:2:1", "error[AS102]: unknown key `modle` in an agent\n"),
    "two of one name": (
        b"name: a\n---\nname: a\n",
        "a.yaml:3:7",
        "error[AS019]: two documents of this file are named `a`\n",
    ),
    "a section of a wrong type": (
        b"name: a\nexecution: 3\n",
        "a.yaml:2:12",
        "error[AS201]: expected a mapping, found the number `3`\n",
    ),
    "a key of a wrong type": (
        b"name: a\nexecution: {max_iterations: many}\n",
        "a.yaml:2:29",
        "error[AS201]: expected a whole number from 1, found the string `many`\n",
    ),
    "a wrong type further down": (
        b"name: a\nmodel: {retry: {max_attempts: [1]}}\n",
        "a.yaml:2:31",
        "error[AS201]: expected a whole number from 1, found a list\n",
    ),
    "a wrong type in a list": (
        b"name: a\ncapability: {toolkits: [3]}\n",
        "a.yaml:2:25",
        "error[AS204]: `3` is not a value of `toolkits`\n",
    ),
    "a wrong type in a tool": (
        b'name: a\ncapability: {tools: {x: {description: d, expr: "1", parameters: {a: 3}}}}\n',
        "a.yaml:2:69",
        "error[AS201]: expected a type such as `string`, `number?` or `string[]` or a mapping, found the number `3`\n",
    ),
    "an unknown provider": (
        b"name: a\nmodel: {provider: opnai}\n",
        "a.yaml:2:19",
        "error[AS801]: unknown provider `opnai`\n",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_is_no_spec_is_told_as_check_tells_it_and_starts_nothing(agentspec, project, case):
    content, place, message = FILES[case]
    (project / "a.yaml").write_bytes(content)

    run = agentspec("run", "a.yaml", "go")
    check = agentspec("check", "a.yaml")

    assert (run.code, run.out, check.code) == (2, "", 1)
    assert run.err.startswith("agentspec: `a.yaml` does not check: 1 error\n")
    for told in (run.err, check.out):
        assert f"{message} --> {place}" in told
    assert (project / "a.yaml").read_bytes() == content
    assert sorted(path.name for path in project.iterdir()) == ["a.yaml", "folder"]


BROKEN = {
    "no TOML": ("[check\n", "AS430", "cannot read `agentspec.toml`: Expected ']' at the end of a table declaration"),
    "an unknown key": ("[chek]\n", "AS431", "unknown key `chek` of `agentspec.toml`; did you mean `check`?"),
    "a wrong value": ("[check]\nstrict = 3\n", "AS432", None),
}


@pytest.mark.parametrize("words", [("check", "a.yaml"), ("run", "a.yaml", "--json"), ("plan", "a.yaml"), ("test", ".")])
@pytest.mark.parametrize("case", BROKEN)
def test_broken_settings_of_a_project_stop_every_command_that_goes_by_them(agentspec, project, case, words):
    text, code, message = BROKEN[case]
    (project / "agentspec.toml").write_text(text)
    (project / "a.yaml").write_text("name: a\ntask: hi\nmodel: {provider: script}\n")
    (project / "a.scenario.yaml").write_text("scenario: s\nfor: a.yaml\nmodel: [{text: hi}]\n")

    done = agentspec(*words)

    assert done.code == (2 if words[0] in ("run", "plan") else 1)
    told = done.out + done.err
    assert code in told
    assert "agentspec.toml" in told
    assert message is None or message in told
    assert not (project / ".agentspec" / "runs.db").exists()


def test_findings_of_a_run_stand_in_the_order_of_check(agentspec, project):
    (project / "a.yaml").write_text(
        "extends: nothing\nname: a\nexecution: {require_successful_tools: [nope], max_iterations: many}\nmodle: 1\n"
    )

    checked, run = agentspec("check", "a.yaml"), agentspec("run", "a.yaml", "hi")

    errors = [line for line in checked.out.splitlines() if line.startswith("error")]
    assert len(errors) > 2
    assert [line for line in run.err.splitlines() if line.startswith("error")] == errors


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.yaml", "agentspec: no such file: `none.yaml`\n"),
        ("folder", "agentspec: `folder` is a folder; name a file in it\n"),
        ("\x1b]0;x\x07.yaml", "agentspec: no such file: `\\x1b]0;x\\x07.yaml`\n"),
    ],
)
def test_a_path_that_is_no_file_is_named(agentspec, name, message):
    assert agentspec("run", name, "go") == (2, "", message)


# --- providers and keys

KEYS = " or ".join(f"`{key}`" for one in PROVIDERS.values() if one.is_chosen for key in one.key_variables)
OFFLINE = "`--script FILE` or `provider: script` runs without a network"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            "{}",
            f"no model provider is configured: set {KEYS}, or `OPENAI_BASE_URL` for a compatible server; {OFFLINE}",
        ),
        (
            "{provider: openai}",
            (
                "no key for the provider `openai`: set `OPENAI_API_KEY`, or `OPENAI_BASE_URL` for a compatible server; "
                f"{OFFLINE}"
            ),
        ),
        ("{provider: openai, api_key_env: MY_KEY}", f"no key for the provider `openai`: set `MY_KEY`; {OFFLINE}"),
        (
            "{base_url: 'http://h:1/v1', headers: {x-team: '${env.NOT_SET}'}}",
            "`model.headers.x-team` can't be filled in: the environment variable `NOT_SET` is not set",
        ),
        (
            "{provider: anthropic}",
            (
                "no key for the provider `anthropic`: set `ANTHROPIC_API_KEY`, or `ANTHROPIC_BASE_URL` for a "
                f"compatible server; {OFFLINE}"
            ),
        ),
        (
            "{provider: script}",
            "the provider `script` needs `turns` or `file` in `model.options`, or `--script FILE`",
        ),
    ],
)
def test_a_provider_that_is_not_configured_says_what_would_do(agentspec, project, model, message):
    (project / "a.yaml").write_text(f"name: a\nmodel: {model}\n")

    assert agentspec("run", "a.yaml", "go") == (2, "", f"agentspec: {message}\n")
    assert not (project / ".agentspec").exists()


# --- servers


def spec_for(project, url: str, **model: object) -> str:
    settings = {"provider": "openai", "model": "m-1", "base_url": url, "retry": False, "stream": False, **model}
    tool = {"description": "Looks", "parameters": {"key": "string"}, "expr": "args.key"}
    spec = {"name": "s", "task": "go", "model": settings, "capability": {"tools": {"look": tool}}}
    (project / "s.json").write_text(json.dumps(spec))
    return "s.json"


SERVERS = {
    "401": ([response({"error": {"message": f"bad key {KEY}"}}, 401)], "auth", "HTTP 401: bad key [redacted]"),
    "404": ([response({"error": {"message": "no such model"}}, 404)], "invalid_request", "HTTP 404: no such model"),
    "429": ([response({"error": {"message": "slow down"}}, 429)], "rate_limited", "HTTP 429: slow down"),
    "500": ([response({"error": {"message": "boom"}}, 500)], "server_error", "HTTP 500: boom"),
    "HTML": (
        [response("<html><title>Welcome</title></html>")],
        "bad_response",
        "this is no answer: it is an HTML page; is `base_url` right?",
    ),
    "HTML in an error": (
        [response("<html><title>Bad gateway</title></html>", 502)],
        "server_error",
        "HTTP 502: an HTML page (Bad gateway)",
    ),
    "empty choices": ([response({"choices": []})], "bad_response", "this is no answer: "),
    "an empty body": ([response(b"")], "bad_response", "this is no answer: its body is empty"),
    "cut": ([response(completion({"content": "hello"}), length=9999), CLOSE], "connection", None),
    "reset": ([RESET], "connection", None),
    "hanging": ([STALL], "timeout", None),
    "hanging in the answer": ([response(b"{", length=99), STALL], "timeout", None),
}


@pytest.mark.parametrize("case", SERVERS)
def test_a_server_that_fails_is_named_with_its_class_and_the_run_is_kept(agentspec, project, monkeypatch, case):
    script, reason, words = SERVERS[case]
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    began = time.monotonic()
    with serving(script) as server:
        done = agentspec("run", spec_for(project, server.url, timeout="600ms"), "--json")

    result = json.loads(done.out)
    assert (done.code, result["status"], result["stop_reason"]) == (1, "provider_error", reason)
    said = f"openai `m-1` at 127.0.0.1:{server.port}: {words or ''}"
    assert result["error"]["message"].startswith(said)
    assert done.err.count(said) == 1
    assert KEY not in done.out + done.err
    assert time.monotonic() - began < 10
    [line] = json.loads(agentspec("runs", "list", "--format", "json").out)
    assert (line["run_id"], line["status"], line["stop_reason"]) == (result["run_id"], "provider_error", reason)
    assert agentspec("replay", result["run_id"]).code == 0


def test_a_server_that_refuses_the_connection_is_named(agentspec, project, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        done = agentspec("run", spec_for(project, f"http://127.0.0.1:{port}/v1"))

    assert (done.code, done.out) == (1, "")
    assert f"no connection to `127.0.0.1:{port}` (Connection refused)" in done.err


def test_a_stream_that_is_cut_keeps_what_was_said_and_is_no_success(agentspec, project, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving([stream_head() + chunk(piece({"content": "half"})), CLOSE]) as server:
        done = agentspec("run", spec_for(project, server.url, stream=True))

    assert (done.code, done.out) == (1, "")
    assert "what was said before it failed, which is no answer:\nhalf\n" in done.err
    assert "provider_error (connection) after 1 turn" in done.err


def test_answers_with_nothing_in_them_are_asked_for_again_and_end_as_stuck(agentspec, project, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(says("")) as server:
        done = agentspec("run", spec_for(project, server.url), "--set", "execution.max_nudges=1")

    assert (done.code, done.out) == (1, "")
    assert "stuck (max_nudges) after 2 turns" in done.err
    assert "the bound is `execution.max_nudges`" in done.err


@pytest.mark.parametrize(
    ("name", "arguments", "status", "words"),
    [
        ("look", '{"key": ', "invalid_arguments", "the arguments are not valid JSON"),
        ("look", "[1]", "invalid_arguments", "the arguments must be a JSON object"),
        ("look", '{"key": 3}', "invalid_arguments", "`key`"),
        ("lok", "{}", "unknown_tool", "unknown tool `lok`; did you mean `look`?"),
    ],
)
def test_a_call_that_cannot_be_run_is_told_to_the_model_and_to_people(
    agentspec, project, monkeypatch, name, arguments, status, words
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(calls(("c1", name, arguments)), END) as server:
        done = agentspec("run", spec_for(project, server.url))

    assert (done.code, done.out) == (0, "end\n")
    assert f"turn 1: {name} {status}: " in done.err
    assert words in done.err
    assert words in server.asked[1].json["messages"][-1]["content"]


# --- tools


def run_tool(agentspec, project, program: str, **limits: str) -> tuple[str, str, dict]:
    """What the model is told of a tool that runs this program: the status, the text, and the result of the run."""
    tool = {"description": "Runs", "run": ["sh", "-c", program], "timeout": "10s", **limits}
    turns = [{"tool_calls": [{"name": "it", "arguments": {}}]}, {"text": "end"}]
    spec = {"name": "t", "task": "go", "model": {"provider": "script", "options": {"turns": turns}}}
    spec |= {"capability": {"tools": {"it": tool}}, "lifecycle": {"grace": "500ms"}}
    spec |= {"execution": {"tool_result_max": "4KiB"}}
    (project / "t.json").write_text(json.dumps(spec))

    done = agentspec("run", "t.json", "--json", "--trace")

    result = json.loads(done.out)
    assert (done.code, result["text"]) == (0, "end")
    assert agentspec("replay", result["run_id"]).code == 0
    step = next(step for step in result["trace"] if step["kind"] == "result")
    return step["status"], step["text"], result


def test_a_tool_that_hangs_is_stopped_and_what_it_said_is_kept(agentspec, project):
    status, text, _ = run_tool(agentspec, project, "echo begun; exec sleep 60", timeout="500ms")

    assert (status, text) == (
        "timeout",
        "ERROR: no result after 0.5 s; it was stopped and may have acted\nstdout:\nbegun\n",
    )


def test_a_tool_that_prints_without_end_is_cut_and_kept_whole(agentspec, project):
    status, text, result = run_tool(agentspec, project, "yes 0123456789 | head -c 20000000")

    assert (status, result["status"]) == ("ok", "done")
    assert text["bytes"] < 5000  # of JSON: the cap is 4 KiB of text
    [kept] = [path for path in (project / ".agentspec" / "artifacts").rglob("*") if path.is_file()]
    assert kept.stat().st_size == 20_000_000


def test_a_tool_that_prints_binary_is_described(agentspec, project):
    status, text, _ = run_tool(agentspec, project, "head -c 2000 /dev/zero")

    assert status == "ok"
    assert "\x00" not in text
    assert "2000 bytes" in text


def test_a_tool_that_forks_leaves_nothing_running(agentspec, project):
    status, text, _ = run_tool(agentspec, project, "(sleep 60 & echo $! > pid); echo done")

    assert (status, text) == ("ok", "done\n")
    pid = (project / "pid").read_text().strip()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and is_running(pid):
        time.sleep(0.02)
    assert not is_running(pid)


def is_running(pid: str) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:  # noqa: PTH123 - a process, not a path of ours
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_tool_that_dies_by_a_signal_names_it(agentspec, project):
    status, text, _ = run_tool(agentspec, project, "echo out; echo err >&2; kill -SEGV $$")

    assert status == "error"
    assert text.startswith("ERROR: ")
    assert "SIGSEGV" in text
    assert "err" in text
