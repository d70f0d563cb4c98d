"""Given calls and replies that repeat, when the next turn would begin, then it is told once, rescued once, and ended."""

from typing import Any

import pytest

from agentspec.core.calls.canonical import call_key
from agentspec.core.events import UserSaid
from agentspec.core.messages import ToolMessage
from agentspec.core.orders import Ask, CallModel, CallTool, Note, Outcome
from agentspec.core.repeats.memory import CALLS_KEPT
from agentspec.core.repeats.recent import FRESH
from agentspec.testing.kernel import Kernel, call, plan_for, tool

TOOLS = (
    tool("look"),
    tool("list"),
    tool("wait"),
    tool("write", effect="write", repeat="once"),
    tool("test", effect="process"),
)


def kernel_with(stall: Any = True, **execution: Any) -> Kernel:
    kernel = Kernel(plan_for({"execution": {"loop_until_done": True, "stall": stall, **execution}}, *TOOLS))
    kernel.start("go")
    return kernel


def act(kernel: Kernel, *calls: tuple[str, str, str]) -> None:
    """One turn: these calls (name, arguments, what each brings), each with an id of its own."""
    named = [call(name, f"{len(kernel.events)}.{index}", text) for index, (name, text, _) in enumerate(calls)]
    kernel.reply("", *named)
    for made, (_, _, brought) in zip(named, calls, strict=True):
        if any(isinstance(order, CallTool) and order.call == made for order in kernel.state.pending.values()):
            kernel.returned(made.id, brought, effect=kernel.plan.tools[made.name].effect)


def repeat(kernel: Kernel, times: int, name: str = "look", brought: str = "a book") -> None:
    for _ in range(times):
        act(kernel, (name, "{}", brought))


def harness(kernel: Kernel) -> str | None:
    order: CallModel = kernel.ordered(CallModel)[0]
    return order.harness


def warnings(kernel: Kernel) -> list[dict[str, Any]]:
    return [note.fields for note in kernel.ordered(Note) if note.event == "stall_warning"]


def last_result(kernel: Kernel) -> str:
    return next(message.text for message in reversed(list(kernel.state.transcript)) if isinstance(message, ToolMessage))


LOOK = call_key("look", {})
SHORT = LOOK[:6]
SECOND = (
    f"You have called `look` with the same arguments (#{SHORT}) 2 times, and it brought the same each time. Use what it "
    "brought, call something else, or finish."
)


def test_the_second_identical_result_is_named_back_once() -> None:
    kernel = kernel_with()

    repeat(kernel, 2)
    assert harness(kernel) == SECOND
    repeat(kernel, 1)

    assert harness(kernel) is None


def test_the_third_is_a_trip_and_the_fourth_call_is_not_run() -> None:
    kernel = kernel_with()

    repeat(kernel, 3)
    assert warnings(kernel) == [
        {
            "iteration": 3,
            "pattern": "same_result",
            "tools": ["look"],
            "signatures": [LOOK],
            "count": 3,
            "threshold": 3,
            "consecutive_trips": 1,
            "hard_stop": False,
        }
    ]
    repeat(kernel, 1)

    assert last_result(kernel) == (
        f"ERROR: not run: `look` with the same arguments (#{SHORT}) was asked for 4 times, and it brought the same 3 "
        "times. Use what it brought, call something else, or finish; asked for once more, it ends the run"
    )
    assert kernel.state.facts.session.calls == 3


def test_the_call_after_the_rescue_ends_the_run_with_its_true_count() -> None:
    kernel = kernel_with()

    repeat(kernel, 5)

    assert kernel.outcome == Outcome(
        "stuck",
        "repeated_call",
        place="execution.stall",
        detail=f"`look` with the same arguments (#{SHORT}) was asked for 5 times, and it brought the same 3 times",
    )
    assert kernel.state.facts.session.calls == 3


def test_without_a_rescue_the_third_ends_the_run() -> None:
    kernel = kernel_with({"rescue": False})

    repeat(kernel, 3)

    assert (kernel.outcome.status, kernel.outcome.reason) == ("stuck", "repeated_call")


def test_a_second_call_that_trips_later_ends_the_run() -> None:
    kernel = kernel_with()

    repeat(kernel, 3)
    repeat(kernel, 3, "list")

    assert kernel.outcome.detail == (
        f"`list` with the same arguments (#{call_key('list', {})[:6]}) was asked for 3 times, and it brought the same 3 times"
    )


