"""The mistakes that people make first: each names the thing, the place and the way out, and starts nothing."""

from __future__ import annotations

import json

import pytest

from agentspec.cli.terminal.advice import ROWS, advice
from agentspec.runtime.result import RunError
from tests.servers.background import says, serving
from tests.servers.loopback import response

SPEC = {"name": "s", "task": "go", "model": {"provider": "script", "options": {"turns": ["hi"]}}}
KEY = "sk-geheim-0123456789"


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AGENTSPEC_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "s.yaml").write_text(json.dumps(SPEC))
    (tmp_path / "real.yaml").write_text(
        json.dumps({**SPEC, "model": {"provider": "openai", "model": "m", "retry": {"max_attempts": 1}}})
    )
    return tmp_path


SEE_RUN = "see `agentspec run --help`"
MISTAKES = {
    "a spec instead of a command": (
        ("s.yaml",),
        "unknown command `s.yaml`\n  did you mean `agentspec run s.yaml`, or `check` or `show`?",
    ),
    "no spec": (("run",), f"`SPEC` is missing\n  usage: agentspec run SPEC [TASK]; {SEE_RUN}"),
    "nothing to check": (
        ("check",),
        "`PATH...` is missing\n  usage: agentspec check PATH...; see `agentspec check --help`",
    ),
    "no spelling": (("convert", "a.yaml"), "`--to [dsl|yaml|json]` is missing\n  see `agentspec convert --help`"),
    "another ending": (("run", "s.yml"), "no such file: `s.yml`; did you mean `s.yaml`?"),
    "another ending, checked": (("check", "s.json"), "no such file: `s.json`; did you mean `s.yaml`?"),
    "a slip in the name": (("show", "./rael.yaml"), "no such file: `rael.yaml`; did you mean `real.yaml`?"),
    "no such folder": (("check", "spec/s.yaml"), "no such file: `spec/s.yaml`; there is no folder `spec`"),
    "a folder": (("run", "."), "`.` is a folder; name a file in it"),
    "a slip in an option": (("run", "s.yaml", "--modle", "x"), "unknown option `--modle`\n  did you mean `--model`?"),
    "an option of another tool": (("run", "s.yaml", "-t", "x"), f"unknown option `-t`\n  {SEE_RUN}"),
    "a task without quotes": (
        ("run", "s.yaml", "say", "hi"),
        f"one argument too many: `hi`\n  a text with spaces needs quotes; {SEE_RUN}",
    ),
    "an option before the command": (
        ("--quiet", "run", "s.yaml"),
        (
            "unknown option `--quiet`\n  options stand behind their command: `agentspec run SPEC --json`; "
            "`agentspec --help` lists them all"
        ),
    ),
    "an option without its value": (("run", "s.yaml", "--model"), "option `--model` requires an argument"),
    "a flag with a value": (("run", "s.yaml", "--json=1"), "option `--json` does not take a value"),
    "a word that an option doesn't take": (
        ("check", "--format", "xml", "s.yaml"),
        "`--format`: `xml` is not one of `text`, `json`, `sarif`, `github`\n  see `agentspec check --help`",
    ),
    "a command that is to come": (
        ("chat", "s.yaml"),
        "`agentspec chat` is not there yet\n  `agentspec --help` lists the commands that are",
    ),
    "a slip in a command": (("chekc", "s.yaml"), "unknown command `chekc`\n  did you mean `agentspec check`?"),
    "a slip in a word of runs": (("runs", "lst"), "`agentspec runs` has no word `lst`\n  did you mean `list`?"),
    "a run without a word": (
        ("runs", "20260131-101500-1f0c9a2b"),
        (
            "`agentspec runs` has no word `20260131-101500-1f0c9a2b`\n"
            "  did you mean `agentspec runs show 20260131-101500-1f0c9a2b`?"
        ),
    ),
    "an unknown word of runs": (
        ("runs", "everything"),
        "`agentspec runs` has no word `everything`\n  it has `delete`, `export`, `list`, `show`",
    ),
    "a project in a file": (("init", "s.yaml"), "`s.yaml` is a file; name the folder to start the project in"),
    "one word too many": (("schema", "x"), "one argument too many: `x`\n  usage: agentspec schema"),
    "a script that isn't there": (
        ("run", "s.yaml", "--script", "s.yml"),
        "`--script`: no such file: `s.yml`; did you mean `s.yaml`?",
    ),
    "no key": (
        ("run", "real.yaml"),
        (
            "no key for the provider `openai`: set `OPENAI_API_KEY`, or `OPENAI_BASE_URL` for a compatible server; "
            "`--script FILE` or `provider: script` runs without a network"
        ),
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_first_mistake_is_told_with_the_way_out_and_starts_nothing(agentspec, project, case):
    words, said = MISTAKES[case]

    done = agentspec(*words)

    assert done == (2, "", f"agentspec: {said}\n")
    assert not (project / ".agentspec").exists()


ADDRESS = "comes from `OPENAI_BASE_URL` or `model.base_url`"
REFUSALS = {
    "a wrong key": (
        401,
        b'{"error": {"message": "no such key"}}',
        "auth",
        "set the key anew: it is taken from `OPENAI_API_KEY`, or from what `model.api_key_env` names",
    ),
    "a path that isn't there": (
        404,
        b"<html>nothing here</html>",
        "invalid_request",
        f"is the address right? Most end in `/v1`; it {ADDRESS}",
    ),
    "a model that isn't there": (
        404,
        b'{"error": {"message": "no model m"}}',
        "invalid_request",
        "name a model that the server has: `model.model`, or `--set model.model=NAME`",
    ),
    "an empty purse": (
        429,
        b'{"error": {"message": "over your quota", "code": "insufficient_quota"}}',
        "rate_limited",
        "the account has nothing left to spend: add to it, or use the key of another",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_a_refusal_of_a_server_is_told_once_with_the_way_out(agentspec, monkeypatch, case):
    status, body, reason, way_out = REFUSALS[case]
    with serving([response(body, status)]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        done = agentspec("run", "real.yaml")

    first, *rest = done.err.splitlines()
    assert (done.code, done.out) == (1, "")
    assert first.startswith(f"turn 1: {reason}: openai `m` at 127.0.0.1:")
    assert rest == [f"provider_error ({reason}) after 1 turn, 0 tool calls, 0 tokens", f"  {way_out}"]


def test_a_quiet_run_tells_the_failure_that_nobody_has_seen(agentspec, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")

    done = agentspec("run", "real.yaml", "--quiet")

    assert done.err == (
        "provider_error (connection) after 1 turn, 0 tool calls, 0 tokens\n"
        "  openai `m` at 127.0.0.1:1: no connection to `127.0.0.1:1` (Connection refused)\n"
        f"  does the server run, and on this port? The address {ADDRESS}\n"
    )


def test_a_run_that_is_answered_is_given_no_advice(agentspec, monkeypatch):
    with serving(says("hello")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        done = agentspec("run", "real.yaml", "--quiet")

    assert done == (0, "hello\n", "")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join((row.reason, *row.words)))
def test_every_row_of_advice_is_reached(row):
    message = row.words[0] if row.words else "it failed"

    error = RunError(
        category="provider_error", reason=row.reason, message=message, provider="openai", http_status=row.status
    )

    assert advice(error) == row.way_out


def test_a_script_and_what_is_no_failure_of_a_provider_get_no_advice():
    assert (
        advice(RunError(category="provider_error", reason="auth", message="no", provider="script", http_status=401))
        is None
    )
    assert advice(RunError(category="failed", reason="auth", message="no", provider="openai", http_status=401)) is None
