"""Given a choice about tools, when the model is asked, then it may, may not or must call them, and can still answer."""

from typing import Any

import pytest

from agentspec.core.orders import CallModel, CallTool
from agentspec.testing.kernel import Kernel, call, plan_for, tool


def kernel_with(choice: Any, **execution: Any) -> Kernel:
    values = {"model": {"tool_choice": choice}, "execution": execution}
    kernel = Kernel(plan_for(values, tool("look"), tool("test")))
    kernel.start("go")
    return kernel


def chosen(kernel: Kernel) -> str | None:
    return kernel.pending(CallModel).tool_choice


@pytest.mark.parametrize(("choice", "asked"), [("required", "required"), ({"tool": "look"}, "look")])
def test_what_must_be_called_is_asked_for_until_a_call_has_come(choice: Any, asked: str) -> None:
    kernel = kernel_with(choice, loop_until_done=True, max_nudges=8)

    assert chosen(kernel) == asked
    kernel.reply("I will look.")  # it was not held to it
    assert chosen(kernel) == asked
    kernel.reply("", call("look"))
    kernel.returned("c1")

    assert chosen(kernel) is None


def test_no_tool_may_be_called_where_the_author_says_none() -> None:
    kernel = kernel_with("none")

    assert chosen(kernel) == "none"
    kernel.reply("", call("look"))  # nor is one where the server lets it

    assert kernel.ordered(CallTool) == []
    assert kernel.texts[-1] == (
        "DENIED: refused by the tool_choice: `model.tool_choice` is `none`. No tool may be called: answer without one. "
        "Trying again does not help."
    )
    assert chosen(kernel) == "none"


@pytest.mark.parametrize("choice", ["auto", None])
def test_nothing_is_said_where_the_model_chooses(choice: str | None) -> None:
    assert chosen(kernel_with(choice)) is None


def test_a_claim_of_a_rule_goes_before_it() -> None:
    rule = {"when": "iteration == 1", "claim_tool": "test"}
    kernel = kernel_with("required", loop_until_done=True, max_nudges=8, post_turn=[rule])

    kernel.reply("I will look.")

    assert chosen(kernel) == "test"


def test_last_words_call_nothing() -> None:
    kernel = kernel_with("required", max_iterations=1)

    kernel.reply("", call("look"))
    kernel.returned("c1")

    assert chosen(kernel) == "none"
