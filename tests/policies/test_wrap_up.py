"""Given a bound that ends a run, when it is reached, then the run speaks once more, inside the bound, and ends by it."""

from typing import Any

import pytest

from agentspec.core.events import AbortRequested, DeadlineReached, Resumed
from agentspec.core.messages import Usage
from agentspec.core.orders import CallModel, CallTool, Consult
from agentspec.spec.prompts import built_in
from agentspec.testing.kernel import Kernel, call, plan_for, tool

WORDS = built_in("budget.wrap_up")
FORM = built_in("answer.form")


def kernel_with(wrap_up: Any = True, model: Any = None, **execution: Any) -> Kernel:
    values = {"execution": {"wrap_up": wrap_up, **execution}, "model": model or {}}
    kernel = Kernel(plan_for(values, tool("look")))
    kernel.start("go")
    return kernel


def look(kernel: Kernel, **usage: int) -> None:
    kernel.reply("", call("look"), usage=Usage(**usage))
    kernel.returned("c1")


def last_call(kernel: Kernel) -> CallModel:
    return kernel.pending(CallModel)


def ends(kernel: Kernel) -> tuple[str, str, bool]:
    return kernel.outcome.status, kernel.outcome.reason, kernel.outcome.wrapped_up


def test_after_the_last_turn_one_more_is_made_without_tools() -> None:
    kernel = kernel_with(max_iterations=1)
    look(kernel)

    order = last_call(kernel)
    kernel.reply("It is a book.", call("look", "c2"))

    assert (order.turn, order.tool_choice, order.harness) == (2, "none", WORDS)
    assert ends(kernel) == ("budget_exhausted", "max_iterations", True)
    assert kernel.ordered(CallTool) == []
    assert kernel.texts[-1] == "It is a book."
    assert kernel.state.facts.budget.current_limit == 1


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"tokens": 4_000}, "tokens"),
        ({"provider_calls": 2}, "provider_calls"),
        ({"tool_calls": 1}, "tool_calls"),
    ],
)
def test_each_pot_keeps_what_its_last_words_need(limits: dict[str, Any], reason: str) -> None:
    kernel = kernel_with(limits=limits)
    spent = 1
    while last_call(kernel).harness is None and spent < 20:
        asked = (call("look", f"{letter}{spent}", f'{{"at": "{letter}{spent}"}}') for letter in "cd")
        kernel.reply("", *asked, usage=Usage(400, 100))
        for waiting in [order for order in kernel.state.pending.values() if isinstance(order, CallTool)]:
            kernel.returned(waiting.call.id)
        spent += 1

    order = last_call(kernel)
    kernel.reply("It is a book.", usage=Usage(400, order.max_output_tokens or 0))

    assert order.tool_choice == "none"
    assert ends(kernel) == ("budget_exhausted", reason, True)
    used = kernel.state.facts.usage
    assert used.input_tokens + used.output_tokens <= 4_000


def test_last_words_have_room_for_what_the_author_keeps() -> None:
    kernel = kernel_with({"reserve_tokens": 500, "instructions": "Sum up."}, limits={"tokens": 4_000})
    look(kernel, input_tokens=600, output_tokens=1_700)

    order = last_call(kernel)

    assert order.harness == "Sum up."
    assert (order.max_output_tokens or 0) >= 500


def test_last_words_that_were_interrupted_are_asked_for_again() -> None:
    kernel = kernel_with(max_iterations=1)
    look(kernel)

    kernel.give(AbortRequested(kernel.tick(), by="signal"))
    kernel.give(Resumed(kernel.tick()))
    order = last_call(kernel)
    kernel.reply("It is a book.")

    assert (order.turn, order.attempt, order.tool_choice, order.harness) == (2, 2, "none", WORDS)
    assert ends(kernel) == ("budget_exhausted", "max_iterations", True)


def test_last_words_that_owe_an_output_are_told_its_form_and_have_a_call_for_its_repair() -> None:
    kernel = kernel_with({"instructions": "Sum up."}, output="json", limits={"provider_calls": 4})
    look(kernel)
    look(kernel)

    order = last_call(kernel)
    kernel.reply("It is a book.")

    assert (order.turn, order.tool_choice) == (3, "none")
    assert order.harness == f"Sum up.\n\n{FORM}"
    assert kernel.pending(Consult).consultation.role == "repair"


