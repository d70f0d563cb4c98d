"""The contract of the final answer: read, repaired, and never claimed to hold where it does not."""

from typing import Any

import pytest

from agentspec.core.events import AbortRequested, DeadlineReached, Resumed
from agentspec.core.orders import Ask, Consult
from agentspec.testing.kernel import Kernel, plan_for

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def kernel_with(output: Any = None, **execution: Any) -> Kernel:
    kernel = Kernel(plan_for({"execution": {"output": output or {"schema": SCHEMA}, **execution}}))
    kernel.start("How many?")
    return kernel


def ended(kernel: Kernel) -> tuple[str, str, Any, bool | None]:
    outcome = kernel.outcome
    return outcome.status, outcome.reason, outcome.output, outcome.output_valid


def test_an_answer_that_fits_is_the_output() -> None:
    kernel = kernel_with()

    kernel.reply('It is {"n": 3}.')

    assert ended(kernel) == ("done", "completed", {"n": 3}, True)


def test_an_answer_that_does_not_fit_is_repaired_once() -> None:
    kernel = kernel_with()

    kernel.reply("There are three.")
    asked = kernel.ordered(Consult)[0].consultation
    assert (asked.role, asked.schema) == ("repair", SCHEMA)
    assert "How many?" in asked.packet
    assert "There are three." in asked.packet
    assert "- the answer is no JSON" in asked.packet
    kernel.consulted('{"n": 3}')

    assert ended(kernel) == ("done", "completed", {"n": 3}, True)


def test_a_repair_that_was_interrupted_is_asked_for_again() -> None:
    kernel = kernel_with()
    kernel.reply("There are three.")

    kernel.give(AbortRequested(kernel.tick(), by="signal"))
    kernel.give(Resumed(kernel.tick()))
    kernel.consulted('{"n": 3}')

    assert ended(kernel) == ("done", "completed", {"n": 3}, True)


def test_an_answer_that_stays_wrong_is_no_success() -> None:
    kernel = kernel_with()

    kernel.reply("There are three.")
    kernel.consulted('{"n": "three"}')

    assert ended(kernel) == ("failed", "output_invalid", None, False)
    assert kernel.outcome.detail == '`n` must be an integer, not the string "three"'


def test_a_repair_that_fails_is_told() -> None:
    kernel = kernel_with({"schema": SCHEMA, "repairs": 2})

    kernel.reply("There are three.")
    kernel.consultation_failed("timeout")

    assert ended(kernel) == ("failed", "output_invalid", None, False)
    assert kernel.outcome.detail == "the repair failed: timeout; the answer is no JSON"


def test_a_passing_fault_of_a_repair_is_tried_again() -> None:
    kernel = kernel_with()
    kernel.reply("There are three.")

    kernel.consultation_failed("server_error", retryable=True)
    kernel.answered()
    kernel.consulted('{"n": 3}')

    assert ended(kernel) == ("done", "completed", {"n": 3}, True)


def test_what_stands_in_repairs_where_the_model_has_failed_for_good() -> None:
    model = {"model": "m", "fallback": ["openai:a"]}
    kernel = Kernel(plan_for({"model": model, "execution": {"output": {"schema": SCHEMA}}}))
    kernel.start("How many?")
    kernel.reply("There are three.")

    kernel.consultation_failed("auth")
    route = kernel.pending(Consult).consultation.route
    kernel.consulted('{"n": 3}')

    assert route == 1
    assert ended(kernel) == ("done", "completed", {"n": 3}, True)


def test_no_repair_is_asked_for_or_waited_for_past_the_time_of_the_run() -> None:
    kernel = kernel_with(limits={"wall_clock": 100.0})  # 15 s of them are for last words
    kernel.reply("There are three.")
    assert kernel.ordered(Consult)[0].consultation.timeout == 60.0  # its own

    kernel.consultation_failed("rate_limited", retryable=True, retry_after=50.0)
    assert kernel.ordered(Ask)[0].question == 50.0
    kernel.give(DeadlineReached(at=86.0, limit="wall_clock", spare=15.0))

    assert ended(kernel) == ("failed", "output_invalid", None, False)


def test_a_repair_has_the_time_that_the_run_has_left() -> None:
    kernel = kernel_with(limits={"wall_clock": 20.0}, wrap_up=False)
    kernel.reply("There are three.")

    assert kernel.ordered(Consult)[0].consultation.timeout == 19.0


def test_the_repair_of_last_words_has_the_time_that_is_kept_for_them() -> None:
    kernel = kernel_with(limits={"wall_clock": 100.0})

    kernel.now = 86.0
    kernel.give(DeadlineReached(at=kernel.now, limit="wall_clock", spare=15.0))
    kernel.reply("There are three.")
    assert kernel.ordered(Consult)[0].consultation.timeout == 14.0
    kernel.consulted('{"n": 3}')

    assert ended(kernel) == ("budget_exhausted", "wall_clock", {"n": 3}, True)


def test_a_repair_whose_schema_is_refused_is_asked_for_without_it() -> None:
    kernel = kernel_with()
    kernel.reply("There are three.")

    kernel.consultation_failed("invalid_request", message="`response_format` is not known", http_status=400)
    assert kernel.ordered(Consult)[0].consultation.schema is None
    kernel.consulted('{"n": 3}')

    assert ended(kernel) == ("done", "completed", {"n": 3}, True)


@pytest.mark.parametrize(("given", "repairs"), [({"repairs": 0}, 0), ({}, 1), ({"repairs": 2}, 2)])
def test_a_contract_is_repaired_as_often_as_it_says(given: dict[str, int], repairs: int) -> None:
    kernel = kernel_with({"schema": SCHEMA, **given})
    kernel.reply("three")

    for _ in range(repairs):
        kernel.consulted("three")

    assert ended(kernel)[1] == "output_invalid"


def test_the_profile_of_a_verifier_repairs_three_times() -> None:
    kernel = kernel_with(profile="verifier")
    kernel.reply("three")

    for _ in range(3):
        kernel.consulted("three")

    assert ended(kernel)[1] == "output_invalid"


def test_any_json_will_do_where_no_schema_is_given() -> None:
    kernel = kernel_with("json")

    kernel.reply("[1, 2]")

    assert ended(kernel) == ("done", "completed", [1, 2], True)


def test_text_has_no_contract() -> None:
    kernel = kernel_with("text")

    kernel.reply("three")

    assert ended(kernel) == ("done", "completed", None, None)
