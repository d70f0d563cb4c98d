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
            {"max_iterations": 9, "limits": {"provider_calls": 4}},
            [
                (
                    "AS507",
                    "execution.max_iterations",
                    "9 turns can never be reached: `provider_calls` ends the run first",
                )
            ],
        ),
        ({"max_iterations": 9, "limits": {"provider_calls": 9}}, []),
        ({"limits": {"provider_calls": 4}}, []),
        (
            {"limits": {"wall_clock": "1m"}, "verify_completion": [{"command": ["make"], "timeout": "2m"}]},
            [
                (
                    "AS509",
                    "execution.verify_completion[0].timeout",
                    "`timeout` is longer than the run may last (`wall_clock: 1m`)",
                )
            ],
        ),
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
        (
            {"limits": {"provider_calls": 1}},
            [
                (
                    "AS517",
                    "execution.limits.provider_calls",
                    "the usual reserve of 1 is more than half of the 1 provider call, so there is no wrap-up",
                )
            ],
        ),
        ({"limits": {"provider_calls": 2}}, []),
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


@pytest.mark.parametrize(
    ("when", "place", "why"),
    [
        ("iteration > 12", "iteration > 12", "the run ends after 12 turns"),
        ("completion.vetoed && 20 <= iteration", "20 <= iteration", "the run ends after 12 turns"),
        ("iteration == 0", "iteration == 0", "turns count from 1"),
        ("iteration < 1", "iteration < 1", "turns count from 1"),
        ("progress.turns_since_progressing >= 13", "progress.turns_since_progressing >= 13", None),
        ("budget.remaining > 11", "budget.remaining > 11", "11 are left after the first"),
        ("budget.current_limit <= 3", "budget.current_limit <= 3", "the budget starts at 4"),
        ("budget.extension_count > 8", "budget.extension_count > 8", "there is room for 8 extensions"),
        ("budget.wall_clock_ms > 60000", "budget.wall_clock_ms > 60000", "`wall_clock` ends the run first"),
        ("usage.cost_usd > 2.0", "usage.cost_usd > 2.0", "`cost_usd` ends the run first"),
        ("usage.input_tokens > 90000", "usage.input_tokens > 90000", "`tokens` ends the run first"),
        ("progress.repeats > 4", "progress.repeats > 4", "`stall` acts after 3 results alike"),
        ("iteration >= 12", None, None),
        ("iteration == 1", None, None),
        ("iteration != 20", None, None),
        ("iteration > 20 || completion.vetoed", None, None),
        ("progress.repeats > 2", None, None),
        ("budget.remaining == 0", None, None),
        ("budget.current_limit < 5", None, None),
        ("budget.wall_clock_ms >= 60000", None, None),
    ],
)
def test_a_condition_that_no_run_reaches_is_told_at_its_part(tmp_path, when, place, why):
    path = tmp_path / "a.yaml"
    path.write_text(
        "name: a\nexecution:\n  iteration_budget: {mode: adaptive, initial: 4, max: 12}\n"
        "  limits: {wall_clock: 1m, cost_usd: 2, tokens: 90000, on_unknown_price: {input: 1, output: 1}}\n"
        f"  loop_control: [{{when: '{when}', extend: 2}}]\n"
    )

    found = check_paths([path], Options(select=("AS5",))).diagnostics

    assert [(one.code, one.span.text) for one in found] == ([] if place is None else [("AS521", place)])
    if why is not None:
        assert [one.message for one in found] == [f"this never holds: {why}"]


@pytest.mark.parametrize(
    ("place", "verb", "is_told"),
    [
        ("verify_completion", {"veto": "Go on."}, True),
        ("post_turn", {"message": "Go on."}, False),
        ("terminal", {"message": "Go on."}, False),
    ],
)
def test_rules_that_are_asked_after_last_words_see_one_turn_more(tmp_path, place, verb, is_told):
    body: Body = {"execution": {"max_iterations": 5, place: [{"when": "iteration > 5", **verb}]}}

    found = [code for code, _, _ in told(tmp_path, body)]

    assert found == (["AS521"] if is_told else [])


def test_routes_and_cadences_have_conditions_too(tmp_path):
    body: Body = {
        "model": {"routes": [{"model": "b", "when": "progress.turns_since_progressing > 9"}, {"model": "a"}]},
        "execution": {"max_iterations": 5, "turn_end_condition": {"cadence": {"when": "iteration > 5"}}},
    }

    assert [(code, path) for code, path, _ in told(tmp_path, body)] == [
        ("AS521", "model.routes[0].when"),
        ("AS521", "execution.turn_end_condition.cadence.when"),
    ]


