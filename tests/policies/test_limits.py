"""Given what was used, when the run wants more, then it stops at the bound that is reached."""

from typing import Any

from agentspec.core.events import DeadlineReached
from agentspec.core.messages import Usage
from agentspec.core.orders import CallTool, Note, Outcome
from agentspec.policies.arguments import Arguments
from agentspec.policies.limits import Limits
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import Kernel, call, plan_of, tool

TOOLS = {"look": tool("look")}


def kernel_with(**limits: Any) -> Kernel:
    settings = Settings({"execution": {"limits": limits}})
    policies = (Limits.configure(settings, TOOLS), Arguments.configure(settings, TOOLS))
    kernel = Kernel(plan_of(*policies, tools=TOOLS.values()))
    kernel.start("go")
    return kernel


def exhausted(name: str, detail: str) -> Outcome:
    return Outcome("budget_exhausted", name, place=f"execution.limits.{name}", detail=detail)


def test_tokens_stop_the_run_before_the_next_call() -> None:
    kernel = kernel_with(tokens=100)

    kernel.reply("", call("look"), usage=Usage(input_tokens=90, output_tokens=20))
    kernel.returned("c1")

    assert kernel.outcome == exhausted("tokens", "110 of 100")
    assert kernel.ordered(Note) == [
        Note(event="limit_reached", fields={"limit": "tokens", "place": "execution.limits.tokens", "policy": "limits"})
    ]


def test_an_answer_that_needs_no_further_call_is_done_at_the_bound() -> None:
    kernel = kernel_with(tokens=100)

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
