"""Given rules about turns and ends, when a turn is settled or an end proposed, then the model hears, is bound, or stops."""

from typing import Any

import pytest

from agentspec.core.events import DeadlineReached
from agentspec.core.orders import Ask, CallModel, Finish, Note, Outcome
from agentspec.testing.kernel import Kernel, call, plan_for, tool

PLACE = "execution.post_turn[0]"


def kernel_with(**execution: Any) -> Kernel:
    settings = {"loop_until_done": True, "max_iterations": 9, "iteration_budget": "fixed", "wrap_up": False}
    kernel = Kernel(plan_for({"execution": settings | execution}, tool("look"), tool("test", effect="process")))
    kernel.start("go")
    return kernel


def acts(kernel: Kernel, name: str = "look", call_id: str = "c1", text: str = "", **fields: Any) -> None:
    kernel.reply(text, call(name, call_id))
    kernel.returned(call_id, **fields)


def next_call(kernel: Kernel) -> CallModel:
    order: CallModel = kernel.ordered(CallModel)[0]
    return order


def errors(kernel: Kernel) -> list[dict[str, Any]]:
    return [note.fields for note in kernel.ordered(Note) if note.event == "expression_error"]


FAILED = "tool_results.exists(r, !r.ok)"


# --- post_turn ---


def test_a_rule_of_a_turn_tells_the_model_once_and_under_its_own_kind() -> None:
    kernel = kernel_with(post_turn=[{"when": FAILED, "message": "Read the error.", "feedback_kind": "advice"}])

    acts(kernel, status="error")
    assert next_call(kernel).harness == "Read the error."
    composed = [note.fields["kinds"] for note in kernel.ordered(Note) if note.event == "feedback_composed"]
    assert composed == [["advice"]]
    acts(kernel, call_id="c2")

    assert next_call(kernel).harness is None


def test_the_first_rule_that_matches_decides() -> None:
    kernel = kernel_with(post_turn=[{"when": "false", "message": "No."}, {"message": "First."}, {"message": "Second."}])

    acts(kernel)

    assert next_call(kernel).harness == "First."


def test_a_claim_binds_the_next_turn_to_a_tool_with_options_of_its_own_and_only_that_turn() -> None:
    rule = {"when": "!prior_turn_claimed_for_repair", "claim_tool": "test", "next_options": {"temperature": 0}}
    kernel = kernel_with(post_turn=[rule])

    acts(kernel)
    assert (next_call(kernel).tool_choice, next_call(kernel).options) == ("test", {"temperature": 0})
    acts(kernel, "test", "c2")
    assert (next_call(kernel).tool_choice, next_call(kernel).options) == (None, {})
    acts(kernel, call_id="c3")

    assert next_call(kernel).tool_choice == "test"


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        ({"stop": True}, Outcome("done", "post_turn_stop", place=PLACE)),
        ({"stop": True, "reason": "all seen"}, Outcome("done", "all seen", place=PLACE, detail="all seen")),
        ({"stop": True, "reason": "natural"}, Outcome("done", "post_turn_stop", place=PLACE, detail="natural")),
        ({"stop": "out_of_scope"}, Outcome("out_of_scope", "post_turn_stop", place=PLACE)),
        ({"stop": True, "message": "Bye."}, Outcome("done", "post_turn_stop", place=PLACE)),
    ],
)
def test_a_rule_of_a_turn_ends_the_run(rule: dict[str, Any], outcome: Outcome) -> None:
    kernel = kernel_with(post_turn=[rule])

    acts(kernel)

    assert kernel.outcome == outcome


def test_a_stop_that_needs_to_be_verified_can_be_vetoed() -> None:
    kernel = kernel_with(
        post_turn=[{"when": "turn.tool_names.exists(n, n == 'look')", "stop": True, "needs_verify": True}],
        require_successful_tools=["test"],
    )

    acts(kernel)
    assert kernel.ordered(Finish) == []
    assert next_call(kernel).turn == 2
    acts(kernel, "test", "c2")
    acts(kernel, "look", "c3")

    assert kernel.outcome == Outcome("done", "post_turn_stop", place=PLACE)


def test_a_turn_whose_answer_was_vetoed_is_looked_at_as_well() -> None:
    kernel = kernel_with(
        verify_completion=[{"veto": "Not done."}],
        post_turn=[{"when": "completion.vetoed && text == 'Done.'", "message": "Do something."}],
    )

    kernel.reply("Done.")

    assert next_call(kernel).harness == "Not done.\n\nDo something."


def test_a_rule_that_fails_to_evaluate_does_not_match_and_is_told_once_a_turn() -> None:
    kernel = kernel_with(post_turn=[{"when": "tool_results[3].ok", "stop": True}, {"message": "Go on."}])

    acts(kernel)

    assert errors(kernel) == [{"place": "post_turn.when", "rule": 1, "error": "there is no item 3 in a list of 1"}]
    assert next_call(kernel).harness == "Go on."
    acts(kernel, call_id="c2")
    assert len(errors(kernel)) == 1