@pytest.mark.parametrize(
    "stall", [False, {"exempt_tools": ["read_file"]}, {"threshold": 9}, {"stuck_limit": 8}, {"threshold": "x"}]
)
def test_repeats_are_bounded_only_where_stall_certainly_ends_the_run(tmp_path, stall):
    body: Body = {
        "execution": {"stall": stall, "loop_control": [{"when": "progress.repeats > 4", "stop": "weary"}]},
        "capability": {"toolkits": ["files.read"]},
    }

    assert told(tmp_path, body) == []


ACTION: Body = {"turn_policy": {"require_action_or_yield": True}}
NO_END = "no turn can end this run: each has to call a tool, and no call ends it"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"execution": ACTION}, "execution.turn_policy.require_action_or_yield"),
        ({"execution": {**ACTION, "loop_until_done": True}}, "execution.turn_policy.require_action_or_yield"),
        ({"execution": {**ACTION, "done_sentinel": "READY"}}, None),
        ({"execution": {**ACTION, "loop_until_done": True}, "model": {"tool_format": "text"}}, None),
        ({"execution": {**ACTION, "stop_after_successful_tools": ["read_file"]}}, None),
        ({"execution": {**ACTION, "post_turn": [{"when": "has_tool_calls", "stop": True}]}}, None),
        ({"execution": {**ACTION, "loop_control": [{"when": "iteration > 3", "stop": "weary"}]}}, None),
        ({"execution": ACTION, "lifecycle": {"daemon": True}}, None),
        ({"model": {"tool_choice": "required"}}, None),
        ({"execution": {"turn_policy": {"require_action_or_yield": False}}}, None),
    ],
)
def test_a_run_whose_every_turn_calls_a_tool_needs_a_call_that_ends_it(tmp_path, body, place):
    found = told(tmp_path, {**body, "capability": {"toolkits": ["files.read"]}})

    assert found == ([] if place is None else [("AS522", place, NO_END)])


@pytest.mark.parametrize(
    ("choice", "execution", "expected"),
    [
        ("none", {"require_successful_tools": ["read_file"]}, ("require_successful_tools[0]", "no tool")),
        ("none", {"stop_after_successful_tools": ["read_file"]}, ("stop_after_successful_tools[0]", "no tool")),
        ({"tool": "read_file"}, {"require_successful_tools": ["find_files"]}, None),
    ],
)
def test_a_tool_that_the_choice_keeps_away_cannot_be_waited_for(tmp_path, choice, execution, expected):
    body = {
        "model": {"tool_choice": choice},
        "execution": execution,
        "capability": {"toolkits": ["files.read"]},
    }

    found = told(tmp_path, body)

    words = (
        []
        if expected is None
        else [("AS523", f"execution.{expected[0]}", f"the model may not call this: `tool_choice` allows {expected[1]}")]
    )
    assert found == words


@pytest.mark.parametrize(("capability", "is_told"), [({"toolkits": ["files.read"]}, True), ({"toolkits": []}, False)])
def test_tools_that_are_offered_and_never_may_be_called_are_told(tmp_path, capability, is_told):
    found = told(tmp_path, {"model": {"tool_choice": "none"}, "capability": capability})

    words = "the model may call no tool, and tools are offered"
    assert [one for one in found if one[0] == "AS523"] == ([("AS523", "model.tool_choice", words)] if is_told else [])


