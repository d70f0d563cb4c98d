"""Given a judge of steps or a guard of the input, when a turn or a run begins, then it passes, is sent back, or refused."""

import json
from typing import Any

import pytest

from agentspec.core.orders import Ask, CallModel, CallTool, Consult, Note, Outcome
from agentspec.testing.kernel import Kernel, call, plan_for, tool

GUARD = "execution.input_guardrail"


def kernel_with(task: str = "go", **execution: Any) -> Kernel:
    settings = {"max_iterations": 9, "iteration_budget": "fixed", "wrap_up": False}
    kernel = Kernel(plan_for({"execution": settings | execution}, tool("look"), tool("write", effect="write")))
    kernel.start(task)
    return kernel


def told(kernel: Kernel) -> str | None:
    order: CallModel = kernel.ordered(CallModel)[0]
    return order.harness


def noted(kernel: Kernel, event: str) -> list[dict[str, Any]]:
    return [note.fields for note in kernel.ordered(Note) if note.event == event]


def said(verdict: str, detail: str = "") -> str:
    return json.dumps({"verdict": verdict, "detail": detail})


# --- step_judge ---


def test_no_tool_runs_before_the_step_is_judged() -> None:
    kernel = kernel_with("fix it", step_judge=True)

    kernel.reply("I write.", call("write", "c1", '{"path": "a"}'))
    packet = kernel.ordered(Consult)[0].consultation.packet
    assert packet == '<task>\nfix it\n</task>\n\n<step>\nI write.\ncalls write {"path": "a"}\n</step>'
    assert kernel.ordered(CallTool) == []
    kernel.consulted(said("pass"))

    assert [order.call.name for order in kernel.ordered(CallTool)] == ["write"]
    assert noted(kernel, "step_judge_decision") == [{"turn": 1, "skipped": False, "verdict": "pass", "detail": ""}]


@pytest.mark.parametrize(
    ("on_veto", "texts"),
    [("replace", ["go"]), ("retain", ["go", "I write.", "ERROR: not run: the step was not approved"])],
)
def test_a_vetoed_step_leaves_the_transcript_or_stays_in_it(on_veto: str, texts: list[str]) -> None:
    kernel = kernel_with(step_judge={"on_veto": on_veto})

    kernel.reply("I write.", call("write"))
    kernel.consulted(said("revise", "Look first."))

    assert kernel.texts == texts
    assert told(kernel) == "Look first."
    assert kernel.ordered(CallModel)[0].turn == 2


def test_after_so_many_vetoes_in_a_row_a_turn_passes_and_the_count_begins_anew() -> None:
    kernel = kernel_with(step_judge={"max_attempts": 2})

    for _ in range(2):
        kernel.reply("", call("write"))
        kernel.consulted(said("revise"))
    kernel.reply("", call("write"))

    assert noted(kernel, "step_judge_decision") == [{"turn": 3, "skipped": True, "reason": "max_attempts_reached"}]
    kernel.returned("c1")
    kernel.reply("", call("write", "c2"))
    assert len(kernel.ordered(Consult)) == 1


@pytest.mark.parametrize("failure", ["timeout", "prose"])
def test_a_judge_of_steps_that_fails_lets_the_turn_pass_and_says_so(failure: str) -> None:
    kernel = kernel_with(step_judge=True)

    kernel.reply("", call("write"))
    if failure == "prose":
        kernel.consulted("Looks fine.")
        kernel.consulted("It does!")
    else:
        kernel.consultation_failed(failure)

    assert len(kernel.ordered(CallTool)) == 1
    decision = noted(kernel, "step_judge_decision")[0]
    assert (decision["skipped"], decision["reason"]) == (True, "judge_unavailable")


@pytest.mark.parametrize("place", ["step_judge", "input_guardrail"])
def test_a_passing_fault_of_a_look_is_tried_again(place: str) -> None:
    kernel = kernel_with(**{place: True if place == "step_judge" else {"judge": True}})
    if place == "step_judge":
        kernel.reply("", call("write"))

    kernel.consultation_failed("server_error", retryable=True)
    assert (kernel.ordered(Ask)[0].who, kernel.ordered(Ask)[0].asker) == ("clock", place)
    kernel.answered()

    assert kernel.ordered(Consult)[0].asker == place


def test_no_step_is_judged_near_the_end_of_the_budget() -> None:
    kernel = kernel_with(max_iterations=2, step_judge=True)

    kernel.reply("", call("write"))

    assert noted(kernel, "step_judge_decision") == [{"turn": 1, "skipped": True, "reason": "low_iteration_budget"}]


