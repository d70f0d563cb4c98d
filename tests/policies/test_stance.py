"""Tools that change things are hidden until they are earned; what a model says of its progress is told."""

from typing import Any

import pytest

from agentspec.core.orders import CallModel, CallTool, Note
from agentspec.testing.kernel import Kernel, call, plan_for, tool

TOOLS = (tool("look"), tool("write", effect="write"), tool("run", effect="process"), tool("send", effect="network"))


def kernel_with(**capability: Any) -> Kernel:
    kernel = Kernel(
        plan_for({"capability": capability}, *TOOLS, tool("report_progress", effect="none", kind="runtime"))
    )
    kernel.start("go")
    return kernel


def shown(kernel: Kernel) -> tuple[str, ...] | None:
    tools: tuple[str, ...] | None = kernel.pending(CallModel).tools
    return tools


def notes(kernel: Kernel, event: str) -> list[dict[str, Any]]:
    return [order.fields for order in kernel.orders if isinstance(order, Note) and order.event == event]


def test_tools_that_change_things_are_shown_when_they_are_earned() -> None:
    kernel = kernel_with(read_only_stance={"until": "'look' in session.successful_tool_names"})

    first = shown(kernel)
    kernel.reply("", call("write"))
    refused = kernel.texts[-1]
    second = shown(kernel)
    kernel.reply("", call("look", "c2"))
    kernel.returned("c2", "a book")

    assert (first, second, shown(kernel)) == (("look", "send", "report_progress"),) * 2 + (None,)
    assert refused == (
        "ERROR: `write` is not offered yet: it changes things, and they are looked at first "
        "(`capability.read_only_stance`)"
    )
    assert notes(kernel, "stance_left") == [{"turn": 2, "shown": ["write", "run"], "breaks_prefix": True}]
    kernel.reply("", call("write", "c3"))
    assert [order.call.name for order in kernel.ordered(CallTool)] == ["write"]


def test_the_author_says_what_is_hidden() -> None:
    kernel = kernel_with(read_only_stance={"until": "iteration > 3", "hide": ["network"]})

    assert shown(kernel) == ("look", "write", "run", "report_progress")


def test_a_condition_that_can_not_be_read_earns_nothing_and_is_told() -> None:
    kernel = kernel_with(read_only_stance={"until": "turn.tool_names[7] == 'look'"})

    kernel.reply("", call("look"))
    kernel.returned("c1")

    (told,) = notes(kernel, "expression_error")
    assert (told["place"], told["turn"], "write" in (shown(kernel) or ())) == (
        "capability.read_only_stance.until",
        1,
        False,
    )


@pytest.mark.parametrize("percent", [40, None])
def test_what_the_model_says_of_its_progress_is_told(percent: int | None) -> None:
    kernel = kernel_with(progress_tool=True)
    more = "" if percent is None else f', "percent": {percent}'

    kernel.reply("", call("report_progress", arguments=f'{{"message": "Halfway"{more}}}'))
    kernel.returned("c1", "told")

    assert notes(kernel, "progress_reported") == [{"turn": 1, "message": "Halfway", "percent": percent}]