@pytest.mark.parametrize(
    ("execution", "expected"),
    [
        ({"max_nudges": 0, "nudge": "On."}, ("nudge", "with `max_nudges: 0` nothing is nudged")),
        ({"profile": "verifier", "nudge": "On."}, ("nudge", "with `max_nudges: 0` nothing is nudged")),
        ({"nudge": "On."}, None),
        ({"tool_backoff": "2s"}, ("tool_backoff", "no tool is tried again")),
        ({"tool_backoff": "2s", "tool_retries": 2}, None),
        (
            {"tool_error_mode": "abort", "limits": {"consecutive_failures": 3}},
            ("limits.consecutive_failures", "with `tool_error_mode: abort` the first failure ends the run"),
        ),
        ({"stall": {"threshold": 5, "stuck_limit": 2}}, ("stall.threshold", "`stuck_limit` takes its place")),
        ({"stall": {"threshold": 5, "inject_feedback": False}}, None),
        (
            {"stall": {"max_notes": 2, "inject_feedback": False}},
            ("stall.max_notes", "with `inject_feedback: false` no note is given"),
        ),
        (
            {"verify_completion": [{"when": "answer == ''", "veto": "Say.", "timeout": "5s"}]},
            ("verify_completion[0].timeout", "it is about the `command` that this rule lacks"),
        ),
        ({"verify_completion": [{"command": ["make"], "timeout": "5s", "cwd": "."}]}, None),
        (
            {"post_turn": [{"message": "On.", "needs_verify": True}]},
            ("post_turn[0].needs_verify", "it is about the `stop` that this rule lacks"),
        ),
        ({"post_turn": [{"message": "On.", "feedback_kind": "hint"}]}, None),
        ({"post_turn": [{"mesage": "On.", "feedback_kind": "hint"}]}, None),
        (
            {"stall": {"repair_diagnostics": {"no_net_progress_extend_after": 2}}},
            (
                "stall.repair_diagnostics.no_net_progress_extend_after",
                "`no_net_progress_extend_guard` is not on",
            ),
        ),
        (
            {"stall": {"repair_diagnostics": {"no_net_progress_extend_guard": True}}},
            ("stall.repair_diagnostics.no_net_progress_extend_guard", "a fixed budget never grows"),
        ),
        (
            {
                "stall": {"repair_diagnostics": {"no_net_progress_extend_guard": True}},
                "iteration_budget": {"mode": "adaptive"},
            },
            None,
        ),
        ({"limits": {"scope": "session"}}, ("limits.scope", "no bound is set that runs of a session could share")),
        ({"limits": {"scope": "session", "tokens": 90_000}}, None),
        ({"limits": {"scope": "run"}}, None),
    ],
)
def test_a_setting_that_another_one_switches_off_is_told(tmp_path, execution, expected):
    found = told(tmp_path, {"execution": execution})

    if expected is None:
        assert found == []
        return
    key = expected[0].rpartition(".")[2]
    assert found == [("AS524", f"execution.{expected[0]}", f"`{key}` has no effect: {expected[1]}")]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../report.md", "it lies outside of the project folder"),
        ("/etc/hosts", "it lies outside of the project folder"),
        ("out/../../report.md", "it lies outside of the project folder"),
        ("deploy/id_rsa", "files of that name hold secrets"),
        (".env.local", "files of that name hold secrets"),
        ("report.md", None),
        ("a/../report.md", None),
        (".env.example", None),
    ],
)
def test_a_required_file_is_looked_for_below_the_project_only(tmp_path, path, why):
    body: Body = {"execution": {"require_artifacts": [path]}, "capability": {"toolkits": ["files.edit"]}}

    found = told(tmp_path, body)

    message = f"`{path}` is never looked for: {why}"
    assert found == ([] if why is None else [("AS525", "execution.require_artifacts[0]", message)])


def test_an_absolute_path_below_the_project_is_fine(tmp_path):
    required = {"require_artifacts": [f"{tmp_path.resolve()}/out/report.md"]}

    assert told(tmp_path, {"execution": required, "capability": {"toolkits": ["command"]}}) == []


@pytest.mark.parametrize(
    "capability",
    [{"toolkits": ["files.read"]}, {"tools": {"t": {"description": "d", "expr": "1", "returns": "integer"}}}],
)
def test_a_required_file_that_nothing_writes_is_told_unless_it_is_there(tmp_path, capability):
    body: Body = {"execution": {"require_artifacts": ["out.md"]}, "capability": capability}
    before = told(tmp_path, body)
    (tmp_path / "out.md").write_text("")

    assert before == [
        ("AS525", "execution.require_artifacts[0]", "`out.md` is not there, and no tool of this spec can write it")
    ]
    assert told(tmp_path, body) == []


def test_what_verifies_a_completion_may_write_what_is_required(tmp_path):
    execution = {"loop_until_done": True, "require_artifacts": ["a"], "verify_completion": [{"command": ["make"]}]}

    assert told(tmp_path, {"execution": execution}) == []