def test_an_empty_turn_is_not_judged_unless_the_author_wants_it() -> None:
    skips, asks = kernel_with(step_judge=True), kernel_with(max_nudges=5, step_judge={"skip_when_empty": False})

    for kernel in (skips, asks):
        kernel.reply("")

    assert noted(skips, "step_judge_decision") == [{"turn": 1, "skipped": True, "reason": "empty_response"}]
    assert noted(asks, "step_judge_decision") == []


# --- input_guardrail ---


def test_a_condition_refuses_a_task_before_the_first_call() -> None:
    kernel = kernel_with(
        "delete all", input_guardrail={"when": "task.contains('delete')", "reason": "no deletions", "label": "scope"}
    )

    assert kernel.ordered(CallModel) == []
    assert kernel.outcome == Outcome("input_guardrail", "tripwire", place=f"{GUARD}.when", detail="scope: no deletions")
    assert noted(kernel, "guardrail_verdict") == [
        {"tripwire": True, "by": "when", "reason": "no deletions", "label": "scope"}
    ]


def test_a_condition_that_does_not_hold_lets_the_task_pass() -> None:
    kernel = kernel_with("read it", input_guardrail={"when": "task.contains('delete')"})

    assert len(kernel.ordered(CallModel)) == 1
    assert noted(kernel, "guardrail_verdict") == [{"tripwire": False, "by": "when", "label": ""}]


def test_a_condition_that_fails_to_evaluate_trips() -> None:
    kernel = kernel_with(input_guardrail={"when": "messages[7].content == ''"})

    assert kernel.outcome.reason == "tripwire"
    assert noted(kernel, "expression_error") == [
        {"place": "input_guardrail.when", "error": "there is no item 7 in a list of 1"}
    ]


def verdict(trips: bool, confidence: float = 1.0) -> str:
    return json.dumps({"tripwire": trips, "reason": "It is about weapons.", "confidence": confidence})


@pytest.mark.parametrize(
    ("answer", "threshold", "trips"),
    [
        (verdict(trips=True), 0, True),
        (verdict(trips=True, confidence=0.6), 0.7, False),
        (verdict(trips=True, confidence=0.7), 0.7, True),
        (verdict(trips=False), 0, False),
    ],
)
def test_a_judge_refuses_a_task_where_it_is_sure_enough(answer: str, threshold: float, *, trips: bool) -> None:
    kernel = kernel_with(input_guardrail={"judge": True, "confidence_threshold": threshold})

    assert kernel.ordered(CallModel) == []
    assert kernel.ordered(Consult)[0].consultation.packet == "<user>\ngo\n</user>"
    kernel.consulted(answer)

    assert bool(kernel.ordered(CallModel)) is not trips
    if trips:
        assert kernel.outcome == Outcome(
            "input_guardrail", "tripwire", place=f"{GUARD}.judge", detail="It is about weapons."
        )


@pytest.mark.parametrize(("on_error", "trips"), [("pass", False), ("trip", True)])
def test_a_guard_that_fails_passes_with_a_warning_unless_the_author_wants_it_to_trip(
    on_error: str, *, trips: bool
) -> None:
    kernel = kernel_with(input_guardrail={"judge": True, "on_error": on_error})

    kernel.consultation_failed("server_error")

    assert bool(kernel.ordered(CallModel)) is not trips
    assert noted(kernel, "guardrail_verdict")[0]["warning"] == "server_error"


def test_a_function_is_asked_before_the_judge() -> None:
    kernel = kernel_with(input_guardrail={"python": "acme.rules:guard", "judge": True})

    assert kernel.ordered(Ask)[0].question["state"]["task"] == "go"
    kernel.answered({"value": None})
    kernel.consulted(verdict(trips=False))

    assert len(kernel.ordered(CallModel)) == 1


def test_a_function_refuses_a_task() -> None:
    kernel = kernel_with(input_guardrail={"python": "acme.rules:guard"})

    kernel.answered({"value": {"trip": True, "reason": "not today"}})

    assert kernel.outcome == Outcome("input_guardrail", "tripwire", place=f"{GUARD}.python", detail="not today")


def test_the_task_is_looked_at_once() -> None:
    kernel = kernel_with(input_guardrail={"judge": True})
    kernel.consulted(verdict(trips=False))

    kernel.reply("", call("look"))
    kernel.returned("c1")

    assert kernel.ordered(Consult) == []
    assert kernel.ordered(CallModel)[0].turn == 2
