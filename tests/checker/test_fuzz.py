"""Whatever stands in a document, check answers with findings and never with an exception."""

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentspec.checker.check import check_paths
from agentspec.checker.fixes import ALLOWED
from agentspec.checker.formats import github, sarif, text
from agentspec.checker.formats import json as json_format
from agentspec.checker.mend import mend_paths

FULL: dict[str, Any] = {
    "name": "a",
    "description": "d",
    "extends": "audit",
    "inputs": {"branch": {"type": "string", "default": "main"}},
    "model": {
        "provider": "openai",
        "model": "m",
        "base_url": "http://x.example.org/v1",
        "headers": {"Authorization": "Bearer ${env.TOKEN}"},
        "routes": [{"provider": "openai", "model": "m", "label": "a", "when": "attempt > 1"}, {"model": "n"}],
        "retry": {"max_attempts": 3},
        "timeout": "30s",
        "options": {"temperature": 1, "command": ["x"]},
        "context_window": 4096,
        "max_output_tokens": 100,
    },
    "execution": {
        "profile": "verifier",
        "max_iterations": 4,
        "iteration_budget": {"mode": "adaptive", "initial": 2, "max": 8, "extend_by": 2},
        "loop_control": [{"when": "completion.vetoed", "extend": 2}, {"when": "iteration > 3", "stop": "x"}],
        "limits": {"wall_clock": "5m", "working_time": "3m", "tool_calls": 9, "tokens": 1000},
        "wrap_up": {"reserve_tokens": 100},
        "require_successful_tools": ["read_file", ["search_files", "calc"]],
        "turn_end_condition": {"cadence": {"every": 2, "when": "stalled"}, "operation_timeout": "5s"},
        "verify_completion": [{"when": "true", "accept": True}],
        "step_judge": {"skip_when_iterations_remaining": 1},
        "turn_policy": {"allow_done_sentinel": False},
        "done_sentinel": "##",
    },
    "capability": {
        "toolkits": ["git", {"files.read": {"root": ".", "names": {"read_file": "r"}, "enabled": ["read_file"]}}],
        "tools": {
            "calc": {
                "description": "adds",
                "parameters": {"a": "number"},
                "returns": "number",
                "expr": "args.a",
                "examples": [{"args": {"a": 1}, "result": 1}],
            },
            "go": {"run": ["sh", "-c", "${args.x}"], "parameters": {"x": "string"}, "effect": "read"},
            "web": {"http": {"method": "POST", "url": "http://x.org", "headers": {"A": "b"}}, "effect": "none"},
        },
        "mcp": {"s": {"command": ["x"], "allow": ["y"]}},
        "resources": {"orders": {"url": "sqlite:///a", "table": "o", "verbs": ["get"], "where": "row.id == 1"}},
        "subagents": {"b": {"agent": "b.yaml", "description": "d"}},
        "ceiling": {"effects": ["none", "read"], "tools": ["*"]},
        "approval": {"default": "ask", "rules": [{"tool": "r*", "decision": "deny", "when": "calls > 1"}]},
    },
    "lifecycle": {"daemon": {"wake_interval": "5m"}},
    "context": {
        "system": "You ${inputs.branch} {{branch}} `read_file`",
        "compaction": {"strategy": "hybrid", "keep_first": 1, "keep_last": 2, "threshold": 3000, "target": 2000},
        "history": [
            {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "name": "x", "arguments": {}}]},
            {"role": "tool_result", "call_id": "1", "content": "y"},
        ],
    },
    "observability": {"trace": "always"},
}


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, child in inner for place in places(child, (*path, key)))]


PLACES = places(FULL)[1:]
ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 2**70)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["${inputs.x}", "true", "5m", "*", "a.b", "[", "read_file", "!x && x", "${", "ÄÖ🎉", "#"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


def put(value: Any, path: tuple[Any, ...], new: Any) -> None:
    for step in path[:-1]:
        value = value[step]
    value[path[-1]] = new


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def render_all(report) -> None:
    for form in (json_format, sarif, github, text):
        assert isinstance(form.render(report), str)


@given(st.lists(st.tuples(st.sampled_from(PLACES), ODD), min_size=1, max_size=4))
def test_odd_values_anywhere_give_findings_only(folder, changes):
    spec = copy.deepcopy(FULL)
    for place, odd in sorted(changes, key=lambda change: len(change[0]), reverse=True):
        put(spec, place, odd)
    path = folder / "a.json"
    path.write_text(json.dumps(spec), encoding="utf-8")

    render_all(check_paths([path]))


@given(st.integers(0, 4000), st.integers(0, 40), st.text("{}[]:,\"' \n\t#$&*!|>-%@`abc", max_size=6))
def test_damaged_text_gives_findings_only_and_mending_it_makes_nothing_worse(folder, start, length, new):
    whole = json.dumps(FULL, indent=1)
    path = folder / "b.yaml"
    path.write_text(whole[:start] + new + whole[start + length :], encoding="utf-8")
    before = check_paths([path])

    after = mend_paths([path], ALLOWED["surface"])

    render_all(after.report)
    assert check_paths([path]).count("error") == after.report.count("error") <= before.count("error")


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(PLACES), ODD), min_size=1, max_size=8))
@settings(max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_many_odd_values_anywhere_give_findings_only(folder, changes):
    spec = copy.deepcopy(FULL)
    for place, odd in sorted(changes, key=lambda change: len(change[0]), reverse=True):
        put(spec, place, odd)
    path = folder / "c.json"
    path.write_text(json.dumps(spec), encoding="utf-8")

    render_all(check_paths([path]))