@pytest.mark.parametrize(
    ("schema", "least"),
    [
        ({"type": "string", "minLength": 99}, 101),
        ({"type": "array", "minItems": 50, "items": {"type": "integer"}}, 101),
        (
            {
                "type": "object",
                "required": ["a", "b"],
                "properties": {"a": {"type": "string", "minLength": 100}, "c": {"type": "string", "minLength": 900}},
            },
            114,
        ),
        ({"type": "string", "minLength": 98}, None),
        ({"anyOf": [{"type": "string", "minLength": 900}, {"type": "null"}]}, None),
        ({"type": "object", "properties": {"a": {"type": "string", "minLength": 900}}}, None),
    ],
)
def test_an_answer_that_a_turn_cannot_hold_is_told(tmp_path, schema, least):
    body: Body = {"execution": {"turn_policy": {"max_prose_chars": 100}, "output": {"schema": schema}}}

    found = told(tmp_path, body)

    message = f"no answer fits: the schema of `output` asks for at least {least} characters"
    assert found == ([] if least is None else [("AS526", "execution.turn_policy.max_prose_chars", message)])


@pytest.mark.parametrize(
    ("execution", "is_told"),
    [
        ({"max_iterations": 1}, True),
        ({"profile": "completer"}, True),
        ({"max_iterations": 2}, False),
        ({"max_iterations": 1, "stop_after_successful_tools": ["read_file"]}, False),
        ({"max_iterations": 1, "done_sentinel": "READY"}, False),
    ],
)
def test_a_run_of_one_turn_has_none_for_the_answer_after_its_tools(tmp_path, execution, is_told):
    body: Body = {
        "execution": {**execution, "require_successful_tools": ["read_file"]},
        "capability": {"toolkits": ["files.read"]},
    }

    found = told(tmp_path, body)

    message = "tools must succeed, and the answer takes another turn, but the run ends after 1 turn"
    assert found == ([("AS504", "execution.require_successful_tools", message)] if is_told else [])


@pytest.mark.parametrize(
    ("model", "execution", "is_told"),
    [
        ({"tool_format": "text"}, {"max_nudges": 0}, True),
        ({"tool_format": "text"}, {"profile": "verifier"}, True),
        ({"tool_format": "text"}, {"max_nudges": 0, "done_sentinel": False}, False),
        ({"tool_format": "text"}, {"max_nudges": 1}, False),
        ({"tool_format": "json"}, {"max_nudges": 0}, False),
        ({"tool_format": "native"}, {"max_nudges": 0}, False),
    ],
)
def test_no_nudges_are_told_where_prose_is_no_answer(tmp_path, model, execution, is_told):
    found = told(tmp_path, {"model": model, "execution": {"loop_until_done": True, **execution}})

    message = "with `max_nudges: 0` the first turn of prose without `##DONE##` ends the run"
    assert found == ([("AS513", "execution.max_nudges", message)] if is_told else [])


def test_answers_from_a_cache_take_no_call(tmp_path):
    body: Body = {"model": {"cache": "read_write"}, "execution": {"max_iterations": 9, "limits": {"provider_calls": 4}}}

    assert told(tmp_path, body) == []


@pytest.mark.parametrize(
    ("execution", "place"),
    [
        ({"verify_completion": [{"veto": "No."}]}, "verify_completion[0].veto"),
        ({"verify_completion": [{"command": ["make"]}, {"when": True, "veto": "No."}]}, "verify_completion[1].veto"),
        ({"verify_completion": [{"when": "answer == 'yes'", "accept": True}, {"veto": "No."}]}, None),
        ({"verify_completion": [{"when": "answer == ''", "veto": "No."}]}, None),
        ({"verify_completion": [{"veto": "No."}], "post_turn": [{"when": "text == 'end'", "stop": True}]}, None),
    ],
)
def test_a_rule_that_turns_every_answer_down_is_told(tmp_path, execution, place):
    found = told(tmp_path, {"execution": execution})

    message = "no turn can end this run: this rule turns every answer down"
    assert found == ([] if place is None else [("AS522", f"execution.{place}", message)])


def test_one_part_that_never_holds_is_told_of_a_condition(tmp_path):
    when = "iteration > 60 && budget.remaining > 70"

    found = told(tmp_path, {"execution": {"loop_control": [{"when": when, "stop": "weary"}]}})

    assert found == [("AS521", f"{RULES}[0].when", "this never holds: 49 are left after the first")]


