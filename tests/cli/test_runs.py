"""`agentspec runs`: what a run did, in lines for people; which runs there are, and which words ask for them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.cli.terminal.told import told
from agentspec.core.events import ToolReturned
from agentspec.core.messages import ToolCall, ToolResult
from agentspec.runtime.ends import KINDS, STATUSES

JOURNALS = Path(__file__).parents[1] / "journals"
KNOWN = "known are " + ", ".join(f"`{status}`" for status in STATUSES)


@pytest.fixture
def kept(tmp_path):
    """Take golden journals into the store of the working directory."""

    def take(*names: str) -> None:
        store = SqliteStore(tmp_path / ".agentspec" / "runs.db")
        for name in names:
            store.import_run((JOURNALS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
        store.close()

    return take


def steady(text: str) -> str:
    return re.sub(r"\d+\.\d s", "0.0 s", re.sub(r"started: .* UTC", "started: WHEN", text))


def test_a_run_is_told_turn_by_turn_with_its_calls_results_and_end(agentspec, kept):
    kept("refusals")

    done = agentspec("runs", "show", "refusals")

    assert (done.code, done.err) == (0, "")
    assert steady(done.out) == (
        "refusals  done  golden  (completed)\n"
        "started: WHEN\n"
        "task: go\n"
        "\n"
        "turn 1 · script:script · about 1 tokens in, 8 out · 0.0 s\n"
        '  lok {"n":1}\n'
        "    unknown_tool · unknown tool `lok`; did you mean `look`? The tools are: look, fail, mark, put.\n"
        '  look {"n":"one"}\n'
        '    invalid_arguments · `n` must be an integer, not the string "one"\n'
        '  look {"n":1,"m":2}\n'
        "    invalid_arguments · unknown argument `m`; known: `n`\n"
        "\n"
        "turn 2 · script:script · about 58 tokens in, 2 out · 0.0 s\n"
        '  look {"n": 3\n'
        "    invalid_arguments · the arguments are not valid JSON: expecting ',' delimiter at character 8 of 7, "
        'near `{"n": 3`; send …\n'
        "\n"
        "turn 3 · script:script · about 93 tokens in, 1 out · 0.0 s\n"
        "  look []\n"
        "    invalid_arguments · the arguments must be a JSON object, not a list: `[]`\n"
        "\n"
        "turn 4 · script:script · about 111 tokens in, 2 out · 0.0 s\n"
        "  Enough.\n"
        "\n"
        "done (completed) after 4 turns, 5 tool calls, 276 tokens\n"
    )


def test_retries_waits_interrupts_and_resumes_are_told(agentspec, kept):
    kept("retries", "message")

    retried = steady(agentspec("runs", "show", "retries").out).split("task: go\n")[1]
    resumed = steady(agentspec("runs", "show", "message").out).split("task: go\n")[1]

    assert retried == (
        "\nturn 1 · script · 0.0 s\n  server_error: script at the spec: HTTP 503: busy\n  waits 0.0 s\n"
        "\nturn 1, attempt 2 · script · 0.0 s\n  rate_limited: script at the spec: HTTP 429: slow down\n  waits 0.0 s\n"
        "\nturn 1, attempt 3 · script:script · about 1 tokens in, 2 out · 0.0 s\n  At last.\n"
        "\ndone (completed) after 1 turn, 0 tool calls, 3 tokens\n"
    )
    assert resumed == (
        "\nturn 1 · script:script · about 1 tokens in, 3 out · 0.0 s\n"
        '  told to stop by a signal\n  mark {"n":"a"}\n    cancelled · interrupted while it ran; it may have acted\n'
        "\ninterrupted (signal) after 1 turn, 1 tool call, 4 tokens\n"
        "\nresumed, with the message: never mind\n"
        "\nturn 2 · script:script · about 20 tokens in, 3 out · 0.0 s\n  After all.\n"
        "\ndone (completed) after 2 turns, 1 tool call, 27 tokens\n"
    )


def test_what_gates_and_judges_said_is_told(agentspec, kept):
    kept("judged")

    told_lines = agentspec("runs", "show", "judged").out.splitlines()

    assert [line.strip() for line in told_lines if " says " in line or "asks" in line] == [
        "asks files",
        "asks command",
        "asks a model as judge",
        "verify_completion_judge says continue: Mark it.",
        "asks files",
        "asks command",
        "asks a model as judge",
        "asks a model as judge",
        "verify_completion_judge says done",
    ]


def test_a_bound_that_ended_a_run_is_named(agentspec, kept):
    kept("out-of-calls")

    assert agentspec("runs", "show", "out-of-calls").out.endswith(
        "  limit reached: execution.limits.tool_calls\n"
        "\nbudget_exhausted (tool_calls) after 1 turn, 4 tool calls, 8 tokens\n"
        "  2 calls made, more were asked for\n"
        "  the bound is `execution.limits.tool_calls`\n"
    )


def test_long_arguments_and_results_are_cut_and_an_answer_is_whole(agentspec, tmp_path):
    turns = [{"tool_calls": [{"name": "say", "arguments": {"x": "y" * 300}}]}, {"text": "One\nand two."}]
    tools = {"say": {"description": "S", "parameters": {"x": "string"}, "expr": 'args.x + "\\nmore\\nand more"'}}
    spec = {"name": "s", "task": "one\ntwo", "model": {"provider": "script", "options": {"turns": turns}}}
    (tmp_path / "s.json").write_text(json.dumps({**spec, "capability": {"tools": tools}}))
    agentspec("run", "s.json")
    run_id = json.loads(agentspec("runs", "--json").out)[0]["run_id"]

    out = agentspec("runs", "show", run_id).out

    assert "\ntask: one\n      two\n" in out
    assert f'\n  say {{"x":"{"y" * 94}…\n    ok · {"y" * 100}… (and 2 more lines)\n' in steady(out).replace(
        " · 0.0 s", ""
    )
    assert "\n  One\n  and two.\n" in out


def test_json_is_the_same_by_either_name(agentspec, kept):
    kept("retries")

    shown = agentspec("runs", "show", "retries", "--json")

    assert shown == agentspec("runs", "show", "retries", "--format", "json")
    assert json.loads(shown.out).keys() > {"run_id", "status", "trace"}
    assert agentspec("runs", "list", "--json") == agentspec("runs", "--format", "json") == agentspec("runs", "--json")


@pytest.mark.parametrize(("word", "hint"), [("don", "did you mean `done`? "), ("elsewhere", "")])
def test_a_status_that_no_run_can_have_is_refused_with_the_list(agentspec, kept, word, hint):
    kept("retries")

    done = agentspec("runs", "list", "--status", word)

    assert done == (2, "", f"agentspec: `--status`: there is no status `{word}`\n  {hint}{KNOWN}\n")


def test_a_status_that_a_run_of_the_store_has_is_known(agentspec, kept, tmp_path):
    kept("retries")
    store = SqliteStore(tmp_path / ".agentspec" / "runs.db")
    journal = store.create_run("own", {"spec": "s"})
    journal.describe({"status": "out_of_stock"})
    journal.close()
    store.close()

    done = agentspec("runs", "list", "--status", "out_of_stock")

    assert (done.code, done.out.split()) == (0, ["own", "out_of_stock", "s"])


@pytest.mark.parametrize("option", ["--session", "--user", "--tenant", "--status", "--since"])
def test_without_a_word_the_options_of_list_are_taken(agentspec, kept, option):
    kept("retries", "message")
    value = {"--status": "failed", "--since": "2026-01-31"}.get(option, "nobody")

    listed = agentspec("runs", "list", option, value)

    assert agentspec("runs", option, value) == listed
    assert (listed.code, listed.err) == (0, "")


def test_without_a_word_runs_are_chosen(agentspec, kept):
    kept("retries", "message")
    every = [each["run_id"] for each in json.loads(agentspec("runs", "--json").out)]

    none = json.loads(agentspec("runs", "--session", "nobody", "--json").out)

    assert (sorted(every), none) == (["message", "retries"], [])


def test_an_option_of_list_before_another_word_is_refused(agentspec, kept):
    kept("retries")

    done = agentspec("runs", "--status", "done", "show", "retries")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(
        "agentspec: `--status` stands behind `list`: `agentspec runs list --status …`, not before `show`\n"
    )


def test_a_result_whose_call_is_not_in_the_reply_is_told_all_the_same():
    result = ToolResult(name="look", call_id="c9", text="ERROR: gone", status="error", arguments={"n": 1})

    assert list(told([ToolReturned(at=0.0, order=1, call=ToolCall("c9", "look", "{}"), result=result)])) == [
        '  look {"n": 1}',
        "    error · gone",
    ]


def test_every_end_that_a_result_knows_is_a_status():
    ends = set(KINDS)

    assert ends < set(STATUSES)
    assert set(STATUSES) - ends == {"running", "crashed"}
