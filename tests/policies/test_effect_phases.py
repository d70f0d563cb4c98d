"""Given calls of several kinds in one reply, when they are dispatched, then the mildest run and the others wait."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.calls.touched import Touched
from agentspec.core.messages import ToolMessage
from agentspec.core.orders import CallTool, Note
from agentspec.link import tool_plan
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import Kernel, call, plan_for, tool

PATH = {"touches": lambda given: Touched(paths=(given.get("path", "a"),))}
TOOLS = (
    tool("calc", effect="none"),
    tool("look", repeat="read", **PATH),
    tool("write", effect="write", **PATH),
    tool("fetch", effect="network"),
    tool("run", effect="process"),
    tool("finish", effect="terminal"),
)


def kernel_with(**execution: Any) -> Kernel:
    kernel = Kernel(plan_for({"execution": execution}, *TOOLS))
    kernel.start("go")
    return kernel


def in_flight(kernel: Kernel) -> list[str]:
    return [order.call.id for order in kernel.state.pending.values() if isinstance(order, CallTool)]


def results(kernel: Kernel) -> dict[str, str]:
    return {each.call_id: each.text for each in kernel.state.transcript if isinstance(each, ToolMessage)}


def batches(kernel: Kernel) -> list[dict[str, Any]]:
    return [note.fields for note in kernel.ordered(Note) if note.event == "tool_batch"]


def test_looking_comes_before_changing_and_the_rest_is_told_to_wait() -> None:
    kernel = kernel_with()

    kernel.reply("", call("write", "w"), call("look", "a"), call("run", "r"), call("calc", "c"))

    assert in_flight(kernel) == ["a", "c"]
    assert batches(kernel) == [
        {"turn": 1, "phase": "observation", "calls": 2, "deferred": ["w", "r"], "proposed_again": []}
    ]
    kernel.returned("c")
    kernel.returned("a")
    assert results(kernel) == {
        "w": "DEFERRED: not run yet: it changes things, and this reply also asked for a call that looks at things, "
        "which ran first. Ask for it again when you have seen the results.",
        "a": "ok",
        "r": "DEFERRED: not run yet: it runs programs, and this reply also asked for a call that looks at things, "
        "which ran first. Ask for it again when you have seen the results.",
        "c": "ok",
    }
    assert kernel.state.facts.turn.rejected_tool_names == ()


def test_a_call_that_is_asked_for_again_runs_and_is_marked() -> None:
    kernel = kernel_with()
    kernel.reply("", call("write", "w", '{"path": "x"}'), call("look", "a"))
    kernel.returned("a")

    kernel.reply("", call("write", "v", '{ "path":"x" }'))

    assert in_flight(kernel) == ["v"]
    assert [fields["proposed_again"] for fields in batches(kernel)] == [["v"]]


def test_changes_run_one_after_another_in_the_order_of_the_reply() -> None:
    kernel = kernel_with()

    kernel.reply("", call("write", "a"), call("fetch", "b"), call("write", "c", '{"path": "z"}'))

    for call_id in ("a", "b", "c"):
        assert in_flight(kernel) == [call_id]
        kernel.returned(call_id)


def test_a_refusal_is_never_put_off() -> None:
    kernel = Kernel(plan_for({"capability": {"ceiling": {"tools": ["look"]}}}, *TOOLS))
    kernel.start("go")

    kernel.reply("", call("run", "r"), call("look", "a"))
    kernel.returned("a")

    assert results(kernel)["r"].startswith("DENIED: refused by the ceiling")


def test_after_a_failed_change_later_ones_of_the_same_path_are_left_out() -> None:
    kernel = kernel_with()

    kernel.reply(
        "", *(call("write", name, f'{{"path": "{path}"}}') for name, path in (("a", "x"), ("b", "./x"), ("c", "y")))
    )
    kernel.returned("a", "full", status="error")

    assert in_flight(kernel) == ["c"]
    kernel.returned("c")
    assert results(kernel)["b"] == "ERROR: not run: the change of `x` before it failed. Look at it first."


def test_after_a_failed_change_no_program_runs_before_somebody_has_looked() -> None:
    kernel = kernel_with()
    kernel.reply("", call("write", "w"))
    kernel.returned("w", "full", status="error")

    kernel.reply("", call("run", "r"))
    assert results(kernel)["r"] == (
        "DEFERRED: not run yet: it runs programs, and the last change failed. "
        "Look at the state or mend the change first, then ask for it again."
    )
    kernel.reply("", call("look", "l"))
    kernel.returned("l")
    kernel.reply("", call("run", "s"))

    assert in_flight(kernel) == ["s"]


def test_a_change_that_is_mended_lets_programs_run_again() -> None:
    kernel = kernel_with()
    kernel.reply("", call("write", "w"))
    kernel.returned("w", "full", status="timeout")
    kernel.reply("", call("write", "v", '{"path": "b"}'))
    kernel.returned("v")

    kernel.reply("", call("run", "r"))

    assert in_flight(kernel) == ["r"]


def test_another_change_of_the_same_reply_mends_nothing() -> None:
    kernel = kernel_with()
    kernel.reply("", call("write", "w", '{"path": "a"}'), call("write", "v", '{"path": "b"}'))
    kernel.returned("w", "full", status="error")
    kernel.returned("v")

    kernel.reply("", call("run", "r"))

    assert results(kernel)["r"].startswith("DEFERRED: not run yet")


def test_without_phases_all_calls_of_a_reply_run_in_their_order() -> None:
    kernel = kernel_with(effect_phases=False, fail_fast_same_resource=False)

    kernel.reply("", call("write", "w"), call("look", "a"), call("look", "b", '{"path": "b"}'), call("run", "r"))
    kernel.returned("w", "full", status="error")

    assert in_flight(kernel) == ["a", "b"]
    kernel.returned("a")
    kernel.returned("b")
    assert in_flight(kernel) == ["r"]


@given(st.lists(st.sampled_from([each.name for each in TOOLS]), min_size=1, max_size=6), st.data())
def test_every_call_has_one_result_and_calls_that_run_are_of_one_phase(names: list[str], data: st.DataObject) -> None:
    kernel = kernel_with()
    kernel.reply("", *(call(name, f"c{at}", f'{{"path": "p{at}"}}') for at, name in enumerate(names)))

    ran = set()
    while in_flight(kernel):
        call_id = data.draw(st.sampled_from(in_flight(kernel)))
        ran.add(kernel.plan.tools[names[int(call_id[1:])]].effect)
        kernel.returned(call_id, status=data.draw(st.sampled_from(["ok", "error"])))

    assert list(results(kernel)) == [f"c{at}" for at in range(len(names))]
    assert ran <= {"none", "read"} or ran <= {"write", "network"} or len(ran) == 1


@pytest.mark.parametrize(("is_concurrent", "at_once"), [(False, ["c1"]), (True, ["c1", "c2"])])
def test_changes_that_are_declared_concurrent_run_at_once(is_concurrent: bool, at_once: list[str]) -> None:
    definition = {"run": ["touch", "x"], "effect": "write", **({"concurrent": True} if is_concurrent else {})}
    plan = tool_plan("put", definition, Settings({}))
    kernel = Kernel(plan_for({}, plan))
    kernel.start("go")

    kernel.reply("", call("put", "c1"), call("put", "c2"))

    assert [order.call.id for order in kernel.ordered(CallTool)] == at_once
