"""The tool format of a run: what a refusal leads to, and what a fallback lets run."""

from typing import Any

import pytest

from agentspec.core.messages import ToolCall
from agentspec.core.orders import CallModel, CallTool, Note
from agentspec.testing.kernel import Kernel, call, plan_for, tool

NO_TOOLS = "this model does not support tools"
NO_FORMAT = "response_format is not supported"


def kernel_with(**model: Any) -> Kernel:
    kernel = Kernel(plan_for({"model": model}, tool("look")))
    kernel.start("go")
    return kernel


def refuse(kernel: Kernel, message: str = NO_TOOLS, status: int = 400) -> None:
    kernel.fail("invalid_request", http_status=status, message=message)


def asked(kernel: Kernel) -> tuple[str, bool, int]:
    order = kernel.ordered(CallModel)[0]
    return order.format, order.is_constrained, order.turn


def test_a_provider_that_refuses_tools_is_asked_for_steps_and_then_for_text_in_the_same_turn() -> None:
    kernel = kernel_with()

    refuse(kernel)
    assert asked(kernel) == ("json", True, 1)
    assert kernel.ordered(Note)[0] == Note(
        event="format_changed", fields={"from": "native", "to": "json", "constrained": True}
    )
    refuse(kernel, NO_FORMAT, 422)
    assert asked(kernel) == ("text", True, 1)
    refuse(kernel)

    assert (kernel.outcome.status, kernel.outcome.reason) == ("provider_error", "invalid_request")


def test_a_format_that_was_left_is_left_for_the_rest_of_the_run() -> None:
    kernel = kernel_with()
    refuse(kernel)

    kernel.reply("", call("look"))
    kernel.returned("c1")

    assert asked(kernel) == ("json", True, 2)
    assert kernel.state.facts.tool_format == "json"


def test_a_spec_that_asks_for_steps_gets_them_in_prose_where_no_schema_is_taken() -> None:
    kernel = kernel_with(tool_format="json")
    assert asked(kernel) == ("json", True, 1)

    refuse(kernel, NO_FORMAT)
    assert asked(kernel) == ("json", False, 1)
    refuse(kernel, NO_FORMAT)

    assert kernel.outcome.reason == "invalid_request"


@pytest.mark.parametrize("chosen", ["native", "text"])
def test_a_spec_that_asks_for_another_format_gets_no_other(chosen: str) -> None:
    kernel = kernel_with(tool_format=chosen)

    refuse(kernel)

    assert kernel.outcome.reason == "invalid_request"


def test_a_refusal_that_names_no_format_ends_the_run() -> None:
    kernel = kernel_with()

    refuse(kernel, "the temperature is out of range")

    assert kernel.outcome.reason == "invalid_request"


LEAKED: dict[str, Any] = {"raw": '{"name": "look"}', "is_from_text": True}


def leak(kernel: Kernel, call_id: str, *others: ToolCall) -> int:
    """The model writes a call as text; how many calls run."""
    kernel.reply("", call("look", call_id), *others, **LEAKED)
    return len(kernel.ordered(CallTool))


@pytest.mark.parametrize(("mode", "runs"), [("allow", [1, 1]), ("allow_once", [1, 0]), ("reject", [0, 0])])
def test_calls_that_came_as_text_run_as_often_as_the_spec_lets_them(mode: str, runs: list[int]) -> None:
    kernel = kernel_with(native_tool_fallback=mode)
    ran = []

    for number, expected in enumerate(runs):
        ran.append(leak(kernel, f"c{number}"))
        if expected:
            kernel.returned(f"c{number}")
            assert kernel.state.facts.turn.native_fallback_used is False or kernel.state.is_turn_open

    assert ran == runs


def test_the_model_is_told_of_a_call_that_was_not_taken() -> None:
    kernel = kernel_with(native_tool_fallback="reject")

    leak(kernel, "c1")

    assert "wrote a tool call as text, so nothing was run" in str(kernel.ordered(CallModel)[0].harness)
    assert kernel.texts[-1] == "ERROR: not run: a call that is written as text is not taken"
