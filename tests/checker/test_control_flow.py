"""What the rules on control flow say of a loop, in both spellings, where their pages show only one case."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentspec.checker.check import Options, check_paths

Body = dict[str, Any]


def told(tmp_path: Path, body: Body) -> list[tuple[str, str, str]]:
    """Code, path and message of each finding on control flow; the same in YAML and in the DSL."""
    texts = {"a.yaml": json.dumps({"name": "a", **body}), "a.agent": f"agent a {dsl(body)}\n"}
    found = []
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        report = check_paths([tmp_path / name], Options(shows_consequences=True))
        found.append([(one.code, one.path, one.message) for one in report.diagnostics if one.code.startswith("AS5")])
    assert found[0] == found[1]
    return found[0]


def dsl(value: Any) -> str:
    """A value as the DSL writes plain data."""
    if isinstance(value, dict):
        return "{ " + " ".join(f"{json.dumps(key)}: {dsl(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(dsl, value)) + "]"
    return json.dumps(value)


def adaptive(**more: Any) -> Body:
    return {"mode": "adaptive", **more}


BUDGET, RULES = "execution.iteration_budget", "execution.loop_control"
ENDS = "ends the run first"


@pytest.mark.parametrize(
    ("execution", "expected"),
    [
        # --- the iteration budget as it counts ---
        (
            {"iteration_budget": adaptive(initial=20)},
            [("AS501", f"{BUDGET}.initial", "`initial` is 20, but an adaptive budget without `max` ends at 16")],
        ),
        ({"iteration_budget": adaptive(initial=16, extend_by=2, max=17)}, []),
        (
            {"iteration_budget": adaptive(max=1)},
            [("AS502", f"{BUDGET}.max", "an adaptive budget that starts at its maximum of 1 never extends")],
        ),
        (
            {
                "iteration_budget": adaptive(initial=3, max=9),
                "loop_control": [{"when": "iteration > 2", "stop": "weary"}],
            },
            [("AS502", RULES, "no rule here extends the adaptive budget, so the run ends after 3 turns")],
        ),
        (
            {"iteration_budget": "adaptive", "loop_control": [{"when": "completion.vetoed", "none": True}]},
            [("AS502", RULES, "no rule here extends the adaptive budget, so the run ends after 4 turns")],
        ),
        (
            {"iteration_budget": adaptive(max=9), "loop_control": [{"when": "completion.vetoed", "extend_to": 9}]},
            [],
        ),
        ({"iteration_budget": adaptive(max=9), "loop_control": [{"python": "a:b"}]}, []),
        (
            {
                "iteration_budget": adaptive(max=9, extend_by=0),
                "loop_control": [{"when": "completion.vetoed", "extend": 3}],
            },
            [],
        ),
        (
            {
                "iteration_budget": adaptive(max=9, extend_by=0),
                "loop_control": [{"when": "completion.vetoed", "extend": True}],
            },
            [("AS502", f"{BUDGET}.extend_by", "an adaptive budget with `extend_by: 0` never extends")],
        ),
        (
            {"iteration_budget": "adaptive", "max_iterations": 30},
            [
                (
                    "AS503",
                    "execution.max_iterations",
                    "`max_iterations` has no effect beside `iteration_budget`, whose maximum is 16",
                )
            ],
        ),
        ({"iteration_budget": "fixed", "max_iterations": 30}, []),
        (
            {"iteration_budget": {"mode": "fixed", "initial": 10}},
            [("AS508", f"{BUDGET}.initial", "a fixed budget ignores `initial`: it has 50 turns")],
        ),
        ({"iteration_budget": {"mode": "fixed", "initial": 10}, "max_iterations": 10}, []),
        (
            {
                "iteration_budget": adaptive(initial=4, max=12),
                "loop_control": [{"when": "completion.vetoed", "extend_to": 20}],
            },
            [
                (
                    "AS510",
                    f"{RULES}[0].extend_to",
                    "`extend_to: 20` extends to 12 only, which is the maximum of the budget",
                )
            ],
        ),
        (
            {"iteration_budget": adaptive(max=40), "loop_control": [{"when": "completion.vetoed", "extend_to": 10}]},
            [("AS510", f"{RULES}[0].extend_to", "`extend_to` has no effect: the budget starts at 10")],
        ),
        # --- limits ---
        (
            {"max_iterations": 4, "max_nudges": 4},
            [("AS507", "execution.max_nudges", "`max_nudges` can never be reached: the run ends after 4 turns")],
        ),
        ({"max_iterations": 4}, []),
        ({"max_iterations": 4, "max_nudges": 3}, []),
        (
            {"max_iterations": 3, "loop_until_done": True, "verify_completion_judge": {"max_invocations": 7}},
            [
                (
                    "AS507",
                    "execution.verify_completion_judge.max_invocations",
                    "`verify_completion_judge.max_invocations` can never be reached: the run ends after 3 turns",
                )
            ],
        ),
        ({"max_iterations": 3, "loop_until_done": True, "verify_completion_judge": True}, []),
        # --- rules behind others ---
        (
            {"loop_control": [{"stop": "early"}, {"when": "completion.vetoed", "stop": "late"}]},
            [
                (
                    "AS512",
                    f"{RULES}[1].when",
                    "this rule never gets its turn: one without `when` always matches",
                )
            ],
        ),
        ({"verify_completion": [{"command": ["make"]}, {"when": "answer == ''", "veto": "Say something."}]}, []),
        (
            {
                "verify_completion": [
                    {"when": "answer == ''", "command": ["make"]},
                    {"when": "answer == ''", "veto": "Say."},
                ]
            },
            [],
        ),
        ({"loop_control": [{"python": "a:b"}, {"when": "completion.vetoed", "stop": "late"}]}, []),
        (
            {"terminal": [{"message": "Sum up."}, {"when": "text == ''", "message": "Say it."}]},
            [
                (
                    "AS512",
                    "execution.terminal[1].when",
                    "this rule never gets its turn: one without `when` always matches",
                )
            ],
        ),
        (
            {"post_turn": [{"when": "text == ''", "stop": True}, {"when": "text == ''", "message": "Go on."}]},
            [("AS512", "execution.post_turn[1].when", "this rule never gets its turn: `text == ''` matches first")],
        ),
        # --- words and nudges ---
        (
            {"loop_until_done": True, "done_sentinel": "READY", "max_nudges": 0},
            [
                (
                    "AS513",
                    "execution.max_nudges",
                    "with `max_nudges: 0` the first turn of prose without `READY` ends the run",
                )
            ],
        ),
        ({"loop_until_done": True, "done_sentinel": "READY", "profile": "verifier"}, []),
        ({"loop_until_done": True, "done_sentinel": False, "max_nudges": 0}, []),
        # --- judges ---
        (
            {"max_iterations": 7, "turn_end_condition": {"cadence": {"every": 4, "min_iterations_before_first": 5}}},
            [
                (
                    "AS514",
                    "execution.turn_end_condition.cadence.every",
                    "this judge never comes due: the run ends after 7 turns",
                )
            ],
        ),
        ({"max_iterations": 8, "turn_end_condition": {"cadence": {"every": 4, "min_iterations_before_first": 5}}}, []),
        (
            {"max_iterations": 7, "turn_end_condition": {"cadence": {"min_iterations_before_first": 7}}},
            [
                (
                    "AS514",
                    "execution.turn_end_condition.cadence.min_iterations_before_first",
                    "this judge never comes due: the run ends after 7 turns",
                )
            ],
        ),
        ({"max_iterations": 7, "turn_end_condition": {"cadence": {"min_iterations_before_first": 6}}}, []),
        (
            {"turn_end_condition": {"cadence": {"max_invocations": 0}}},
            [
                (
                    "AS514",
                    "execution.turn_end_condition.cadence.max_invocations",
                    "this judge never comes due: it may be asked 0 times",
                )
            ],
        ),
        (
            {"limits": {"working_time": "1m"}, "turn_end_condition": True},
            [("AS515", "execution.turn_end_condition", "this judge may take 65s, but the whole run has 60s")],
        ),
        ({"limits": {"working_time": "2m"}, "turn_end_condition": True}, []),
        (
            {"max_iterations": 1, "step_judge": True},
            [
                (
                    "AS519",
                    "execution.step_judge",
                    "the step judge is always skipped: at most 0 turns remain after one of 1",
                )
            ],
        ),
        ({"max_iterations": 2, "step_judge": True}, []),
        # --- last words ---
        (
            {"limits": {"tokens": 2000}},
            [
                (
                    "AS517",
                    "execution.limits.tokens",
                    "the usual reserve of 1024 is more than half of the 2000 tokens, so there is no wrap-up",
                )
            ],
        ),
        ({"limits": {"tokens": 2000}, "wrap_up": False}, []),
        ({"limits": {"tokens": 2048}}, []),
    ],
)
def test_a_loop_is_told_what_it_cannot_do(tmp_path, execution, expected):
    assert told(tmp_path, {"execution": execution}) == expected


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (
            {"timeout": "30s", "idle_timeout": "60s"},
            [("AS507", "model.idle_timeout", "`idle_timeout` can never be reached: `timeout` ends the call first")],
        ),
        ({"timeout": "30s"}, []),
        ({"timeout": "30s", "idle_timeout": "10s"}, []),
        ({"timeout": "30s", "max_output_tokens": 100}, []),
    ],
)
def test_a_call_is_told_what_it_cannot_do(tmp_path, model, expected):
    assert told(tmp_path, {"model": model, "execution": {"limits": {"tokens": 50_000}}}) == expected


def test_a_short_answer_needs_few_tokens_for_last_words(tmp_path):
    body: Body = {"model": {"max_output_tokens": 100}, "execution": {"limits": {"tokens": 400}}}

    assert told(tmp_path, body) == []


def test_an_extension_past_the_maximum_can_be_mended(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(
        "name: a\nexecution:\n  iteration_budget: {mode: adaptive, max: 12}\n"
        "  loop_control: [{when: completion.vetoed, extend_to: 20}]\n"
    )

    (found,) = check_paths([path], Options(select=("AS5",))).diagnostics

    assert found.fix is not None
    assert [(edit.span.text, edit.text) for edit in found.fix.edits] == [("20", "12")]
    assert found.fix.is_safe