def test_calls_that_trip_in_the_same_turn_are_rescued_together() -> None:
    kernel = kernel_with()
    both = (("look", "{}", "a book"), ("list", "{}", "a shelf"))

    for _ in range(4):
        act(kernel, *both)
    assert kernel.ordered(CallModel)
    assert kernel.state.facts.session.calls == 6
    act(kernel, *both)

    assert (kernel.outcome.status, kernel.outcome.reason) == ("stuck", "repeated_call")


def test_a_result_that_changes_each_time_is_no_repeat() -> None:
    kernel = kernel_with()

    for number in range(12):
        act(kernel, ("wait", "{}", f"{number} s"))
        assert harness(kernel) is None


def test_a_changed_result_begins_a_new_row() -> None:
    kernel = kernel_with({"rescue": False})

    for brought in ("x", "x", "y", "x", "x", "y"):
        repeat(kernel, 1, brought=brought)

    assert kernel.ordered(CallModel)


def test_other_calls_in_between_do_not() -> None:
    kernel = kernel_with({"rescue": False})

    for number in range(2):
        repeat(kernel, 1)
        act(kernel, ("list", f'{{"n": {number}}}', str(number)))
    repeat(kernel, 1)

    assert kernel.outcome.reason == "repeated_call"


def test_key_order_does_not_make_a_call_a_new_one() -> None:
    kernel = kernel_with()

    act(kernel, ("look", '{"a": 1, "b": 2}', "x"))
    act(kernel, ("look", '{"b":2,"a":1}', "x"))

    assert harness(kernel) is not None


def test_what_was_cut_out_of_a_result_counts() -> None:
    kernel = kernel_with()

    for digest in ("one", "two"):
        kernel.reply("", call("look", digest))
        kernel.returned(digest, "the same head", digest=digest)

    assert harness(kernel) is None


def test_a_turn_that_finishes_the_task_is_never_stuck() -> None:
    kernel = kernel_with()

    repeat(kernel, 3)
    kernel.reply("It is a book.")

    assert (kernel.outcome.status, kernel.outcome.reason) == ("done", "natural")


def test_after_an_edit_a_tripped_call_gets_one_more_chance() -> None:
    kernel = kernel_with()
    repeat(kernel, 3)
    act(kernel, ("write", '{"n": 1}', "written"))

    repeat(kernel, 1, brought="two books")
    repeat(kernel, 1, brought="two books")

    assert kernel.state.facts.session.calls == 6
    assert kernel.ordered(CallModel)


def test_one_more_chance_that_brings_the_same_is_the_last() -> None:
    kernel = kernel_with()
    repeat(kernel, 3)

    for number in range(2):
        act(kernel, ("write", f'{{"n": {number}}}', "written"))
        repeat(kernel, 1)

    assert kernel.state.facts.session.calls == 6
    assert "was asked for 5 times, and it brought the same 4 times" in last_result(kernel)


def test_after_an_edit_the_same_check_is_a_new_question() -> None:
    kernel = kernel_with()

    for number in range(8):
        act(kernel, ("write", f'{{"n": {number}}}', "written"))
        act(kernel, ("test", "{}", "1 failed"))
        assert harness(kernel) is None


def mend(kernel: Kernel, number: int) -> None:
    """An edit, and the check that fails as it did."""
    act(kernel, ("write", f'{{"n": {number}}}', "written"))
    call_id = f"t{number}"
    kernel.reply("", call("test", call_id))
    if kernel.ordered(CallTool):
        kernel.returned(call_id, "exit 1\n1 failed", effect="process", data={"exit_code": 1})


def test_where_repairs_are_watched_the_same_failure_is_a_trip_whatever_was_edited() -> None:
    kernel = kernel_with({"repair_diagnostics": {"repair_aware": True}})

    for number in range(3):
        mend(kernel, number)

    assert [(warning["pattern"], warning["count"]) for warning in warnings(kernel)] == [("same_diagnostic", 3)]
    assert "has failed alike 3 times, whatever you changed in between" in (harness(kernel) or "")


def test_a_failure_that_changes_is_none() -> None:
    kernel = kernel_with({"repair_diagnostics": {"repair_aware": True}})

    for number in range(10):
        act(kernel, ("write", f'{{"n": {number}}}', "written"), ("test", "{}", f"exit 1\n{number} failed"))

    assert kernel.ordered(CallModel)
    assert not kernel.state.facts.stall.is_stalled


def test_as_many_failures_alike_as_the_spec_says_end_the_run() -> None:
    kernel = kernel_with({"repair_diagnostics": {"no_net_progress_hard_cap_after": 4}})

    for number in range(4):
        mend(kernel, number)

    assert kernel.outcome.reason == "thrash"
    assert kernel.outcome.detail.endswith("failed alike 4 times")


