"""Narrowing: what is not used leaves the view, and what is called is back."""

from typing import Any

import pytest

from agentspec.core.offer.narrowing import class_of
from agentspec.core.orders import CallModel, Note
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import Kernel, call, plan_for, tool

GPT = {"provider": "openai", "model": "gpt-5-mini"}
TOOLS = [tool("look"), tool("read"), tool("write", effect="write"), tool("late", is_deferred=True)]


def kernel_with(narrowing: Any, *tools: ToolPlan, model: dict[str, Any] | None = None, **more: Any) -> Kernel:
    capability = {"narrowing": narrowing, **more.pop("capability", {})}
    execution = {"stall": False, **more.pop("execution", {})}
    values = {"capability": capability, "execution": execution, "model": model or {}}
    kernel = Kernel(plan_for(values, *(tools or TOOLS)))
    kernel.start("go")
    return kernel


def turns(kernel: Kernel, count: int, name: str = "look") -> list[Note]:
    notes: list[Note] = []
    for _ in range(count):
        kernel.reply("", call(name))
        kernel.returned("c1")
        notes += [note for note in kernel.ordered(Note) if note.event == "tools_narrowed"]
    return notes


def asked(kernel: Kernel) -> tuple[Any, Any]:
    order = kernel.pending(CallModel)
    return order.tools, order.allowed


def test_a_tool_that_only_reads_and_is_not_used_leaves_the_request_after_the_window() -> None:
    kernel = kernel_with({"mode": "safe", "window_turns": 3})

    before = turns(kernel, 2)
    assert (before, asked(kernel)) == ([], (None, None))
    notes = turns(kernel, 1)

    assert asked(kernel) == (("look", "write", "late"), None)
    assert [note.fields for note in notes] == [
        {
            "iteration": 3,
            "mode": "safe",
            "narrowed": ["read"],
            "back": [],
            "applied": True,
            "breaks_prefix": True,
        }
    ]


def test_a_tool_that_has_left_runs_when_it_is_called_and_is_back() -> None:
    kernel = kernel_with({"mode": "safe", "window_turns": 2})
    turns(kernel, 2)

    notes = turns(kernel, 1, "read")

    assert kernel.state.facts.session.successful_tool_names == ("look", "read")
    assert asked(kernel)[0] is None
    assert [(note.fields["narrowed"], note.fields["back"]) for note in notes] == [([], ["read"])]


def test_by_default_the_request_keeps_its_tools_and_the_provider_is_told_what_may_be_called() -> None:
    kernel = kernel_with("cache_safe", model=GPT)

    notes = turns(kernel, 5)

    assert asked(kernel) == (None, ("look", "write", "late"))
    assert [(note.fields["applied"], note.fields["breaks_prefix"]) for note in notes] == [(True, False)]


@pytest.mark.parametrize("model", [{}, {"provider": "openai", "model": "m"}, {**GPT, "base_url": "http://localhost"}])
def test_where_the_provider_can_not_be_told_nothing_changes_and_that_is_said_once(model: dict[str, Any]) -> None:
    kernel = kernel_with("cache_safe", model=model)

    notes = turns(kernel, 5)
    notes += turns(kernel, 1, "read")
    notes += turns(kernel, 6)

    assert asked(kernel) == (None, None)
    assert [(note.fields["applied"], note.fields["narrowed"]) for note in notes] == [(False, ["read"])]
    assert notes[0].fields["reason"].startswith("the provider can't restrict")


def test_off_is_off() -> None:
    kernel = kernel_with("off", model=GPT)

    assert turns(kernel, 9) == []
    assert asked(kernel) == (None, None)


@pytest.mark.parametrize(
    ("narrowing", "more"),
    [
        ({"mode": "safe", "window_turns": 1, "hard_keep": ["read"]}, {}),
        ({"mode": "safe", "window_turns": 1}, {"execution": {"require_successful_tools": ["read"]}}),
        ({"mode": "safe", "window_turns": 1, "keep_classes": ["read_only"]}, {}),
    ],
    ids=["hard_keep", "required", "keep_classes"],
)
def test_what_has_to_stay_stays(narrowing: Any, more: dict[str, Any]) -> None:
    kernel = kernel_with(narrowing, **more)

    turns(kernel, 3)

    assert asked(kernel)[0] is None


def test_aggressive_takes_what_acts_as_well_but_never_the_last_tool() -> None:
    kernel = kernel_with({"mode": "aggressive", "window_turns": 2})
    turns(kernel, 2)
    alone = kernel_with({"mode": "aggressive", "window_turns": 1}, tool("look"), tool("read"))

    for _ in range(3):
        alone.reply("", call("none"))

    assert asked(kernel)[0] == ("look", "late")
    assert asked(alone)[0] is None


def test_a_skill_that_becomes_active_makes_the_count_begin_anew() -> None:
    skills = {"dig": {"prompt": "Dig.", "when": "iteration > 1"}}
    capability = {"skills": skills, "skill_match": {"sticky": False}}
    kernel = kernel_with({"mode": "safe", "window_turns": 3}, capability=capability)

    turns(kernel, 4)
    assert asked(kernel)[0] is None
    turns(kernel, 2)

    assert asked(kernel)[0] == ("look", "write", "late")


def test_last_words_are_asked_for_with_the_tools_that_were_there() -> None:
    kernel = kernel_with("cache_safe", model=GPT, execution={"max_iterations": 6})

    turns(kernel, 6)

    assert kernel.pending(CallModel).tool_choice == "none"
    assert asked(kernel) == (None, None)


RULES = {"capability": {"approval": {"rules": [{"tool": "w*", "decision": "ask"}]}}}


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (tool("look"), "read_only"),
        (tool("think", effect="none"), "read_only"),
        (tool("drop", effect="write"), "mutating"),
        (tool("write", effect="write"), "approval"),
        (tool("report_progress", effect="none"), "progress"),
        (tool("read_command_output_tail"), "result_polling"),
        (ToolPlan("search_tools", "", {}, "none", "runtime"), "session_control"),
        (ToolPlan("activate_skill", "", {}, "none", "skill"), "session_control"),
    ],
)
def test_each_tool_has_a_class(made: ToolPlan, kind: str) -> None:
    assert class_of(made, Settings(RULES)) == kind