def test_a_wrap_up_that_costs_more_than_half_of_the_money_is_told(tmp_path):
    spec = {"model": {"prices": {"input": 10, "output": 100}}, "execution": {"limits": {"cost_usd": 0.1}}}

    said = "the usual reserve of 0.1024 is more than half of the 0.1 dollars, so there is no wrap-up"
    assert told(tmp_path, spec) == [("AS517", "execution.limits.cost_usd", said)]


def test_a_wrap_up_that_costs_more_than_half_of_the_money_by_the_catalogue_is_told(tmp_path):
    model = {"provider": "openai", "model": "gpt-5.4-mini"}  # 4.5 dollars for a million tokens of an answer
    spec = {"model": model, "execution": {"limits": {"cost_usd": 0.005}}}

    said = "the usual reserve of 0.004608 is more than half of the 0.005 dollars, so there is no wrap-up"
    assert told(tmp_path, spec) == [("AS517", "execution.limits.cost_usd", said)]
    assert told(tmp_path, {**spec, "model": {**model, "base_url": "http://127.0.0.1:1/v1"}}) == []


CALLS = "execution.limits.provider_calls"


@pytest.mark.parametrize(
    ("body", "most"),
    [
        ({"execution": {"max_iterations": 5, "limits": {"provider_calls": 84}}}, 83),
        ({"execution": {"max_iterations": 5, "limits": {"provider_calls": 83}}}, None),
        ({"execution": {"limits": {"provider_calls": 100_000}}, "model": {"retry": False}}, 170),
        ({"execution": {"max_iterations": 5, "step_judge": True, "limits": {"provider_calls": 90}}}, None),
        (
            {
                "execution": {"max_iterations": 5, "limits": {"provider_calls": 1_000}},
                "capability": {"tools": {"ask": {"agent": "other.yaml"}}},
            },
            None,
        ),
    ],
    ids=["above", "just reached", "usual turns, no retries", "judges count", "agents make calls of their own"],
)
def test_a_bound_on_calls_far_above_what_all_turns_make_is_told(tmp_path, body, most):
    turns = body["execution"].get("max_iterations", 50)

    found = [each for each in told(tmp_path, body) if each[1] == CALLS]

    words = f"`provider_calls` can never be reached: {turns} turns make at most {most} calls, with all retries"
    assert found == ([] if most is None else [("AS507", CALLS, words)])


@pytest.mark.parametrize(("capability", "is_told"), [({}, True), ({"toolkits": ["math"]}, False)])
def test_a_choice_about_tools_where_none_is_offered_is_told(tmp_path, capability, is_told):
    found = told(tmp_path, {"model": {"tool_choice": "required"}, "capability": capability})

    words = "`tool_choice` has no effect: no tool is offered"
    assert found == ([("AS524", "model.tool_choice", words)] if is_told else [])


@pytest.mark.parametrize(
    ("execution", "place"),
    [
        ({"loop_control": [{"stop": "x"}]}, "execution.loop_control[0]"),
        ({"loop_control": [{"when": "iteration > 0", "stop": "x"}]}, "execution.loop_control[0]"),
        ({"post_turn": [{"when": "true", "stop": True}]}, "execution.post_turn[0]"),
        ({"input_guardrail": {"when": "true"}}, "execution.input_guardrail.when"),
        ({"loop_control": [{"when": "iteration > 1", "stop": "x"}]}, None),
        ({"loop_control": [{"when": "completion.vetoed", "extend": 2}, {"stop": "x"}]}, None),
        ({"loop_control": [{"stop": "x"}], "max_iterations": 1}, None),
        ({"post_turn": [{"message": "Go on."}]}, None),
    ],
)
def test_a_rule_that_ends_every_run_at_once_is_told(tmp_path, execution, place):
    found = told(tmp_path, {"execution": execution})

    assert [where for code, where, _ in found if code == "AS527"] == ([] if place is None else [place])


@pytest.mark.parametrize(
    ("retry", "is_told"),
    [
        ({"max_attempts": 8, "base": "20s"}, True),
        ({"max_attempts": 8, "base": "1s", "max": "2s", "jitter": False}, False),
        ({"max_attempts": 3, "base": "8s"}, False),
        ({"max_attempts": 3, "base": "11s", "jitter": False}, True),
    ],
)
def test_waits_that_outlast_the_run_are_told(tmp_path, retry, is_told):
    found = told(tmp_path, {"model": {"retry": retry}, "execution": {"limits": {"wall_clock": "30s"}}})

    assert [code for code, _, _ in found] == (["AS516"] if is_told else [])
