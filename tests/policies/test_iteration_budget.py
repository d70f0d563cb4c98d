"""How far a run may go: the forms of a budget, what makes it grow, what rules decide, and that nothing passes its max."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.orders import Ask, CallModel, Note, Outcome
from agentspec.core.policy import Ruled
from agentspec.core.proposals import Act
from agentspec.core.rulings import Refuse
from agentspec.core.step import initial, step
from agentspec.policies.iteration_budget import IterationBudget
from agentspec.spec.effective import effective
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import Kernel, call, plan_for, tool

LOOK, FIX = tool("look"), tool("fix", effect="write")
SMALL = {"mode": "adaptive", "initial": 2, "max": 5, "extend_by": 2}


def begun(budget=SMALL, **execution):
    """A run that has begun, in which nothing but the budget ends it."""
    values = {"iteration_budget": budget, "stall": False, "wrap_up": False, **execution}
    kernel = Kernel(plan_for({"execution": values}, LOOK, FIX))
    kernel.start("go")
    return kernel


def read(kernel, key):
    """A turn that reads something."""
    kernel.reply("", call("look", arguments=f'{{"at": "{key}"}}'))
    kernel.returned("c1", f"what is at {key}")


def decisions(kernel):
    """What the event stream heard of all decisions so far."""
    state, found = initial(kernel.plan), []
    for event in kernel.events:
        state, orders = step(kernel.plan, state, event)
        found += [
            order.fields for order in orders if isinstance(order, Note) and order.event == "loop_control_decision"
        ]
    return found


def limits(kernel):
    """The limits that the budget had, from the first on."""
    return [kernel.state.facts.budget.initial, *(one["new_limit"] for one in decisions(kernel))]


def memory(kernel):
    at = next(i for i, policy in enumerate(kernel.plan.policies) if isinstance(policy, IterationBudget))
    return kernel.state.memory[at]


# --- forms ---


@pytest.mark.parametrize(
    ("execution", "shape"),
    [
        ({}, ("fixed", 50, 50, 0, 0, False)),
        ({"max_iterations": 7}, ("fixed", 7, 7, 0, 0, False)),
        ({"iteration_budget": "fixed"}, ("fixed", 50, 50, 0, 0, False)),
        ({"iteration_budget": "fixed", "max_iterations": 7}, ("fixed", 7, 7, 0, 0, False)),
        ({"iteration_budget": {"max": 9}}, ("fixed", 9, 9, 0, 0, False)),
        ({"iteration_budget": {"max": 9}, "max_iterations": 7}, ("fixed", 9, 9, 0, 0, False)),
        ({"iteration_budget": {"max": 9, "initial": 3, "extend_by": 2}}, ("fixed", 9, 9, 0, 0, False)),
        ({"iteration_budget": {"max": 9, "expose_decisions": True}}, ("fixed", 9, 9, 0, 0, True)),
        ({"iteration_budget": "adaptive"}, ("adaptive", 4, 16, 2, 2, True)),
        ({"iteration_budget": "adaptive", "max_iterations": 30}, ("adaptive", 4, 16, 2, 2, True)),
        ({"iteration_budget": {"mode": "adaptive", "max": 3}}, ("adaptive", 1, 3, 2, 2, True)),
        ({"iteration_budget": {"mode": "adaptive", "max": 12}}, ("adaptive", 3, 12, 2, 2, True)),
        (
            {"iteration_budget": {"mode": "adaptive", "initial": 6, "max": 60, "extend_by": 4, "progress_window": 1}},
            ("adaptive", 6, 60, 4, 1, True),
        ),
        (
            {"iteration_budget": {"mode": "adaptive", "extend_by": 0, "expose_decisions": False}},
            ("adaptive", 4, 16, 0, 0, False),
        ),
    ],
)
def test_every_form_of_a_budget_comes_to_one_shape(execution, shape):
    budget = IterationBudget.configure(Settings(effective({"name": "a", "execution": execution})), {})

    found = (budget.mode, budget.initial, budget.max, budget.extend_by, budget.progress_window, budget.exposes)
    assert found == shape


@pytest.mark.parametrize(
    ("execution", "place", "detail"),
    [
        ({"max_iterations": 2}, "execution.max_iterations", "2 turns"),
        ({"iteration_budget": {"max": 2}}, "execution.iteration_budget.max", "2 turns"),
        (
            {"iteration_budget": {"mode": "adaptive", "initial": 2, "max": 8, "extend_by": 0}},
            "execution.iteration_budget",
            "2 turns; nothing spoke for more, up to 8",
        ),
    ],
)
def test_the_end_names_the_bound_and_its_place(execution, place, detail):
    kernel = begun(**{"budget": execution.pop("iteration_budget", "fixed"), **execution})

    read(kernel, "a")
    read(kernel, "b")

    assert kernel.outcome == Outcome("budget_exhausted", "max_iterations", place=place, detail=detail)


# --- growing by itself ---


@pytest.mark.parametrize(
    ("budget", "keys", "seen"),
    [
        ({"initial": 3, "max": 9, "extend_by": 2}, "abbbbbbb", [3, 5]),
        ({"initial": 3, "max": 9, "extend_by": 2, "progress_window": 1}, "abb", [3]),
        ({"initial": 3, "max": 9, "extend_by": 2, "progress_window": 2}, "aaa", [3]),
        ({"initial": 2, "max": 5, "extend_by": 2}, "abcde", [2, 4, 5]),
        ({"initial": 2, "max": 9, "extend_by": 2}, "abcdefghi", [2, 4, 6, 8, 9]),
    ],
    ids=["known in the window", "known, and a window of 1", "three times the same", "always new", "to the maximum"],
)
def test_an_adaptive_budget_grows_at_its_edge_while_there_is_progress(budget, keys, seen):
    kernel = begun({"mode": "adaptive", **budget})

    for key in keys[: seen[-1]]:
        read(kernel, key)

    assert limits(kernel) == seen
    assert (kernel.outcome.reason, kernel.state.facts.iteration) == ("max_iterations", seen[-1])


def test_an_extension_is_recorded_and_the_model_hears_of_it_once():
    kernel = begun()
    read(kernel, "a")
    read(kernel, "b")

    said = kernel.ordered(CallModel)[0].harness
    read(kernel, "c")

    assert said == "You may take 4 turns now, 2 more than before: the last turns made progress."
    assert kernel.ordered(CallModel)[0].harness is None
    assert decisions(kernel) == [
        {"iteration": 2, "action": "extend", "old_limit": 2, "new_limit": 4, "reason": "progress", "status": None}
    ]


def test_a_model_that_is_not_to_know_hears_of_no_extension():
    kernel = begun({**SMALL, "expose_decisions": False})
    read(kernel, "a")
    read(kernel, "b")

    assert kernel.ordered(CallModel)[0].harness is None
    assert limits(kernel) == [2, 4]


def test_a_veto_extends_before_anything_else_and_missing_tools_before_progress():
    kernel = begun(loop_until_done=True, verify_completion=[{"when": "iteration < 4", "veto": "Look again."}])
    read(kernel, "a")
    kernel.reply("done")
    first = decisions(kernel)

    missing = begun(require_successful_tools=["fix"], loop_until_done=True)
    read(missing, "a")
    read(missing, "b")

    assert [one["reason"] for one in first] == ["completion_vetoed"]
    assert [one["reason"] for one in decisions(missing)] == ["required_tools_missing"]


def test_nothing_is_decided_before_the_edge():
    kernel = begun({**SMALL, "initial": 3})

    read(kernel, "a")
    read(kernel, "b")

    assert decisions(kernel) == []


# --- rules ---


@pytest.mark.parametrize(
    ("rule", "decided"),
    [
        ({"extend": 1}, [("extend", 2, 3, "loop_control")]),
        ({"extend": True}, [("extend", 2, 4, "loop_control")]),
        ({"extend": 90, "reason": "more to do"}, [("extend", 2, 5, "more to do")]),
        ({"extend_to": 3}, [("extend_to", 2, 3, "loop_control")]),
        ({"extend_to": 90}, [("extend_to", 2, 5, "loop_control")]),
        ({"extend_to": 2}, []),
        ({"extend_to": 1}, []),
        ({"none": True}, []),
    ],
)
def test_the_command_of_a_rule_changes_the_limit_within_the_maximum(rule, decided):
    kernel = begun(loop_control=[{"when": "iteration == 1", **rule}, {"when": "iteration == 1", "extend": 3}])

    read(kernel, "a")

    found = [(one["action"], one["old_limit"], one["new_limit"], one["reason"]) for one in decisions(kernel)]
    assert found == decided


def test_with_rules_nothing_else_extends():
    kernel = begun(loop_control=[{"when": "false", "extend": 2}])

    read(kernel, "a")
    read(kernel, "b")

    assert (kernel.outcome.reason, limits(kernel)) == ("max_iterations", [2])


def test_a_rule_ends_the_run_with_its_own_word():
    rules = [
        {"when": "turn.tool_call_count == 0", "extend": 1},
        {"when": "iteration >= 2", "stop": "incomplete", "reason": "too slow"},
    ]
    kernel = begun(loop_control=rules)

    read(kernel, "a")
    read(kernel, "b")

    assert kernel.outcome == Outcome("incomplete", "too slow", place="execution.loop_control[1]")
    assert decisions(kernel) == [
        {
            "iteration": 2,
            "action": "stop",
            "old_limit": 2,
            "new_limit": 2,
            "reason": "too slow",
            "status": "incomplete",
        }
    ]


def test_a_stop_without_a_reason_has_the_name_of_the_key():
    kernel = begun(loop_control=[{"stop": "incomplete"}])

    read(kernel, "a")

    assert (kernel.outcome.status, kernel.outcome.reason) == ("incomplete", "loop_control")


def test_rules_also_stop_a_fixed_budget_and_cannot_extend_it():
    kernel = begun("fixed", max_iterations=3, loop_control=[{"when": "iteration < 2", "extend": 5}, {"stop": "enough"}])

    read(kernel, "a")
    read(kernel, "b")

    assert (kernel.outcome.status, [one["action"] for one in decisions(kernel)]) == ("enough", ["stop"])


def test_rules_are_asked_of_a_turn_that_a_veto_cut_short():
    kernel = begun(
        loop_until_done=True,
        verify_completion=[{"veto": "Look again."}],
        loop_control=[{"when": "completion.vetoed && completion.feedback == 'Look again.'", "extend": 2}],
    )

    kernel.reply("done")

    assert limits(kernel) == [2, 4]


def test_rules_see_the_budget_as_it_is_now():
    seen = (
        "budget.mode == 'adaptive' && budget.initial == 2 && budget.current_limit == 2 && budget.max == 5"
        " && budget.remaining == 1 && budget.extension_count == 0 && budget.wall_clock_ms == 2000"
    )
    kernel = begun(loop_control=[{"when": seen, "extend": 1}])

    read(kernel, "a")

    assert (kernel.now - kernel.state.facts.started, limits(kernel)) == (2.0, [2, 3])


def test_an_expression_that_fails_does_not_match_and_is_told():
    kernel = begun(loop_control=[{"when": "turn.tool_names[7] == 'look'", "stop": "odd"}, {"extend": 1}])

    read(kernel, "a")

    told = [note.fields for note in kernel.ordered(Note) if note.event == "expression_error"]
    assert [(one["place"], one["rule"]) for one in told] == [("loop_control.when", 1)]
    assert limits(kernel) == [2, 3]
    read(kernel, "b")
    assert sum(note.event == "expression_error" for note in kernel.ordered(Note)) == 1


# --- functions ---


def test_a_function_is_asked_before_the_next_turn_and_decides():
    kernel = begun(loop_control=[{"when": "iteration == 1", "python": "acme.loops:decide"}, {"extend": 1}])

    read(kernel, "a")
    asked = kernel.ordered(Ask)[0]
    kernel.answered({"value": {"extend_to": 5, "reason": "much to do"}})

    assert (asked.who, asked.asker, asked.question["function"]) == ("python", "iteration_budget", "acme.loops:decide")
    assert asked.question["state"]["iteration"] == 1
    assert asked.question["state"]["budget"]["current_limit"] == 2
    assert [(one["new_limit"], one["reason"]) for one in decisions(kernel)] == [(5, "much to do")]
    assert len(kernel.ordered(CallModel)) == 1


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"value": None}, None),
        ({"value": {}}, None),
        ({"error": "`acme.loops:decide`: no answer after 1 s"}, "`acme.loops:decide`: no answer after 1 s"),
        ({"value": {"stop": "done"}}, "its `stop` is `done`, which only the runtime may say"),
        ({"value": {"stop": "Not A Word"}}, "its `stop` is no word in small letters"),
        ({"value": {"extend": "2"}}, "its `extend` is not true or a whole number"),
    ],
)
def test_a_function_that_says_nothing_usable_leaves_the_word_to_the_next_rule(answer, problem):
    kernel = begun(loop_control=[{"python": "acme.loops:decide"}, {"extend": 1}])

    read(kernel, "a")
    kernel.answered(answer)

    told = [note.fields["error"] for note in kernel.ordered(Note) if note.event == "expression_error"]
    assert told == ([problem] if problem else [])
    assert limits(kernel) == [2, 3]


# --- rescue ---


def rescued(kernel):
    """The policy on stalls has answered a repeated call without running it."""
    facts = kernel.state.facts
    budget = next(policy for policy in kernel.plan.policies if isinstance(policy, IterationBudget))
    ruling = Ruled(policy="stall", proposal=Act(call("look"), 0, {}), ruling=Refuse("known", category="rescue"))
    once = budget.observe(memory(kernel), ruling, facts)
    return once, budget.observe(once, ruling, facts)


@pytest.mark.parametrize(("turns", "limit"), [(1, 3), (2, 4), (3, 5)])
def test_a_rescue_grants_one_more_turn_once_a_turn(turns, limit):
    kernel = begun(loop_control=[{"when": "iteration == 3", "extend": 1}, {"when": "iteration == 2", "extend": 1}])
    for number in range(turns):
        read(kernel, number)

    once, twice = rescued(kernel)

    assert once.limit == limit
    assert twice == once
    assert (once.decision["action"], once.decision["iteration"]) == ("rescue", turns + 1)


def test_a_rescue_passes_no_maximum():
    kernel = begun({"mode": "adaptive", "initial": 1, "max": 1})

    kernel.reply("", call("look"))

    assert rescued(kernel)[1] == memory(kernel)


# --- whatever happens ---

BUDGETS = st.builds(
    lambda initial, more, by, window: {
        "mode": "adaptive",
        "initial": initial,
        "max": initial + more,
        "extend_by": by,
        "progress_window": window,
    },
    st.integers(1, 4),
    st.integers(0, 6),
    st.integers(0, 3),
    st.integers(1, 3),
)
CONDITIONS = ["true", "iteration % 2 == 0", "turn.tool_names[3] == 'x'", "progress.changed", "budget.remaining == 0"]
COMMANDS = [{"extend": 1}, {"extend": True}, {"extend_to": 4}, {"none": True}, {"stop": "enough"}, {"python": "a:b"}]
RULES = st.lists(st.builds(lambda when, what: {"when": when, **what}, *map(st.sampled_from, (CONDITIONS, COMMANDS))))
ANSWERS = [None, {"value": None}, {"value": {"extend": 99}}, {"value": {"stop": "late"}}, {"value": {"stop": "error"}}]
TURNS = st.sampled_from(["a", "b", "c", "done", "fails"])


def lived(budget, rules, data):
    """A run with any turns and any answers."""
    more = {"loop_control": rules} if rules else {}
    kernel = begun(budget, loop_until_done=True, verify_completion=[{"veto": "No."}], **more)
    while not kernel.state.is_over:
        if any(isinstance(order, Ask) for order in kernel.state.pending.values()):
            kernel.answered(data.draw(st.sampled_from(ANSWERS)))
            continue
        match data.draw(TURNS):
            case "done":
                kernel.reply("done")
            case "fails":
                kernel.reply("", call("fix"))
                kernel.returned("c1", "no", status="error")
            case key:
                read(kernel, key)
    return kernel


@given(BUDGETS, RULES, st.data())
def test_no_run_passes_its_maximum_and_every_change_of_the_limit_is_on_record(budget, rules, data):
    kernel = lived(budget, rules, data)

    recorded = decisions(kernel)
    facts = kernel.state.facts
    assert facts.iteration <= facts.budget.current_limit <= budget["max"]
    assert limits(kernel)[-1] == facts.budget.current_limit
    assert [one["old_limit"] for one in recorded] == limits(kernel)[:-1]
    assert all(one["reason"] for one in recorded)
    assert all(one["new_limit"] > one["old_limit"] for one in recorded if one["action"].startswith("extend"))
    assert sum(one["new_limit"] > one["old_limit"] for one in recorded) == facts.budget.extension_count


@given(BUDGETS, RULES, st.data())
def test_folding_twice_is_equal_and_memory_is_plain(budget, rules, data):
    kernel = lived(budget, rules, data)

    again = initial(kernel.plan)
    for event in kernel.events:
        again, _ = step(kernel.plan, again, event)

    assert again == kernel.state
    assert len(msgspec.json.encode(memory(kernel))) < 16_000


@given(st.sampled_from(["turn.tool_names[9] == 'a'", "1 / budget.extension_count == 1"]), st.data())
def test_an_expression_that_fails_never_matches(when, data):
    kernel = lived({**SMALL, "initial": 1, "max": 4}, [{"when": when, "stop": "odd"}, {"extend": 1}], data)

    assert "odd" not in [one["status"] for one in decisions(kernel)[:1]]
    assert limits(kernel)[:2] == [1, 2]


# --- the guard of extensions ---

TEST = tool("test", effect="process")


@pytest.mark.parametrize(
    ("rules", "guards", "limit"),
    [(None, False, 6), (None, True, 3), ([{"extend": 1}], False, 6), ([{"extend": 1}], True, 5)],
)
def test_a_guarded_budget_does_not_grow_while_the_same_check_fails_in_the_same_way(rules, guards, limit):
    diagnostics = {"no_net_progress_extend_after": 2, "no_net_progress_extend_guard": guards}
    stall = {"threshold": 90, "repeat_same_error": 90, "repair_diagnostics": diagnostics}
    budget = {"mode": "adaptive", "initial": 3, "max": 6, "extend_by": 1, "progress_window": 6}
    values = {"iteration_budget": budget, "loop_control": rules, "stall": stall, "wrap_up": False}
    kernel = Kernel(plan_for({"execution": values}, LOOK, TEST))
    kernel.start("go")

    read(kernel, "a")
    for turn in range(2, limit + 1):
        kernel.reply("", call("test", f"c{turn}"))
        kernel.returned(f"c{turn}", "1 failed", status="error")

    assert kernel.outcome.reason == "max_iterations"
    assert kernel.state.facts.budget.current_limit == limit
