"""Given rules and commands that an answer must pass, when it is proposed, then it passes, is vetoed, or stays unverified."""

from typing import Any

import pytest

from agentspec.core.orders import Ask, CallModel, Finish, Note, Outcome
from agentspec.testing.kernel import Kernel, call, plan_for, tool


def kernel_with(*rules: dict[str, Any], **execution: Any) -> Kernel:
    values = {"execution": {"loop_until_done": True, "verify_completion": list(rules), **execution}}
    kernel = Kernel(plan_for(values, tool("look")))
    kernel.start("go")
    return kernel


def told(kernel: Kernel) -> str | None:
    order: CallModel = kernel.ordered(CallModel)[0]
    return order.harness


def asked(kernel: Kernel) -> Any:
    return kernel.ordered(Ask)[0].question


LOOKED = {"when": "!('look' in session.successful_tool_names)", "veto": "Look first."}
LINT = {"command": ["lint", "."], "timeout": "5s", "cwd": "src"}
TEST = {"command": ["test"]}


def test_the_words_of_the_rule_go_back_to_the_model() -> None:
    kernel = kernel_with(LOOKED)

    kernel.reply("Done.")
    assert told(kernel) == "Look first."
    assert kernel.state.facts.vetoes == 1
    assert next(note.fields for note in kernel.ordered(Note) if note.event == "judge_decision") == {
        "judge": "verify_completion",
        "turn": 1,
        "verdict": "continue",
        "detail": "Look first.",
    }
    kernel.reply("", call("look"))
    kernel.returned("c1")
    kernel.reply("Done now.")

    assert kernel.outcome == Outcome("done", "natural")


def test_the_answer_itself_can_be_looked_at() -> None:
    kernel = kernel_with({"when": "!answer.contains('because')", "veto": "Say why."})

    kernel.reply("It is blue.")
    assert told(kernel) == "Say why."
    kernel.reply("It is blue because of the air.")

    assert kernel.outcome.status == "done"


def test_a_rule_that_fails_to_evaluate_is_a_veto_and_is_told() -> None:
    kernel = kernel_with({"when": "1 / (iteration - iteration) > 0", "veto": "never"})

    kernel.reply("Done.")

    assert told(kernel) == (
        "rule 1 of `verify_completion` could not be evaluated (division by zero), so the answer is not accepted"
    )
    errors = [note.fields for note in kernel.ordered(Note) if note.event == "expression_error"]
    assert errors == [{"place": "verify_completion.when", "rule": 1, "error": "division by zero"}]


def test_commands_are_asked_one_after_another_once_the_rules_have_passed() -> None:
    kernel = kernel_with(LINT, TEST, {"when": "false", "veto": "never"})

    kernel.reply("Done.")
    assert asked(kernel) == {"rule": 0, "argv": ["lint", "."], "cwd": "src", "timeout": 5.0}
    kernel.answered({"status": "ok", "text": ""})
    assert asked(kernel) == {"rule": 1, "argv": ["test"], "cwd": ".", "timeout": 120.0}
    kernel.answered({"status": "ok", "text": ""})

    assert kernel.outcome == Outcome("done", "natural")


def test_an_accepting_rule_spares_what_comes_later_and_not_what_came_before() -> None:
    kernel = kernel_with(LINT, {"accept": True}, TEST, LOOKED)

    kernel.reply("Done.")
    assert asked(kernel)["argv"] == ["lint", "."]
    kernel.answered({"status": "ok", "text": ""})

    assert kernel.outcome.status == "done"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"status": "failed", "text": "2 errors", "exit_code": 1}, "`test` does not pass (exit 1):\n2 errors"),
        ({"status": "failed", "text": "", "exit_code": -9}, "`test` does not pass (exit -9):\nit printed nothing"),
        (
            {"status": "timeout", "text": "so far"},
            "`test` does not pass (it did not end in time and was stopped):\nso far",
        ),
    ],
)
def test_a_command_that_fails_or_hangs_is_a_veto_with_its_tail(answer: dict[str, Any], words: str) -> None:
    kernel = kernel_with(TEST)

    kernel.reply("Done.")
    kernel.answered(answer)

    assert told(kernel) == words
    kernel.reply("Mended.")
    assert asked(kernel)["argv"] == ["test"]  # the answer of before is no longer true


@pytest.mark.parametrize("answer", [{"status": "not_started", "text": "no such program"}, None, "ok", {}])
def test_a_command_that_cannot_start_leaves_the_answer_unverified(answer: Any) -> None:
    kernel = kernel_with(TEST)

    kernel.reply("Done.")
    kernel.answered(answer if answer is not None else [])

    assert (kernel.outcome.status, kernel.outcome.reason) == ("completion_unverified", "verifier_failed")


def test_a_function_decides_like_a_rule() -> None:
    kernel = kernel_with({"python": "acme.rules:check"})

    kernel.reply("Done.")
    assert asked(kernel)["function"] == "acme.rules:check"
    assert asked(kernel)["state"]["answer"] == "Done."
    kernel.answered({"value": {"veto": "Not like this."}})
    assert told(kernel) == "Not like this."
    kernel.reply("Better.")
    kernel.answered({"value": None})

    assert kernel.outcome.status == "done"


@pytest.mark.parametrize("answer", [{"error": "`acme.rules:check`: it failed"}, {"value": {"vote": 1}}, {"value": 3}])
def test_a_function_that_fails_is_a_veto(answer: Any) -> None:
    kernel = kernel_with({"python": "acme.rules:check"})

    kernel.reply("Done.")
    kernel.answered(answer)

    assert kernel.ordered(Finish) == []
    assert kernel.state.facts.vetoes == 1


def test_a_veto_without_words_still_says_that_the_answer_was_not_accepted() -> None:
    kernel = kernel_with({"python": "acme.rules:check"})

    kernel.reply("Done.")
    kernel.answered({"value": {"veto": " "}})

    assert told(kernel) == (
        "The answer is not accepted yet. Look at what the task asks for, and go on until it is met."
    )


def test_a_bound_is_no_claim_to_be_done_and_asks_nobody() -> None:
    kernel = kernel_with(TEST, max_iterations=1, iteration_budget="fixed", wrap_up=False)

    kernel.reply("", call("look"))
    kernel.returned("c1")

    assert kernel.outcome.status == "budget_exhausted"
