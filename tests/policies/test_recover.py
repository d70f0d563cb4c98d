"""Given a reply that speaks of a call and makes none, when it would be taken, then the model is told so once."""

from typing import Any

import pytest

from agentspec.core.orders import CallModel, Outcome
from agentspec.policies.nudge import HOW
from agentspec.spec.prompts import built_in, fill
from agentspec.testing.kernel import Kernel, call, plan_for, tool

TOLD = fill(built_in("nudge.missing_call"), name="read_file", how=HOW["native"])
IN_A_FENCE = fill(built_in("nudge.fenced_call"), name="read_file", how=HOW["native"])


def kernel_with(recover: dict[str, bool] | None = None, **execution: Any) -> Kernel:
    values = {"execution": {"recover": recover or {}, "max_nudges": 8, **execution}}
    kernel = Kernel(plan_for(values, tool("read_file"), tool("list")))
    kernel.start("go")
    return kernel


def told(kernel: Kernel) -> str | None:
    order: CallModel = kernel.pending(CallModel)
    return order.harness


@pytest.mark.parametrize(
    "text",
    [
        "I will call read_file to see what is in there.",
        "The folder has two files. Next, I'll use `read_file` on the first.",
        "There are two files.\n\nLet me read_file(a.txt):",
        "Calling read_file now…",
        'I will call read_file with {"path": "a.txt"} next. One moment.',
    ],
)
def test_a_call_that_is_announced_and_not_made_is_told(text: str) -> None:
    kernel = kernel_with()

    kernel.reply(text)

    assert told(kernel) == TOLD


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```',
        'Here:\n```tool_code\nread_file(path="a")\n```\nThat shows it.',
        '```\n{"tool": "read_file", "args": {}}',
    ],
)
def test_a_call_in_a_code_fence_is_told(text: str) -> None:
    kernel = kernel_with()

    kernel.reply(text)

    assert told(kernel) == IN_A_FENCE


@pytest.mark.parametrize(
    "text",
    [
        "I used read_file, and it holds one line.",
        "I will be brief: it holds one line.",
        "I'll stop here. The file was read with read_file.",
        "```python\ndef read(path):\n    return open(path).read()\n```",
        "It is blue.",
    ],
)
def test_an_answer_that_only_speaks_of_tools_is_an_answer(text: str) -> None:
    kernel = kernel_with()

    kernel.reply(text)

    assert kernel.outcome == Outcome("done", "completed")


def test_in_a_loop_an_announcement_is_never_the_answer() -> None:
    kernel = kernel_with(loop_until_done=True, max_nudges=2)

    for number in range(3):
        kernel.reply(f"I will call read_file {number} times.")

    assert (kernel.outcome.status, kernel.outcome.reason) == ("stuck", "max_nudges")


def test_where_any_text_ends_the_run_it_is_told_once_and_then_taken_for_what_it_is() -> None:
    kernel = kernel_with()

    kernel.reply("I will call read_file.")
    kernel.reply("I will call read_file.")

    assert kernel.outcome == Outcome("done", "completed")


def test_after_a_call_it_is_told_again() -> None:
    kernel = kernel_with()
    kernel.reply("I will call read_file.")
    kernel.reply("", call("read_file"))
    kernel.returned("c1")

    kernel.reply("Now I will call read_file.")

    assert told(kernel) == TOLD


@pytest.mark.parametrize(
    ("recover", "text"),
    [({"missing_call": False}, "I will call read_file."), ({"fenced_call": False}, "```\nread_file()\n```")],
)
def test_each_of_them_can_be_switched_off(recover: dict[str, bool], text: str) -> None:
    kernel = kernel_with(recover)

    kernel.reply(text)

    assert kernel.outcome.status == "done"


def test_a_call_that_cannot_be_read_is_no_answer_even_where_nothing_is_told() -> None:
    kernel = kernel_with({"malformed_call": False})

    kernel.reply("", lost=("call 1 has no name",))

    assert told(kernel) is None


def test_where_nothing_is_nudged_nothing_is_told() -> None:
    kernel = kernel_with(max_nudges=0)

    kernel.reply("I will call read_file.")

    assert kernel.outcome == Outcome("done", "completed")
