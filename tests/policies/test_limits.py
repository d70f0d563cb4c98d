"""Given what was used, when the run wants more, then it stops at the bound that is reached."""

from typing import Any, ClassVar

import pytest

from agentspec.core.events import AbortRequested, Consulted, DeadlineReached, Resumed
from agentspec.core.messages import Usage
from agentspec.core.orders import CallModel, CallTool, Consultation, Note, Outcome
from agentspec.core.policy import Policy, Stage
from agentspec.core.proposals import Think
from agentspec.core.rulings import PASS, Hold
from agentspec.policies.arguments import Arguments
from agentspec.policies.limits import Limits
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import Kernel, call, plan_for, plan_of, tool

TOOLS = {"look": tool("look")}


def kernel_with(**limits: Any) -> Kernel:
    settings = Settings({"execution": {"limits": limits, "wrap_up": False}})
    policies = (Limits.configure(settings, TOOLS), Arguments.configure(settings, TOOLS))
    kernel = Kernel(plan_of(*policies, tools=TOOLS.values()))
    kernel.start("go")
    return kernel


def exhausted(name: str, detail: str) -> Outcome:
    return Outcome("budget_exhausted", name, place=f"execution.limits.{name}", detail=detail)


def test_tokens_that_are_used_up_stop_the_run_before_its_tool_runs_and_keep_its_text() -> None:
    kernel = kernel_with(tokens=200)

    kernel.reply("I look.", call("look"), usage=Usage(input_tokens=190, output_tokens=20))

    assert kernel.outcome == exhausted("tokens", "210 of 200")
    assert kernel.ordered(CallTool) == []
    assert kernel.ordered(Note)[0] == Note(
        event="limit_reached", fields={"limit": "tokens", "place": "execution.limits.tokens", "policy": "limits"}
    )
    assert kernel.texts == ["go", "I look.", "ERROR: not run: the run ended (tokens) before it started"]


def test_a_call_that_could_get_no_answer_worth_having_is_not_made() -> None:
    kernel = kernel_with(tokens=300)

    kernel.reply("", call("look"), usage=Usage(input_tokens=100, output_tokens=20))
    kernel.returned("c1")

    assert kernel.ordered(CallModel) == []
    assert kernel.outcome == exhausted("tokens", "120 of 300, and the next call needs more than is left")


def test_an_answer_is_capped_at_what_is_left_after_its_request() -> None:
    kernel = kernel_with(tokens=1_000)
    first = kernel.pending(CallModel).max_output_tokens

    kernel.reply("", call("look"), usage=Usage(input_tokens=100, output_tokens=20))
    kernel.returned("c1")

    assert first is not None
    assert 900 < first < 1_000
    cap = kernel.pending(CallModel).max_output_tokens
    assert cap is not None
    assert 600 < cap <= 1_000 - 120 - 100


def test_no_cap_is_sent_where_the_pot_is_far_larger_than_any_answer() -> None:
    assert kernel_with(tokens=10_000_000).pending(CallModel).max_output_tokens is None
    assert kernel_with().pending(CallModel).max_output_tokens is None


def test_dollars_stop_the_run_by_the_prices_of_its_model() -> None:
    plan = plan_for(
        {
            "model": {"prices": {"input": 10.0, "output": 100.0}},
            "execution": {"limits": {"cost_usd": 0.02}, "wrap_up": False},
        },
        tool("look"),
    )
    kernel = Kernel(plan)
    kernel.start("go")
    cap = kernel.pending(CallModel).max_output_tokens

    kernel.reply("", call("look"), usage=Usage(input_tokens=400, output_tokens=100))
    spent = kernel.state.facts.usage.cost_usd
    kernel.returned("c1")

    assert cap is not None
    assert 150 < cap < 200
    assert spent == pytest.approx(0.014)
    assert kernel.outcome == exhausted("cost_usd", "0.014 of 0.02, and the next call needs more than is left")


def test_models_beside_the_worker_draw_on_the_same_pots() -> None:
    plan = plan_of(Limits.configure(Settings({"execution": {"limits": {"tokens": 500}}}), {}), AsksFirst())
    kernel = Kernel(plan)
    kernel.start("go")

    kernel.consulted("fine", usage=Usage(input_tokens=480, output_tokens=20))

    assert kernel.outcome == exhausted("tokens", "500 of 500")
    assert kernel.state.facts.usage.input_tokens == 480


class AsksFirst(Policy[bool], frozen=True):
    """Asks a model beside the worker before the first call."""

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 1
    hears: ClassVar = (Consulted,)
    reviews: ClassVar = (Think,)

    def start(self) -> bool:
        return False

    def observe(self, memory: bool, event: Any, facts: Any) -> bool:
        return True

    def review(self, memory: bool, proposal: Think, facts: Any) -> Any:
        return PASS if memory else Hold("judge", Consultation(system="s", packet="p"))


def test_a_pot_shared_with_other_runs_that_refuses_a_call_ends_the_run_by_its_name_and_without_last_words() -> None:
    kernel = Kernel(plan_for({}))
    kernel.start("go")

    kernel.fail("invalid_request", limit="tokens")

    detail = "the pot that it shares with other runs has too little left for a call"
    assert kernel.outcome == exhausted("tokens", detail)


