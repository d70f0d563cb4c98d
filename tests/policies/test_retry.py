"""Given a fault of the provider, when the run would end, then passing faults are tried again and lasting ones are not."""

from typing import Any

import pytest

from agentspec.core.events import Answered
from agentspec.core.orders import Ask, CallModel
from agentspec.policies.retry import Retry
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import Kernel, plan_of


def kernel_with(retry: Any) -> Kernel:
    policy = Retry.configure(Settings({"model": {"retry": retry}}), {})
    kernel = Kernel(plan_of(*([policy] if policy else [])))
    kernel.start("go")
    return kernel


def wait_out(kernel: Kernel) -> float:
    asked: Ask = kernel.ordered(Ask)[0]
    kernel.give(Answered(at=kernel.tick(), order=asked.id, who=asked.who, question=asked.question))
    return float(asked.question)


def test_a_passing_fault_is_tried_again_in_the_same_turn_after_a_growing_wait() -> None:
    kernel = kernel_with({"max_attempts": 3, "base": "1s", "jitter": False})

    kernel.fail("server_error", retryable=True)
    assert wait_out(kernel) == 1.0
    assert (kernel.ordered(CallModel)[0].turn, kernel.ordered(CallModel)[0].attempt) == (1, 2)
    kernel.fail("server_error", retryable=True)
    assert wait_out(kernel) == 2.0
    kernel.fail("server_error", retryable=True)

    assert (kernel.outcome.status, kernel.outcome.reason) == ("provider_error", "server_error")


def test_the_wait_is_drawn_from_the_run_and_is_the_same_again() -> None:
    waits = []
    for _ in range(2):
        kernel = kernel_with({"base": "1s"})
        kernel.fail("timeout", retryable=True)
        waits.append(wait_out(kernel))

    assert waits[0] == waits[1]
    assert 0.5 <= waits[0] <= 1.0


def test_the_server_says_how_long() -> None:
    kernel = kernel_with({})

    kernel.fail("rate_limited", retryable=True, retry_after=7.0)

    assert wait_out(kernel) == 7.0


def test_a_far_reset_time_ends_the_run_at_once() -> None:
    kernel = kernel_with({"max_wait": "10s"})

    kernel.fail("rate_limited", retryable=True, retry_after=11.0)

    assert kernel.outcome.reason == "rate_limited"


@pytest.mark.parametrize("category", ["auth", "invalid_request", "content_filter"])
def test_a_lasting_fault_is_never_tried_again(category: str) -> None:
    kernel = kernel_with({})

    kernel.fail(category)

    assert (kernel.outcome.status, kernel.outcome.reason) == ("provider_error", category)


def test_an_overflow_of_the_context_is_an_error_of_the_run() -> None:
    kernel = kernel_with({})

    kernel.fail("context_overflow")

    assert (kernel.outcome.status, kernel.outcome.reason) == ("error", "context_overflow")


def test_retries_can_be_switched_off() -> None:
    kernel = kernel_with(retry=False)

    kernel.fail("server_error", retryable=True)

    assert kernel.outcome.reason == "server_error"


def test_an_answer_starts_the_count_anew() -> None:
    kernel = kernel_with({"max_attempts": 2, "base": "1s", "jitter": False})
    kernel.fail("server_error", retryable=True)
    wait_out(kernel)

    kernel.reply("fine")

    assert kernel.outcome.status == "done"
