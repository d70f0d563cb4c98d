"""Given a call, when it would run, then only a known tool with arguments that its schema admits gets it."""

from typing import Any

import pytest
from msgspec.structs import replace

from agentspec.core.orders import CallTool
from agentspec.policies.arguments import Arguments
from agentspec.policies.tool_errors import ToolErrors
from agentspec.policies.unknown_tools import UnknownTools
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import Kernel, call, plan_of, tool

SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
    "additionalProperties": False,
}


def kernel_with(values: dict[str, Any] | None = None) -> Kernel:
    tools = {"read_file": replace(tool("read_file"), parameters=SCHEMA)}
    settings = Settings(values or {})
    policies = [policy.configure(settings, tools) for policy in (UnknownTools, Arguments, ToolErrors)]
    kernel = Kernel(plan_of(*(policy for policy in policies if policy), tools=tools.values()))
    kernel.start("go")
    return kernel


def test_good_arguments_reach_the_tool() -> None:
    kernel = kernel_with()

    kernel.reply("", call("read_file", arguments='{"path": "a"}'))

    assert kernel.ordered(CallTool)[0].arguments == {"path": "a"}


def test_an_unknown_tool_is_answered_with_the_nearest_name_and_all_names() -> None:
    kernel = kernel_with()

    kernel.reply("", call("read_fiel"))

    assert kernel.texts[-1] == "ERROR: unknown tool `read_fiel`; did you mean `read_file`? The tools are: read_file."
    assert kernel.state.facts.session.rejected_tool_names == ("read_fiel",)


def test_a_huge_name_is_not_repeated_to_the_model() -> None:
    kernel = kernel_with()

    kernel.reply("", call("x" * 10_000))

    assert len(kernel.texts[-1]) < 300


@pytest.mark.parametrize("arguments", ["[1]", "7", '"x"', '{"path": "unterm', "{}"])
def test_arguments_that_are_no_fitting_object_are_answered_and_never_run(arguments: str) -> None:
    kernel = kernel_with()

    kernel.reply("", call("read_file", arguments=arguments), call("read_file", "c2", '{"path": "b"}'))

    assert [order.call.id for order in kernel.ordered(CallTool)] == ["c2"]
    kernel.returned("c2", "contents")
    assert kernel.texts[-2].startswith("ERROR: ")
    assert kernel.texts[-1] == "contents"


def test_a_trailing_comma_is_mended_once_and_recorded() -> None:
    kernel = kernel_with()

    kernel.reply("", call("read_file", arguments='{"path": "a",}'))

    order = kernel.ordered(CallTool)[0]
    assert (order.arguments, order.repaired) == ({"path": "a"}, True)


def test_a_call_that_the_output_limit_cut_is_neither_mended_nor_run() -> None:
    kernel = kernel_with()

    kernel.reply("", call("read_file", arguments='{"path": "long te'), finish="length")

    assert kernel.ordered(CallTool) == []
    assert "cut" in kernel.texts[-1]


def test_all_that_is_wrong_is_said_at_once() -> None:
    kernel = kernel_with()

    kernel.reply("", call("read_file", arguments='{"pth": "a", "more": 1}'))

    assert "pth" in kernel.texts[-1]
    assert "more" in kernel.texts[-1]
    assert "path" in kernel.texts[-1]


def test_abort_mode_ends_at_the_first_failure_and_starts_nothing_more() -> None:
    kernel = kernel_with({"execution": {"tool_error_mode": "abort"}})

    kernel.reply("", call("read_file", arguments='{"path": "a"}'))
    kernel.returned("c1", "ERROR: no such file", status="error")

    assert (kernel.outcome.status, kernel.outcome.reason) == ("failed", "tool_error")
    assert kernel.outcome.detail == "`read_file` failed: ERROR: no such file"


@pytest.mark.parametrize("finish_text", ["error", "pause_turn"])
def test_arguments_of_a_reply_that_broke_off_are_not_mended(finish_text: str) -> None:
    kernel = kernel_with()

    kernel.reply("", call("read_file", arguments='{"path": "half"'), finish="tool_calls", finish_text=finish_text)

    assert kernel.ordered(CallTool) == []


def test_a_cut_call_without_arguments_is_not_taken_for_one_that_needs_none() -> None:
    kernel = kernel_with()

    kernel.reply("", call("read_file", arguments=""), finish="length")

    assert kernel.ordered(CallTool) == []
    assert "cut off" in kernel.texts[-1]
