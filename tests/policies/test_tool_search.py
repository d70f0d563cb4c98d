"""Deferred tools: not in the request until they were found, then behind those that were there before."""

import json
from typing import Any

from agentspec.adapters.tools.offered.search_tools import search_plan
from agentspec.core.offer.search import search_of, tokens_of
from agentspec.core.orders import CallModel, Note
from agentspec.core.tools import ToolPlan
from agentspec.spec.effective import effective
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import Kernel, call, plan_for, tool

DEFERRED = [tool(name, is_deferred=True) for name in ("dig", "drill", "blast")]
TWO = tokens_of(DEFERRED[1]) + tokens_of(DEFERRED[2])


def kernel_with(**search: Any) -> Kernel:
    values = {"capability": {"tool_search": {"strategy": "bm25", **search}}}
    tools = [tool("look"), *DEFERRED]
    asked = search_of(Settings(effective({"name": "s", **values})), {one.name: one for one in tools})
    assert asked is not None
    kernel = Kernel(plan_for(values, *tools, search_plan(asked)))
    kernel.start("go")
    return kernel


def search(kernel: Kernel, query: str, *found: str, name: str = "search_tools") -> list[Note]:
    kernel.reply("", call(name, query, json.dumps({"query": query})))
    kernel.returned(query, data={"found": list(found)})
    return [note for note in kernel.ordered(Note) if note.event == "tool_search"]


def shown(kernel: Kernel) -> tuple[str, ...] | None:
    return kernel.pending(CallModel).tools


def test_what_was_found_is_shown_from_the_next_turn_on_behind_the_others() -> None:
    kernel = kernel_with()
    first = shown(kernel)

    notes = search(kernel, "make a hole", "drill")

    assert first == ("look", "search_tools")
    assert shown(kernel) == ("look", "search_tools", "drill")
    assert [note.fields for note in notes] == [
        {
            "query": "make a hole",
            "strategy": "bm25",
            "mode": "client",
            "found": ["drill"],
            "shown": ["drill"],
            "hidden": [],
            "tokens": tokens_of(DEFERRED[1]),
            "breaks_prefix": True,
        }
    ]
    search(kernel, "deeper", "dig")
    assert shown(kernel) == ("look", "search_tools", "drill", "dig")


def test_a_search_that_brings_nothing_new_leaves_the_request_as_it_was() -> None:
    kernel = kernel_with()
    search(kernel, "make a hole", "drill")

    notes = search(kernel, "a hole", "drill")

    assert shown(kernel) == ("look", "search_tools", "drill")
    assert [note.fields["breaks_prefix"] for note in notes] == [False]


def test_the_oldest_go_where_the_budget_would_be_passed() -> None:
    kernel = kernel_with(budget_tokens=TWO)
    search(kernel, "1", "dig", "drill")

    notes = search(kernel, "2", "blast")

    assert shown(kernel) == ("look", "search_tools", "drill", "blast")
    assert notes[0].fields["hidden"] == ["dig"]
    assert notes[0].fields["tokens"] == TWO


def test_a_hidden_tool_that_is_called_all_the_same_is_not_run_and_the_way_to_it_is_told() -> None:
    kernel = kernel_with(name="find_tools")

    kernel.reply("", call("drill"))

    assert kernel.texts[-1] == (
        "ERROR: unknown tool `drill`: it is not shown yet; find it with `find_tools`, then call it in the turn after"
    )
    assert kernel.state.facts.session.rejected_tool_names == ("drill",)


def test_a_name_that_does_not_exist_is_answered_with_near_ones_hidden_ones_among_them() -> None:
    kernel = kernel_with()

    kernel.reply("", call("dril"))

    assert "did you mean `drill`?" in kernel.texts[-1]


def test_a_found_tool_is_run() -> None:
    kernel = kernel_with()
    search(kernel, "make a hole", "drill")

    kernel.reply("", call("drill"))
    kernel.returned("c1", "done")

    assert kernel.state.facts.session.successful_tool_names == ("search_tools", "drill")


def test_a_name_that_the_search_never_had_is_not_shown() -> None:
    kernel = kernel_with()

    search(kernel, "make a hole", "rm", "drill")

    assert shown(kernel) == ("look", "search_tools", "drill")


def test_hidden_tools_take_nothing_from_a_bound_on_tokens() -> None:
    large = tool("large", is_deferred=True, touches=None)
    large = ToolPlan(**{name: getattr(large, name) for name in large.__struct_fields__} | {"description": "x" * 40_000})
    bound = {"limits": {"tokens": 5_000}, "wrap_up": False}

    hidden = Kernel(plan_for({"execution": bound, "capability": {"tool_search": "bm25"}}, large, tool("search_tools")))
    hidden.start("go")
    open_ = Kernel(plan_for({"execution": bound}, large))
    open_.start("go")

    assert shown(hidden) == ("search_tools",)
    assert (open_.outcome.status, open_.outcome.reason) == ("budget_exhausted", "tokens")