def test_a_function_decides_about_a_turn_and_is_asked_once() -> None:
    kernel = kernel_with(post_turn=[{"python": "acme.rules:turn"}])

    acts(kernel, text="I look.")
    question = kernel.ordered(Ask)[0].question
    assert (question["function"], question["state"]["text"]) == ("acme.rules:turn", "I look.")
    kernel.answered({"value": {"message": "Look closer.", "claim_tool": "test"}})

    assert (next_call(kernel).harness, next_call(kernel).tool_choice) == ("Look closer.", "test")


def test_a_function_that_fails_does_not_match() -> None:
    kernel = kernel_with(post_turn=[{"python": "acme.rules:turn"}, {"message": "Go on."}])

    acts(kernel)
    kernel.answered({"error": "`acme.rules:turn`: it failed"})

    assert errors(kernel) == [{"place": "post_turn.when", "rule": 1, "error": "`acme.rules:turn`: it failed"}]
    assert next_call(kernel).harness == "Go on."


def test_a_tool_that_ends_the_run_goes_before_the_rules_of_the_turn() -> None:
    kernel = kernel_with(stop_after_successful_tools=["look"], post_turn=[{"stop": "other"}])

    acts(kernel)

    assert kernel.outcome == Outcome("done", "stop_after_tool", place="execution.stop_after_successful_tools[0]")


# --- terminal ---


def test_a_rule_of_the_end_puts_it_off_once() -> None:
    kernel = kernel_with(terminal=[{"when": "text.size() < 20", "message": "Say more.", "claim_tool": "test"}])

    kernel.reply("Done.")
    assert (next_call(kernel).harness, next_call(kernel).tool_choice) == ("Say more.", "test")
    kernel.reply("Still.")

    assert kernel.outcome == Outcome("done", "natural")


def test_a_rule_of_the_end_gives_it_another_word() -> None:
    kernel = kernel_with(
        terminal=[{"when": "!('test' in session.successful_tool_names)", "stop": "untested", "reason": "no test ran"}]
    )

    kernel.reply("Done.")

    assert kernel.outcome == Outcome(
        "untested",
        "no test ran",
        place="execution.terminal[0]",
        detail="it would have ended done (natural)",
    )


def test_no_rule_goes_on_past_a_bound() -> None:
    kernel = kernel_with(max_iterations=1, terminal=[{"message": "Go on."}])

    acts(kernel)

    assert kernel.outcome.status == "budget_exhausted"


def test_a_rule_of_the_end_that_fails_to_evaluate_does_not_match_and_is_told() -> None:
    kernel = kernel_with(terminal=[{"when": "1 / (iteration - iteration) > 0", "message": "never"}])

    kernel.reply("Done.")

    assert errors(kernel) == [{"place": "terminal.when", "rule": 1, "error": "division by zero"}]
    assert kernel.outcome == Outcome("done", "natural")


def test_a_function_decides_about_the_end() -> None:
    kernel = kernel_with(terminal=[{"python": "acme.rules:last"}])

    kernel.reply("Done.")
    kernel.answered({"value": {"message": "Once more."}})
    assert next_call(kernel).harness == "Once more."
    kernel.reply("Done.")
    kernel.answered({"value": {"message": "Once more."}})

    assert kernel.outcome == Outcome("done", "natural")


@pytest.mark.parametrize("category", ["auth", "context_overflow"])
def test_a_failure_of_the_provider_is_no_end_that_a_rule_is_asked_about(category: str) -> None:
    kernel = kernel_with(terminal=[{"message": "Go on."}])

    kernel.fail(category)

    assert kernel.outcome.status in ("provider_error", "error")


@pytest.mark.parametrize("place", ["post_turn", "terminal", "verify_completion"])
def test_a_function_that_is_still_asked_when_the_time_is_over_is_not_asked_again(place: str) -> None:
    kernel = kernel_with(**{place: [{"python": "acme.rules:hangs"}]}, limits={"wall_clock": 100.0}, wrap_up=True)
    if place == "post_turn":
        acts(kernel)
    else:
        kernel.reply("Done.")
    assert kernel.ordered(Ask)[0].who == "python"

    kernel.now = 90.0
    kernel.give(DeadlineReached(at=kernel.now, limit="wall_clock", spare=15.0))
    assert kernel.ordered(Ask) == []
    if place != "terminal":
        assert kernel.pending(CallModel).tool_choice == "none"  # last words
        kernel.reply("Late.")

    ends = ("done", "natural") if place == "terminal" else ("budget_exhausted", "wall_clock")
    assert (kernel.outcome.status, kernel.outcome.reason) == ends
