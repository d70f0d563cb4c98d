"""Given a reply that is no answer, when it would be taken, then it is asked for again, told so, or ends the run."""

from typing import Any

from agentspec.core.events import ModelReplied
from agentspec.core.messages import Reply
from agentspec.core.orders import CallModel, Outcome
from agentspec.policies.lost_calls import LostCalls
from agentspec.policies.nudge import Nudge
from agentspec.policies.truncation import Truncation
from agentspec.spec.prompts import built_in
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import Kernel, call, plan_for, plan_of, tool

NUDGE, CUT, UNKNOWN = (built_in(prompt) for prompt in ("nudge.native", "reply.cut_off", "reply.unfinished"))


def kernel_with(**execution: Any) -> Kernel:
    settings = Settings({"execution": execution})
    kernel = Kernel(plan_of(Nudge.configure(settings, {}), Truncation.configure(settings, {})))
    kernel.start("go")
    return kernel


def next_call(kernel: Kernel) -> tuple[int, int, str | None]:
    order = kernel.ordered(CallModel)[0]
    return order.turn, order.attempt, order.harness


def test_an_empty_reply_is_asked_for_once_more_in_the_same_turn() -> None:
    kernel = kernel_with(max_nudges=2)

    kernel.reply("")

    assert next_call(kernel) == (1, 2, None)
    assert kernel.texts == ["go"]


def test_the_second_empty_reply_is_a_nudge_and_a_turn_of_its_own() -> None:
    kernel = kernel_with(max_nudges=2)

    kernel.reply(" \n")
    kernel.reply("")

    assert next_call(kernel) == (2, 1, NUDGE)


def test_the_reply_after_the_last_nudge_ends_the_run_stuck() -> None:
    kernel = kernel_with(max_nudges=1)

    kernel.reply("")
    kernel.reply("")
    kernel.reply("")

    assert kernel.outcome == Outcome(
        "stuck", "max_nudges", place="execution.max_nudges", detail="3 empty replies in a row, 1 nudges"
    )


def test_words_after_a_nudge_are_the_answer() -> None:
    kernel = kernel_with(max_nudges=1, nudge="Speak.")
    kernel.reply("")
    kernel.reply("")
    assert next_call(kernel)[2] == "Speak."

    kernel.reply("here it is")

    assert kernel.outcome.status == "done"
    assert kernel.texts == ["go", "here it is"]


def test_a_cut_answer_is_kept_told_and_ends_the_run_at_the_third() -> None:
    kernel = kernel_with(max_nudges=2)

    kernel.reply("half", finish="length")
    assert next_call(kernel) == (2, 1, CUT)
    kernel.reply(" more", finish="length")
    kernel.reply(" and more", finish="length")

    assert (kernel.outcome.status, kernel.outcome.reason) == ("failed", "output_truncated")
    assert kernel.texts == ["go", "half", " more", " and more"]


def test_a_whole_reply_after_a_cut_one_is_the_answer() -> None:
    kernel = kernel_with(max_nudges=2)

    kernel.reply("half", finish="length")
    kernel.reply("whole")

    assert kernel.outcome.status == "done"


LOST = Reply(text="I look it up.", finish="other", lost=("call 1 has no name",))


def lose(kernel: Kernel, reply: Reply) -> None:
    kernel.give(ModelReplied(at=kernel.tick(), order=kernel.ordered(CallModel)[0].id, reply=reply))


def test_a_reply_that_lost_its_calls_is_never_the_answer_and_the_model_is_told() -> None:
    kernel = Kernel(plan_of(LostCalls.configure(Settings({}), {})))
    kernel.start("go")

    lose(kernel, LOST)

    assert kernel.ordered(CallModel)[0].harness == (
        "Your last reply asked for a tool in a form that could not be read (call 1 has no name), so nothing was run. "
        "Send it again."
    )
    assert kernel.texts == ["go", "I look it up."]


def test_the_third_lost_reply_in_a_row_ends_the_run() -> None:
    kernel = Kernel(plan_of(LostCalls.configure(Settings({}), {})))
    kernel.start("go")

    for _ in range(3):
        lose(kernel, LOST)

    assert kernel.outcome == Outcome(
        "error", "parse_dropped", detail="3 replies in a row lost their calls: call 1 has no name"
    )


def test_a_whole_reply_after_a_lost_one_is_the_answer() -> None:
    kernel = Kernel(plan_of(LostCalls.configure(Settings({}), {})))
    kernel.start("go")

    lose(kernel, LOST)
    lose(kernel, Reply(text="found"))

    assert kernel.outcome.status == "done"


def test_a_call_that_was_lost_beside_a_good_one_is_told_after_the_good_one_has_run() -> None:
    kernel = Kernel(plan_for({}, tool("look")))
    kernel.start("go")

    kernel.reply("", call("look"), lost=("call 2 has no name",))
    kernel.returned("c1", "a book")

    assert next_call(kernel) == (
        2,
        1,
        "Not all calls of your last reply could be taken (call 2 has no name); what could not was not run, the others were.",
    )


def test_a_reply_that_stopped_for_an_unknown_reason_is_not_read_as_done() -> None:
    kernel = kernel_with(max_nudges=2)

    kernel.reply("half", finish="other", finish_text="pause_turn")
    assert next_call(kernel) == (2, 1, UNKNOWN.format(word="pause_turn"))
    kernel.reply("more", finish="other", finish_text="pause_turn")
    kernel.reply("more", finish="other", finish_text="pause_turn")

    assert kernel.outcome == Outcome(
        "failed", "output_truncated", detail="3 replies in a row stopped with `pause_turn`"
    )
    assert kernel.texts == ["go", "half", "more", "more"]
