"""Scenarios: what `agentspec test` would refuse, `agentspec check` finds, at its place and with its page."""

from __future__ import annotations

import ast
import json
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from agentspec.api.scenarios.find import find_scenarios
from agentspec.checker.check import check_paths
from agentspec.core.messages import FailureClass, ToolStatus
from agentspec.runtime.ends import KINDS
from agentspec.spec.event_kinds import EVENT_KINDS, RESULT_STATUSES
from agentspec.spec.execution import Limits
from agentspec.spec.statuses import FAILURES, LIMITS, RUN_STATUSES, STOP_REASONS

PACKAGE = Path(__file__).parents[2] / "agentspec"
SPEC = """
name: reader
model: {provider: openai, model: gpt-5.4-mini}
inputs: {branch: string, most: {type: integer, default: 1}}
execution: {loop_control: [{when: iteration > 3, stop: weary, reason: seen_enough}]}
capability: {toolkits: [files.read], tools: {ask: {agent: helper, description: Asks}}}
context: {system: "Read ${inputs.branch}, ${inputs.most} times."}
---
name: helper
capability: {toolkits: [math]}
---
preset: quiet
execution: {max_iterations: 3}
"""
SOUND = {
    "scenario": "reads",
    "for": "specs.yaml#reader",
    "inputs": {"branch": "main"},
    "task": "Read.",
    "model": [{"text": "Read."}],
    "expect": {"status": "done"},
}


@pytest.fixture
def found(tmp_path):
    """The findings of a scenario as `check` gives them: code, path, text at the place, message, help."""
    (tmp_path / "specs.yaml").write_text(SPEC)
    (tmp_path / "broken.yaml").write_text("name: broken\nexecution: {max_iterations: 0}\n")
    (tmp_path / "lone.yaml").write_text("name: lone\nmodel: {provider: openai, model: gpt-5.4-mini}\n")
    file = tmp_path / "one.scenario.json"

    def find(**changes: object) -> list[tuple[str, str, str, str, str | None]]:
        file.write_text(json.dumps({name: value for name, value in {**SOUND, **changes}.items() if value is not None}))
        findings = check_paths([file]).diagnostics
        assert bool(find_scenarios([file]).scenarios[0].problem) is any(one.severity == "error" for one in findings)
        told = [(one, one.message.replace(f"{tmp_path}/", "")) for one in findings]
        return [(one.code, one.path, one.span.text, message, one.help) for one, message in told]

    return find


