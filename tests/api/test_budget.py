"""Iteration budgets of whole runs: what the result and the event stream say of them."""

import asyncio
import json

import pytest

import agentspec

LOOKS = [{"tool_calls": [{"name": "look", "arguments": {"at": number}}]} for number in range(12)]
RULES = """
def decide(state):
    if state["turn"]["tool_names"] == ["look"] and state["budget"]["remaining"] == 0:
        return {"extend": 1, "reason": f"turn {state['iteration']} looked"}
    return None
"""


@pytest.fixture
def run(tmp_path):
    def run(execution, turns=LOOKS, **options):
        spec = {
            "name": "budget",
            "model": {"provider": "script", "options": {"turns": turns}},
            "execution": {"loop_until_done": True, "wrap_up": False, **execution},
            "capability": {
                "tools": {
                    "look": {"description": "Looks", "parameters": {"at": "integer"}, "expr": "string(args.at)"},
                }
            },
        }
        path = tmp_path / "budget.json"
        path.write_text(json.dumps(spec))
        return agentspec.run_sync(path, "go", **options)

    return run


def test_the_result_tells_how_the_budget_grew(run):
    events = []
    budget = {"mode": "adaptive", "initial": 2, "max": 5, "extend_by": 2}

    result = run({"iteration_budget": budget}, on_event=events.append)

    decisions = [
        {"iteration": 2, "action": "extend", "old_limit": 2, "new_limit": 4, "reason": "progress", "status": None},
        {"iteration": 4, "action": "extend", "old_limit": 4, "new_limit": 5, "reason": "progress", "status": None},
    ]
    assert (result.status, result.stop_reason, result.llm.iterations) == ("budget_exhausted", "max_iterations", 5)
    assert result.as_json()["adaptive_budget"] == {
        "mode": "adaptive",
        "initial": 2,
        "max": 5,
        "final_limit": 5,
        "extensions_used": 2,
        "decisions": decisions,
    }
    heard = [event for event in events if event["kind"] == "loop_control_decision"]
    assert [{name: event[name] for name in decisions[0]} for event in heard] == decisions


@pytest.mark.parametrize(
    ("execution", "most"),
    [({"profile": "verifier"}, 5), ({"profile": "completer"}, 1), ({"max_iterations": 3, "profile": "verifier"}, 3)],
)
def test_a_fixed_budget_is_the_profile_s_unless_one_is_written(run, execution, most):
    result = run(execution)

    assert result.llm.iterations == most
    assert result.as_json()["adaptive_budget"] == {
        "mode": "fixed",
        "initial": most,
        "max": most,
        "final_limit": most,
        "extensions_used": 0,
        "decisions": [],
    }


def test_a_rule_s_own_word_is_the_status_of_the_run(run):
    result = run({"loop_control": [{"when": "session.calls >= 2", "stop": "seen_enough", "reason": "two looks"}]})

    assert (result.status, result.stop_reason, result.llm.iterations) == ("seen_enough", "two looks", 2)
    assert (result.terminal.kind, result.terminal.owner, result.error) == ("policy_stop", "policy", None)
    assert result.stopped_by == {
        "limit": "execution.loop_control[0]",
        "detail": "",
        "file": "budget.json",
        "line": 1,
    }


def test_the_last_words_are_a_turn_beside_the_budget(run):
    budget = {"mode": "adaptive", "initial": 1, "max": 2, "progress_window": 1}

    result = run({"iteration_budget": budget, "wrap_up": True}, turns=[*LOOKS[:2], {"text": "I saw two."}])

    assert (result.status, result.wrapped_up, result.text) == ("budget_exhausted", True, "I saw two.")
    assert (result.llm.iterations, result.adaptive_budget.final_limit) == (3, 2)


def test_a_call_that_repeats_is_rescued_within_the_budget(run):
    again = [LOOKS[0]] * 4

    result = run(
        {"iteration_budget": {"mode": "adaptive", "initial": 4, "max": 5}}, turns=[*again, {"text": "Enough."}]
    )

    found = [(one["action"], one["old_limit"], one["new_limit"]) for one in result.adaptive_budget.decisions]
    assert (result.status, result.text, found) == ("done", "Enough.", [("rescue", 4, 5)])


def test_a_function_of_the_project_decides(run, tmp_path):
    (tmp_path / "rules_of_this_budget.py").write_text(RULES)
    rules = [{"python": "rules_of_this_budget:decide"}]

    result = run(
        {"iteration_budget": {"mode": "adaptive", "initial": 1, "max": 3}, "loop_control": rules}, allow_python=True
    )

    assert (result.stop_reason, result.llm.iterations) == ("max_iterations", 3)
    assert [one["reason"] for one in result.adaptive_budget.decisions] == ["turn 1 looked", "turn 2 looked"]


def test_a_run_with_a_growing_budget_replays(run, tmp_path):
    result = run({"iteration_budget": {"mode": "adaptive", "initial": 2, "max": 5}})

    assert asyncio.run(agentspec.replay(result.run_id, project=tmp_path)).same_version


@pytest.mark.parametrize(
    ("execution", "stopped_by"),
    [
        ({"max_iterations": 1}, {"limit": "execution.max_iterations", "detail": "1 turn", "file": "budget.json"}),
        ({"profile": "verifier"}, {"limit": "execution.max_iterations", "detail": "5 turns", "file": "budget.json"}),
        ({"iteration_budget": {"initial": 1, "max": 1}}, {"limit": "execution.iteration_budget.max"}),
    ],
    ids=["written", "the profile's", "in a block"],
)
def test_a_stop_names_its_bound_where_it_was_chosen(run, execution, stopped_by):
    said = run(execution).stopped_by

    assert {name: said[name] for name in stopped_by} == stopped_by
    assert said["line"] == 1


def test_a_bound_that_nobody_wrote_stands_nowhere(run):
    result = run({}, turns=[{"text": str(number)} for number in range(9)], sets=["execution.done_sentinel=END"])

    assert (result.status, result.stop_reason) == ("stuck", "max_nudges")
    assert result.stopped_by == {
        "limit": "execution.max_nudges",
        "detail": "another reply that neither acted nor finished, after 8 nudges",
    }
