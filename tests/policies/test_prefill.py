"""Given a model that takes it, when an answer is cut off, then its beginning is given back, and it is one answer."""

from typing import Any

import pytest

from agentspec.core.events import ModelReplied
from agentspec.core.messages import Reply
from agentspec.core.orders import CallModel
from agentspec.spec.prompts import built_in
from agentspec.testing.kernel import Kernel, plan_for, tool

CUT = built_in("reply.cut_off")


def kernel_with(execution: Any = None, **model: Any) -> Kernel:
    given = {"provider": "anthropic", "model": "m", "prefill": "on", **model}
    kernel = Kernel(plan_for({"model": given, "execution": execution or {}}, tool("look")))
    kernel.start("go")
    return kernel


def asked(kernel: Kernel) -> CallModel:
    order: CallModel = kernel.ordered(CallModel)[0]
    return order


def test_a_cut_answer_is_gone_on_with_in_the_same_turn_and_enters_the_transcript_whole() -> None:
    kernel = kernel_with()
    kernel.reply("One, two, ", finish="length")
    first = asked(kernel)
    kernel.reply("One, two, three, four", finish="length")
    second = asked(kernel)
    kernel.reply("One, two, three, four, five.")

    assert (first.turn, first.attempt, first.begun, first.harness) == (1, 2, "One, two,", None)
    assert (second.turn, second.begun) == (1, "One, two, three, four")
    assert kernel.outcome.status == "done"
    assert kernel.texts == ["go", "One, two, three, four, five."]


def test_an_answer_that_grows_no_more_is_told_so_like_any_other() -> None:
    kernel = kernel_with()

    kernel.reply("One, two", finish="length")
    kernel.reply("One, two", finish="length")

    assert (asked(kernel).begun, asked(kernel).harness) == ("", CUT)
    assert kernel.texts == ["go", "One, two"]


def test_an_answer_of_endless_parts_ends_the_run() -> None:
    kernel = kernel_with({"max_iterations": 9})

    parts = 0
    while not kernel.state.is_over:
        parts += 1
        kernel.reply("x" * parts, finish="length")

    assert parts == 11  # nine that are gone on with or told of, then two more that are told of
    assert kernel.outcome.reason == "output_truncated"


def test_another_route_is_not_given_what_one_has_begun() -> None:
    kernel = kernel_with(fallback=["openai:other"], retry=False)
    kernel.reply("One, ", finish="length")

    kernel.fail("server_error")

    assert (asked(kernel).route, asked(kernel).begun) == (1, "")


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text="Half", finish="length", lost=("a call was cut",)),
        Reply(text="Half", finish="length", reasoning="I think"),
        Reply(text="Half", finish="length", raw='{"half'),
        Reply(text=" ", finish="length"),
        Reply(text="Half", finish="pause"),
    ],
    ids=["lost call", "thought", "step", "blank", "pause"],
)
def test_only_plain_text_is_given_back(reply: Reply) -> None:
    kernel = kernel_with()

    kernel.give(ModelReplied(at=kernel.tick(), order=asked(kernel).id, reply=reply))

    assert asked(kernel).begun == ""


@pytest.mark.parametrize(
    ("model", "execution"), [({"prefill": "off"}, {}), ({"prefill": "auto"}, {}), ({}, {"output": "json"})]
)
def test_nothing_is_begun_where_nobody_says_that_it_can_be(model: Any, execution: Any) -> None:
    kernel = kernel_with(execution, **model)

    kernel.reply("Half", finish="length")

    assert (asked(kernel).begun, asked(kernel).harness) == ("", CUT)