def test_a_scenario_that_can_be_played_has_no_finding(found):
    assert found() == []
    assert found(expect={"status": "weary", "stop_reason": ["seen_enough", "completed", "tokens"]}) == []
    assert (
        found(expect={"tools": {"rejected": ["rm"], "calls": ["rm"]}}, model=[{"tool_calls": [{"name": "rm"}]}]) == []
    )
    assert found(tool_results=[{"name": "calc", "text": "2"}]) == []  # of the agent that is called


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"for": "specs.yaml#raeder"},
            ("AS108", "for", '"specs.yaml#raeder"', "there is no agent `raeder` in `specs.yaml`", "did you mean `reader`?"),
        ),
        (
            {"for": "specs.yaml"},
            ("AS108", "for", '"specs.yaml"', "`specs.yaml` holds several agents", "name one of them, such as `specs.yaml#reader`"),
        ),
        (
            {"for": "specs.yaml#quiet"},
            ("AS108", "for", '"specs.yaml#quiet"', "`specs.yaml#quiet` is a preset, and a scenario tries an agent", None),
        ),
        (
            {"for": "broken.yaml"},
            ("AS108", "for", '"broken.yaml"', "`broken.yaml` does not check: expected a whole number from 1, found the number `0`", None),
        ),
        ({"for": "nothing.yaml"}, ("AS108", "for", '"nothing.yaml"', "no such file: `nothing.yaml`", None)),
        (
            {"inputs": {"branch": "main", "msot": 1}},
            ("AS423", "inputs.msot", '"msot"', "unknown input `msot`; did you mean `most`?", None),
        ),
        (
            {"inputs": {"branch": "main", "most": "two"}},
            ("AS424", "inputs.most", '"two"', "the input `most` does not fit: it must be an `integer`, not a string", None),
        ),
        (
            {"inputs": None},
            ("AS425", "inputs", '"for"', "the input `branch` has no value", "add `branch` to `inputs` of the scenario, or declare a default"),
        ),
        (
            {"task": None},
            ("AS110", "", '"scenario"', "there is no task: neither here nor in `specs.yaml#reader`", "write what the agent is to do under `task`"),
        ),
        (
            {"model": None},
            ("AS110", "", '"scenario"', "there are no turns of a model, and `specs.yaml#reader` asks a provider", "write the turns under `model`"),
        ),
        *(
            (
                {"files": {name: "x"}},
                ("AS110", f"files[{json.dumps(name)}]", json.dumps(name), f"`{name}` is no path below the workspace", "begin it at the workspace: `docs/a.md`"),
            )
            for name in ("../out", "/tmp/out", "a/../../out", ".")
        ),
        (
            {"files": {"a": "x", "a/b": "y"}},
            ("AS110", "files.a", '"a"', "`a` is a folder to another file, and can't be a file as well", None),
        ),
        (
            {"user": {"agent": "lone.yaml"}},
            ("AS110", "user.agent", '"lone.yaml"', "the agent `lone.yaml` that plays the person needs a provider without a network: `script`", None),
        ),
        (
            {"user": {"agent": "nobody"}},
            ("AS110", "user.agent", '"nobody"', "there is no agent `nobody` that could play the person", None),
        ),
        ({"expect": {"status": "doen"}}, ("AS204", "expect.status", '"doen"', "no run ends with the status `doen`", "did you mean `done`?")),
        (
            {"expect": {"stop_reason": ["seen_enough", "complete"]}},
            ("AS204", "expect.stop_reason[1]", '"complete"', "no run ends for the reason `complete`", "did you mean `completed`?"),
        ),
        (
            {"expect": {"events": [{"kind": "tool_reslt"}]}},
            ("AS204", "expect.events[0].kind", '"tool_reslt"', "there is no event `tool_reslt`", "did you mean `tool_result`?"),
        ),
        (
            {"expect": {"events": [{"kind": "tool_result", "status": "denid"}]}},
            ("AS204", "expect.events[0].status", '"denid"', "no call ends with the status `denid`", "did you mean `denied`?"),
        ),
        (
            {"expect": {"tools": {"not_called": ["raed_file"]}}},
            ("AS601", "expect.tools.not_called[0]", '"raed_file"', "unknown tool `raed_file`", "did you mean `read_file`?"),
        ),
        (
            {"tool_results": [{"name": "raed_file", "text": "x"}]},
            ("AS601", "tool_results[0].name", '"raed_file"', "unknown tool `raed_file`", "did you mean `read_file`?"),
        ),
        (
            {"set": ["execution.max_iteratons=2"]},
            ("AS102", "set[0]", '"execution.max_iteratons=2"', "unknown key `max_iteratons` in `execution`", "did you mean `max_iterations`?"),
        ),
        (
            {"history": [{"role": "assistant", "tool_calls": [{"id": "a", "name": "b"}]}]},
            ("AS708", "history[0].tool_calls[0].id", '"a"', "the call `a` has no result", "add `{role: tool_result, call_id: a, content: …}` after it"),
        ),
        (
            {"approve": [{"tool": "raed_file", "decision": "allow"}]},
            ("AS601", "approve[0].tool", '"raed_file"', "unknown tool `raed_file`", "did you mean `read_file`?"),
        ),
    ],
)  # fmt: skip
def test_what_a_test_would_refuse_is_found_by_check(found, changes, expected):
    assert found(**changes) == [expected]


def test_what_follows_from_a_spec_that_is_wrong_is_not_told(found):
    changes = {"for": "broken.yaml", "inputs": {"x": 1}, "task": None, "expect": {"tools": {"calls": ["x"]}}}

    assert [code for code, *_ in found(**changes)] == ["AS108"]


@cache
def _all_calls() -> list[ast.Call]:
    """The calls in the kernel and its policies."""
    files = [file for folder in ("core", "policies") for file in (PACKAGE / folder).rglob("*.py")]
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8"))))
    return [node for node in nodes if isinstance(node, ast.Call)]


def _calls(*names: str) -> list[ast.Call]:
    return [call for call in _all_calls() if getattr(call.func, "id", getattr(call.func, "attr", "")) in names]


def _texts(nodes) -> set[str]:
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_the_words_are_those_that_the_runtime_says():
    reasons = _texts(call.args[1] for call in _calls("Outcome") if len(call.args) > 1)
    reasons |= _texts(call.args[0] for call in _calls("unverified"))
    noted = _texts(call.args[0] for call in _calls("note", "telling") if call.args)
    noted |= _texts(each.value for call in _calls("Note") for each in call.keywords if each.arg == "event")

    assert set(RUN_STATUSES) == set(KINDS)
    assert {"max_iterations", "tool_error", "context_overflow", "judge_deadline"} <= reasons
    assert reasons - set(STOP_REASONS) == set()
    assert {"turn_started", "approval_decided", "compacted"} <= noted
    assert noted - set(EVENT_KINDS) - {""} == set()
    assert set(RESULT_STATUSES) == set(get_args(ToolStatus))
    assert set(FAILURES) == set(get_args(FailureClass))
    assert set(LIMITS) == {*Limits.model_fields} - {"on_missing_usage", "on_unknown_price", "show", "scope"}