@pytest.mark.parametrize(
    "execution",
    [
        {"wrap_up": False, "max_iterations": 1},
        {"limits": {"tokens": 1_000}},  # 1 024 tokens of an answer are more than half of it
        {"limits": {"provider_calls": 1}},
        {"max_iterations": 1, "limits": {"tokens": 1_000}},
        {"limits": {"consecutive_failures": 1}},
    ],
    ids=str,
)
def test_there_are_no_last_words_where_they_are_not_wanted_or_do_not_fit(execution: dict[str, Any]) -> None:
    kernel = kernel_with(**execution)

    kernel.reply("", call("look"), usage=Usage(500, 400))
    kernel.returned("c1", status="error")

    assert ends(kernel)[0::2] == ("budget_exhausted", False)


def test_time_is_kept_for_last_words_and_is_over_all_the_same() -> None:
    kernel = kernel_with(limits={"wall_clock": "100s"})
    assert [(bound.limit, bound.spare) for bound in kernel.plan.time_bounds] == [("wall_clock", 15.0)]
    look(kernel)

    kernel.give(DeadlineReached(at=86.0, limit="wall_clock", spare=15.0))
    assert last_call(kernel).harness == WORDS
    kernel.give(DeadlineReached(at=101.0, limit="wall_clock"))

    assert ends(kernel) == ("budget_exhausted", "wall_clock", False)


def test_a_bound_that_is_reached_between_calls_leaves_time_for_last_words() -> None:
    kernel = kernel_with(limits={"wall_clock": "20s"})
    kernel.now = 18.0
    kernel.reply("", call("look"))

    order = last_call(kernel)
    kernel.reply("It is a book.")

    assert order.harness == WORDS
    assert kernel.outcome.detail == "18 of 20, the rest is kept for last words"
    assert ends(kernel) == ("budget_exhausted", "wall_clock", True)


def test_a_provider_that_fails_has_no_last_words() -> None:
    kernel = kernel_with()

    kernel.fail("auth")

    assert ends(kernel) == ("provider_error", "auth", False)


def test_last_words_that_no_longer_fit_are_not_asked_for() -> None:
    kernel = kernel_with(max_iterations=1, limits={"tokens": 4_000})

    look(kernel, input_tokens=3_000, output_tokens=990)

    assert ends(kernel) == ("budget_exhausted", "tokens", False)


def test_last_words_are_judged_by_nobody() -> None:
    kernel = kernel_with(max_iterations=1, loop_until_done=True)
    look(kernel)

    kernel.reply("cut o", finish="length")

    assert ends(kernel) == ("budget_exhausted", "max_iterations", True)


NOTHING: list[dict[str, Any]] = [{"text": ""}, {"lost": ("no name",)}, {"calls": (call("look", "c2"),)}]


@pytest.mark.parametrize("reply", NOTHING, ids=["empty", "lost", "calls"])
@pytest.mark.parametrize("answer", ["A book.", ""])
def test_last_words_without_a_word_are_asked_for_once_more(reply: dict[str, Any], answer: str) -> None:
    kernel = kernel_with(max_iterations=1, loop_until_done=True)
    look(kernel)

    first = last_call(kernel)
    kernel.reply(reply.get("text", ""), *reply.get("calls", ()), **({"lost": reply["lost"]} if "lost" in reply else {}))
    again = last_call(kernel)
    kernel.reply(answer)

    assert (again.turn, again.attempt, again.harness) == (first.turn, 2, first.harness)
    assert ends(kernel) == ("budget_exhausted", "max_iterations", bool(answer))
    assert kernel.state.facts.iteration == 2


def test_last_words_are_not_asked_for_again_past_a_bound() -> None:
    kernel = kernel_with(limits={"provider_calls": 2})
    look(kernel)

    kernel.reply("")

    assert ends(kernel) == ("budget_exhausted", "provider_calls", False)
