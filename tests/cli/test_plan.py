"""`agentspec plan`: what a run would be, before it is one."""

import json

import pytest

SPEC = """\
name: reader
inputs: {folder: {type: string, default: docs}}
task: Read ${inputs.folder}.
model: {provider: openai, model: gpt-5.4-mini, api_key_env: READER_KEY}
execution: {max_iterations: 4, limits: {tokens: 20000, cost_usd: 0.5, wall_clock: 2m}}
context: {system: You read.}
capability:
  tools: {say: {parameters: {text: string}, run: [echo, "${args.text}"]}}
  toolkits: [files.read: {root: docs, enabled: [read_file]}]
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "READER_KEY", "AGENTSPEC_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def planned(agentspec, project):
    (project / "plan.yaml").write_text(SPEC)
    (project / "docs").mkdir(exist_ok=True)
    return lambda *options: agentspec("plan", "plan.yaml", *options)


def test_it_tells_what_the_model_is_given_what_it_may_do_and_what_it_can_use(planned, project):
    told = planned()

    assert told.code == 0
    assert told.out.splitlines() == [
        "reader: openai with gpt-5.4-mini",
        "system:",
        "  You read.",
        "task:",
        "  Read docs.",
        "context: every request has about 161 tokens of 400000; compaction (`hybrid`) from 268531 on",
        "tools:",
        "  say (run, process)",
        "  read_file (toolkit, read)",
        "effects: process, read",
        f"roots: {project / 'docs'}",
        "hosts: api.openai.com",
        "commands:",
        '  ["echo", "${args.text}"]',
        "secrets: READER_KEY (not set)",
        "judges: none",
        "children: none",
        "at most:",
        "  turns: 5",
        "  model calls: not bounded (`execution.limits.provider_calls` would)",
        "  tool calls: not bounded (`execution.limits.tool_calls` would)",
        "  tokens: 20000",
        "  dollars: 0.5",
        "  seconds: 130",
    ]


def test_a_task_and_values_of_the_command_line_are_those_of_the_run(planned):
    told = json.loads(planned("Look.", "--set", "execution.limits.provider_calls=3", "--format", "json").out)

    assert told["prompts"]["task"] == "Look."
    assert told["worst_case"] == {
        "turns": 5,
        "provider_calls": 3,
        "tool_calls": None,
        "tokens": 20_000,
        "cost_usd": pytest.approx(20_000 * 4.5 / 1e6),
        "seconds": 130.0,
    }


def test_what_a_run_would_be_refused_for_the_plan_is_refused_for(planned):
    told = planned("--set", "model.base_url=http://127.0.0.1:1/v1", "--set", "model.model=ours")

    assert told.code == 2
    assert "the price of `ours` is not known" in told.err


def test_a_spec_that_does_not_check_has_no_plan(agentspec, project):
    (project / "plan.yaml").write_text("name: a\nexecution: {max_iteration: 3}\n")

    told = agentspec("plan", "plan.yaml")

    assert (told.code, told.out) == (2, "")
    assert "max_iteration" in told.err