def test_after_an_edit_the_same_check_is_a_repeat_where_the_spec_says_so() -> None:
    kernel = kernel_with({"repair_diagnostics": {"post_edit_reverify": False}, "rescue": False})

    for number in range(3):
        mend(kernel, number)

    assert kernel.outcome.reason == "repeated_call"


@pytest.mark.parametrize(
    ("stall", "times"),
    [
        pytest.param({"threshold": 2}, 2, id="a lower threshold"),
        pytest.param({"threshold": 6}, 6, id="a higher threshold"),
        pytest.param({"stuck_limit": 1}, 2, id="one repeat is allowed"),
        pytest.param({"stuck_limit": 0}, 1, id="none is allowed"),
        pytest.param({"stuck_limit": 4, "threshold": 2}, 5, id="the limit says more than the threshold"),
    ],
)
def test_the_spec_says_how_many_are_a_trip(stall: dict[str, Any], times: int) -> None:
    kernel = kernel_with(stall | {"rescue": False})

    repeat(kernel, times - 1)
    assert kernel.ordered(CallModel)
    repeat(kernel, 1)

    assert kernel.outcome.reason == "repeated_call"


def fail(kernel: Kernel, words: str = "no such file") -> None:
    call_id = f"{len(kernel.events)}"
    kernel.reply("", call("look", call_id))
    if kernel.ordered(CallTool):
        kernel.returned(call_id, words, status="error")


def test_the_same_error_has_a_number_of_its_own() -> None:
    kernel = kernel_with({"repeat_same_error": 2, "rescue": False})

    fail(kernel)
    fail(kernel)

    assert kernel.outcome.reason == "repeated_call"


def test_an_error_that_changes_is_no_repeat() -> None:
    kernel = kernel_with()

    for number in range(10):
        fail(kernel, f"line {number}")

    assert kernel.ordered(CallModel)


def test_an_unchanged_error_of_the_context_window_is_a_trip_at_the_second() -> None:
    kernel = kernel_with()

    fail(kernel, "the maximum context length is 4096 tokens")
    fail(kernel, "the maximum context length is 4096 tokens")

    assert [warning["pattern"] for warning in warnings(kernel)] == ["context_window_error"]


def test_two_calls_in_turns_are_a_trip_where_nothing_new_comes_of_them() -> None:
    kernel = kernel_with({"threshold": 50})

    tripped = []
    for number in range(17):
        brought = "on" if number % 4 < 2 else "off"  # each of the two says both, in turns
        act(kernel, ("look" if number % 2 else "list", "{}", brought))
        tripped += [(number, warning["pattern"], warning["count"]) for warning in warnings(kernel)]

    assert tripped == [(15, "ping_pong", 6)]
    assert last_result(kernel) == (
        f"ERROR: not run: `list` with the same arguments (#{call_key('list', {})[:6]}) has brought nothing new for some "
        "time. Use what it brought, call something else, or finish; asked for once more, it ends the run"
    )


def test_turns_of_nothing_but_refused_calls_are_told_and_thrash_at_the_third_trip() -> None:
    kernel = kernel_with()

    act(kernel, ("find", "{}", ""))
    assert harness(kernel) is None
    act(kernel, ("seek", "{}", ""))
    assert harness(kernel) == (
        "None of the calls of your last 2 turns could be run. Read what was answered to them before you call again."
    )
    act(kernel, ("grep", "{}", ""))
    act(kernel, ("scan", "{}", ""))

    assert kernel.outcome == Outcome(
        "stuck",
        "thrash",
        place="execution.stall",
        detail="3 turns in a row only repeated what had come to nothing (rejected_turns)",
    )


def test_a_call_that_can_be_run_among_them_is_no_refused_turn() -> None:
    kernel = kernel_with()

    for name in ("find", "seek", "grep", "scan", "dig"):
        act(kernel, (name, "{}", ""), ("look", f'{{"at": "{name}"}}', name))

    assert kernel.ordered(CallModel)


def test_the_same_empty_reply_is_told_rescued_and_ends_the_run() -> None:
    kernel = kernel_with(max_nudges=8)

    for _ in range(3):  # the first is asked for again in the same turn
        kernel.reply("")
    assert "Your last 2 replies were the same" in (harness(kernel) or "")
    kernel.reply("")
    assert "The same once more ends the run" in (harness(kernel) or "")
    kernel.reply("")

    assert kernel.outcome == Outcome(
        "stuck",
        "barren_reply",
        place="execution.stall",
        detail="4 replies in a row were the same, called no tool and did not finish the task",
    )


