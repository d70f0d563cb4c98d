"""A forecast holds: no run passes it, whatever its model says."""

import asyncio
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec import run
from agentspec.api.forecast import forecast

TOOL = {"parameters": {"text": "string"}, "expr": "args.text + args.text"}
TEXTS = st.builds(
    lambda word, times: word * times, st.sampled_from(["ab ", "\u00e9", "\u4e2d", '"\\']), st.integers(0, 1_500)
)
CALLS = st.lists(st.builds(lambda text: {"name": "twice", "arguments": {"text": text}}, TEXTS), max_size=3)
ERRORS = st.sampled_from([{"error": {"status": 503, "message": "busy"}}, {"error": {"status": 400, "message": "no"}}])
TURNS = st.lists(
    st.builds(lambda text, calls: {"text": text, "tool_calls": calls}, TEXTS, CALLS) | ERRORS, min_size=1, max_size=12
)
LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "tokens": st.integers(1, 3_000),
        "cost_usd": st.sampled_from([0.00001, 0.002, 0.01]),
        "provider_calls": st.integers(1, 6),
        "tool_calls": st.integers(1, 6),
    },
)


@given(TURNS, LIMITS, st.integers(1, 6), st.booleans(), st.booleans())
def test_no_run_passes_the_worst_case_of_its_plan(turns, limits, iterations, loops, wraps_up):
    execution = {"limits": limits, "max_iterations": iterations, "loop_until_done": loops, "wrap_up": wraps_up}
    model = {"provider": "script", "options": {"turns": turns}, "prices": {"input": 3.0, "output": 15.0}}
    spec = {"name": "s", "task": "go", "model": {**model, "retry": {"base": "1ms"}}, "execution": execution}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.json"
        path.write_text(json.dumps({**spec, "capability": {"tools": {"twice": TOOL}}}))

        worst = forecast(path)["worst_case"]
        result = asyncio.run(run(path))

    used = {
        "turns": result.llm.iterations,
        "provider_calls": result.llm.provider_calls,
        "tokens": result.llm.input_tokens + result.llm.output_tokens,
        "cost_usd": result.llm.cost_usd or 0.0,
    }
    assert {name: (amount, worst[name]) for name, amount in used.items() if amount > (worst[name] or amount)} == {}


def test_what_only_a_run_knows_stays_as_it_is_written(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("name: a\ntask: note ${run.id}\ncontext: {system: 'in ${run.session_id}, for ${run.spec}'}\n")

    prompts = forecast(path)["prompts"]

    assert prompts == {"system": "in ${run.session_id}, for a", "task": "note ${run.id}"}


def test_what_the_provider_would_run_is_among_the_tools_and_the_effects(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-geheim-0123456789")
    path = tmp_path / "s.yaml"
    path.write_text(
        "name: s\ntask: go\nmodel: {provider: anthropic}\ncapability:\n"
        "  provider_tools: [web_search, code_execution]\n"
        "  approval: {rules: [{tool: code_*, decision: ask}]}\n"
    )

    told = forecast(path)

    assert told["tools"] == [{"name": "web_search", "kind": "provider", "effect": "network", "repeat": "once"}]
    assert (told["rights"]["effects"], told["rights"]["hosts"]) == (["network"], ["*", "api.anthropic.com"])


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        (
            {"model": {"context_window": 10_000, "max_output_tokens": 2_000}},
            {"strategy": "hybrid", "window": 10_000, "reserved": 2_000, "threshold": 5_600, "hard_limit": 7_200},
        ),
        ({}, {"strategy": "hybrid", "window": None, "reserved": None, "threshold": None, "hard_limit": None}),
        (
            {"context": {"compaction": {"strategy": "truncate", "threshold": 900}}},
            {"strategy": "truncate", "window": None, "reserved": None, "threshold": 900, "hard_limit": None},
        ),
        (
            {"model": {"context_window": 10_000}, "context": {"compaction": "none"}},
            {"strategy": "none", "window": 10_000, "reserved": 2_500, "threshold": None, "hard_limit": None},
        ),
    ],
)
def test_it_says_how_much_of_the_window_is_taken_and_where_compaction_begins(tmp_path, sections, expected):
    model = {"provider": "script", "options": {"turns": ["ok"]}, **sections.pop("model", {})}
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"name": "a", "task": "go", "model": model, **sections}))

    assert forecast(path)["context"] == {**expected, "fixed_tokens": 0}