def test_usage_that_a_provider_does_not_report_is_told_once_a_route() -> None:
    kernel = kernel_with(tokens=1_000)

    kernel.reply("", call("look"), usage=Usage(9, 2, estimated=True), provider="p", model="m")
    told = kernel.ordered(Note)
    kernel.returned("c1")
    kernel.reply("", call("look"), usage=Usage(9, 2, estimated=True), provider="p", model="m")

    assert told == [Note(event="usage_estimated", fields={"route": "p:m"})]
    assert kernel.ordered(Note) == []


def test_usage_that_is_not_reported_ends_the_run_where_the_spec_wants_that() -> None:
    kernel = kernel_with(tokens=1_000, on_missing_usage="fail")

    kernel.reply("An answer.", usage=Usage(9, 2, estimated=True), provider="p", model="m")

    assert (kernel.outcome.status, kernel.outcome.reason) == ("provider_error", "bad_response")
    assert kernel.outcome.detail == (
        "`p:m` did not say how many tokens it used, and `execution.limits.on_missing_usage` is `fail`"
    )
    assert kernel.texts[-1] == "An answer."


def test_the_model_is_told_what_is_left_where_the_spec_wants_that() -> None:
    kernel = kernel_with(tokens=1_000, tool_calls=3, show=True)
    assert kernel.pending(CallModel).harness == "Left for this run: 1000 tokens, 3 tool calls."

    kernel.reply("", call("look"), usage=Usage(100, 20))
    kernel.returned("c1")

    assert kernel.pending(CallModel).harness == "Left for this run: 880 tokens, 2 tool calls."


def test_a_retry_that_waits_when_time_is_up_ends_with_the_limit() -> None:
    kernel = Kernel(plan_for({"execution": {"limits": {"wall_clock": "30s"}, "wrap_up": False}}))
    kernel.start("go")
    kernel.fail("server_error", retryable=True)

    kernel.give(DeadlineReached(at=31.0, limit="wall_clock"))

    assert kernel.outcome == exhausted("wall_clock", "reached while something was in flight")


def test_the_time_in_which_a_run_lay_still_is_not_worked() -> None:
    working, wall = (kernel_with(**{limit: "10s"}) for limit in ("working_time", "wall_clock"))
    for kernel in (working, wall):
        kernel.give(AbortRequested(at=3.0, by="signal"))
        kernel.give(Resumed(at=100.0))

    assert isinstance(working.pending(CallModel), CallModel)
    assert wall.outcome == exhausted("wall_clock", "99 of 10")
    assert working.state.facts.left.deadline == 1.0 + 10.0 + 97.0


def test_an_answer_that_needs_no_further_call_is_done_at_the_bound() -> None:
    kernel = kernel_with(tokens=200)

    kernel.reply("the answer", usage=Usage(input_tokens=500))

    assert kernel.outcome.status == "done"


def test_calls_of_a_batch_beyond_the_bound_are_skipped_and_then_the_run_stops() -> None:
    kernel = kernel_with(tool_calls=2)

    kernel.reply("", *(call("look", f"c{number}") for number in range(4)))
    assert len(kernel.ordered(CallTool)) == 2
    kernel.returned("c0")
    kernel.returned("c1")

    assert kernel.outcome == exhausted("tool_calls", "2 calls made, more were asked for")
    skipped = "ERROR: not run: the run may make 2 tool calls (`execution.limits.tool_calls`)"
    assert kernel.texts[-2:] == [skipped, skipped]


def test_exactly_as_many_calls_as_allowed_leave_the_run_its_answer() -> None:
    kernel = kernel_with(tool_calls=1)
    kernel.reply("", call("look"))
    kernel.returned("c1")

    kernel.reply("the answer")

    assert kernel.outcome.status == "done"


def test_failures_in_a_row_stop_the_run_and_a_success_starts_anew() -> None:
    kernel = kernel_with(consecutive_failures=2)
    for number, status in enumerate(["error", "ok", "error", "timeout"]):
        kernel.reply("", call("look", f"c{number}"))
        kernel.returned(f"c{number}", status=status)

    assert kernel.outcome == exhausted("consecutive_failures", "2 of 2")


def test_provider_calls_count_attempts_too() -> None:
    kernel = kernel_with(provider_calls=1)

    kernel.reply("", call("look"))
    kernel.returned("c1")

    assert kernel.outcome == exhausted("provider_calls", "1 of 1")


def test_a_deadline_in_flight_ends_the_run_with_the_limit_as_reason() -> None:
    kernel = kernel_with(wall_clock="30s")

    kernel.give(DeadlineReached(at=31.0, limit="wall_clock"))

    assert kernel.outcome == exhausted("wall_clock", "reached while something was in flight")


def test_time_that_is_up_between_calls_ends_the_run() -> None:
    kernel = kernel_with(wall_clock="2s")

    kernel.reply("", call("look"))
    kernel.returned("c1")

    assert kernel.outcome == exhausted("wall_clock", "2 of 2")