def test_without_a_rescue_the_third_empty_turn_ends_the_run() -> None:
    kernel = kernel_with({"rescue": False}, max_nudges=8)

    for _ in range(4):
        kernel.reply("")

    assert (kernel.outcome.status, kernel.outcome.reason) == ("stuck", "barren_reply")


def test_work_between_empty_replies_begins_a_new_row() -> None:
    kernel = kernel_with(max_nudges=8)

    for number in range(4):
        kernel.reply("")
        kernel.reply("")
        act(kernel, ("look", f'{{"n": {number}}}', str(number)))

    assert kernel.ordered(CallModel)


def test_an_answer_that_is_turned_down_is_not_barren_since_its_gates_have_bounds_of_their_own() -> None:
    kernel = kernel_with(require_successful_tools=["look"])

    for _ in range(6):
        kernel.reply("Done.")

    assert kernel.ordered(CallModel)


def test_files_that_changed_make_every_call_a_new_one() -> None:
    kernel = kernel_with({"fingerprint": ["src"], "rescue": False})

    marks = ["a", "a", "b", "b", "b", "b"]
    for mark in marks[:-1]:
        assert kernel.pending(Ask).question == ["src"]
        kernel.answered(mark)
        repeat(kernel, 1)
    kernel.answered(marks[-1])

    assert kernel.outcome.reason == "repeated_call"
    assert "was asked for 3 times" in kernel.outcome.detail


def test_exempt_tools_may_repeat() -> None:
    kernel = kernel_with({"exempt_tools": ["wait"]})

    repeat(kernel, 20, "wait", "waited")

    assert kernel.ordered(CallModel)
    assert kernel.state.facts.stall.repeated_tool_calls == 0


def test_nothing_is_told_where_the_spec_says_so() -> None:
    kernel = kernel_with({"inject_feedback": False})

    repeat(kernel, 3)

    assert harness(kernel) is None
    assert kernel.state.facts.stall.is_stalled


def test_as_many_notes_as_the_spec_says() -> None:
    kernel = kernel_with({"max_notes": 2})

    repeat(kernel, 3)

    assert f"look` with the same arguments (#{SHORT}) 3 times" in (harness(kernel) or "")


def test_arguments_are_shown_where_the_spec_says_so() -> None:
    kernel = kernel_with({"include_arguments": True})

    for _ in range(3):
        act(kernel, ("look", '{"at": "sky"}', "blue"))

    assert warnings(kernel)[0]["arguments"] == ['{"at": "sky"}']


def test_it_can_be_switched_off() -> None:
    kernel = kernel_with(stall=False)

    repeat(kernel, 20)

    assert kernel.ordered(CallModel)


def test_what_a_person_says_begins_a_new_row() -> None:
    kernel = kernel_with()
    repeat(kernel, 3)

    kernel.give(UserSaid(at=kernel.tick(), text="look again"))
    repeat(kernel, 1)

    assert kernel.state.facts.session.calls == 4


def test_calls_of_one_reply_are_no_repeats_of_each_other_and_all_are_counted() -> None:
    kernel = kernel_with()
    nine = [("look", "{}", "a book")] * 9

    act(kernel, *nine)
    assert harness(kernel) is None
    act(kernel, *nine)
    assert f"(#{SHORT}) 18 times" in (harness(kernel) or "")
    act(kernel, *nine)
    act(kernel, *nine)
    assert "was asked for 36 times, and it brought the same 27 times" in last_result(kernel)
    act(kernel, *nine)

    assert kernel.outcome.detail == (
        f"`look` with the same arguments (#{SHORT}) was asked for 45 times, and it brought the same 27 times"
    )


def test_only_calls_of_the_last_hundred_odd_are_remembered() -> None:
    kernel = kernel_with(max_iterations=500)

    for number in range(300):
        act(kernel, ("look", f'{{"n": {number}}}', str(number)))

    index = kernel.plan.names.index("stall")
    assert CALLS_KEPT - FRESH <= len(kernel.state.memory[index].calls.by_key) <= CALLS_KEPT


def test_a_first_trip_at_the_edge_of_the_budget_is_no_reason_for_another_turn() -> None:
    kernel = kernel_with(iteration_budget={"mode": "adaptive", "initial": 3, "max": 9})

    repeat(kernel, 3)
    last_words = kernel.pending(CallModel)
    kernel.reply("There is a book.")

    assert (last_words.turn, last_words.tool_choice) == (4, "none")
    assert (kernel.outcome.status, kernel.outcome.reason) == ("budget_exhausted", "max_iterations")
    assert kernel.state.facts.budget.extension_count == 0
