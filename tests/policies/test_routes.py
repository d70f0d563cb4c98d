"""Given routes, when the model is asked, then the first whose rule holds answers, and others where one has failed."""

from typing import Any

import pytest

from agentspec.core.events import Answered
from agentspec.core.messages import Mirrored, Usage
from agentspec.core.orders import Ask, CallModel, Consult, Note
from agentspec.testing.kernel import Kernel, call, plan_for, tool

SMALL = {"model": "small", "label": "cheap"}
LARGE = {"model": "large", "label": "strong"}


def kernel_with(model: dict[str, Any], **execution: Any) -> Kernel:
    kernel = Kernel(plan_for({"model": {"retry": False, **model}, "execution": execution}, tool("look")))
    kernel.start("go")
    return kernel


def escalating(when: str) -> dict[str, Any]:
    return {"routes": [{**LARGE, "when": when}, SMALL]}


def route_of(kernel: Kernel) -> int:
    order: CallModel = kernel.ordered(CallModel)[0]
    return order.route


def test_a_spec_without_routes_asks_its_own_model() -> None:
    kernel = kernel_with({"model": "small"})

    assert route_of(kernel) == 0


def test_the_default_route_answers_until_a_rule_holds_and_again_when_it_does_not() -> None:
    kernel = kernel_with(escalating("turn.rejected_tool_names.size() > 0"))

    assert route_of(kernel) == 0
    kernel.reply("", call("look"))
    kernel.returned("c1", status="error")
    assert route_of(kernel) == 1
    kernel.reply("", call("look", "c2"))
    kernel.returned("c2")
    assert route_of(kernel) == 0


def test_where_every_route_has_a_rule_the_section_itself_is_the_default() -> None:
    kernel = kernel_with({"model": "small", "routes": [{**LARGE, "when": "attempt > 1"}]})

    assert route_of(kernel) == 0


def test_the_rules_are_read_before_every_attempt() -> None:
    routes = escalating('attempt == 2 && last_error.class == "server_error"')
    kernel = kernel_with({**routes, "retry": {"max_attempts": 3}})

    kernel.fail("server_error", retryable=True)
    kernel.answered()
    assert (route_of(kernel), kernel.ordered(CallModel)[0].attempt) == (1, 2)
    kernel.fail("server_error", retryable=True)
    kernel.answered()
    assert route_of(kernel) == 0


def test_a_rule_sees_what_the_reasoning_is_for() -> None:
    kernel = kernel_with({**escalating('reasoning_task == "verify"'), "reasoning": {"task": "verify"}})

    assert route_of(kernel) == 1


def test_repetition_escalates() -> None:
    kernel = kernel_with(escalating('progress.repeats >= 1 && progress.repeated_tool == "look"'))

    for number in (1, 2):
        assert route_of(kernel) == 0
        kernel.reply("", call("look", f"c{number}"))
        kernel.returned(f"c{number}", "the same")

    assert route_of(kernel) == 1


def test_a_judge_that_asks_for_a_stronger_model_gets_one_until_it_asks_no_more() -> None:
    judge = {"verify_completion_judge": {"escalate": True}, "loop_until_done": True, "max_nudges": 0}
    kernel = kernel_with(escalating("last_verdict.escalate"), **judge)

    kernel.reply("Done.")
    assert "escalate" in kernel.ordered(Consult)[0].consultation.schema["required"]
    kernel.consulted('{"verdict": "continue", "detail": "No.", "gaps": [], "escalate": true}')
    assert route_of(kernel) == 1
    kernel.reply("Done now.")
    kernel.consulted('{"verdict": "continue", "detail": "Nearly.", "gaps": [], "escalate": false}')

    assert route_of(kernel) == 0


def test_a_rule_that_fails_is_told_and_does_not_hold() -> None:
    kernel = kernel_with(escalating("turn.tool_names[0] == 'look'"))

    notes = [note for note in kernel.ordered(Note) if note.event == "expression_error"]
    assert [(note.fields["place"], note.fields["rule"]) for note in notes] == [("model.routes.when", 1)]
    assert route_of(kernel) == 0


def test_a_function_decides_where_a_route_names_one() -> None:
    kernel = kernel_with({"routes": [{**LARGE, "python": "acme.routes:hard"}, SMALL]})

    asked: Ask = kernel.ordered(Ask)[0]
    answer = {"value": {"use": True}}
    kernel.give(Answered(at=2, order=asked.id, who="python", question=asked.question, answer=answer, asker="routes"))

    assert (asked.question["function"], route_of(kernel)) == ("acme.routes:hard", 1)


@pytest.mark.parametrize("category", ["auth", "invalid_request", "rate_limited", "circuit_open", "bad_response"])
def test_what_stands_in_answers_for_a_route_that_has_failed_and_the_next_turn_begins_anew(category: str) -> None:
    kernel = kernel_with({"model": "small", "fallback": ["large"]})

    kernel.fail(category)
    order: CallModel = kernel.ordered(CallModel)[0]
    assert (order.route, order.turn, order.attempt) == (1, 1, 2)
    kernel.reply("", call("look"))
    kernel.returned("c1")

    assert (route_of(kernel), kernel.ordered(CallModel)[0].turn) == (0, 2)


@pytest.mark.parametrize("category", ["content_filter", "context_overflow"])
def test_no_other_model_is_asked_what_one_refuses_or_cannot_hold(category: str) -> None:
    kernel = kernel_with({"model": "small", "fallback": ["large"]})

    kernel.fail(category)

    assert kernel.outcome.reason == category


def test_the_retries_of_a_route_come_before_what_stands_in_and_that_has_its_own() -> None:
    kernel = kernel_with({"model": "small", "fallback": ["large"], "retry": {"max_attempts": 2}})
    routes = []

    for _ in range(4):
        routes.append(kernel.pending(CallModel).route)
        kernel.fail("server_error", retryable=True)
        if kernel.ordered(Ask):
            kernel.answered()

    assert routes == [0, 0, 1, 1]
    assert kernel.outcome.reason == "server_error"


def test_a_far_reset_time_ends_a_route_at_once() -> None:
    kernel = kernel_with({"model": "small", "fallback": ["large"], "retry": {"max_wait": "10s"}})

    kernel.fail("rate_limited", retryable=True, retry_after=11.0)

    assert route_of(kernel) == 1


def test_where_all_fail_the_first_failure_surfaces_and_the_others_are_named() -> None:
    kernel = kernel_with({"routes": [SMALL], "fallback": ["large", "huge"]})

    for category in ("auth", "server_error", "context_overflow"):
        kernel.fail(category)

    assert (kernel.outcome.status, kernel.outcome.reason) == ("provider_error", "auth")
    assert kernel.outcome.failure is not None
    assert kernel.outcome.failure.message == "auth; what stood in failed as well: `large`, `huge`"


def test_a_route_stands_in_whatever_its_rule_says_and_never_for_itself() -> None:
    kernel = kernel_with({**escalating("false"), "fallback": ["cheap", "strong"]})

    kernel.fail("auth")

    assert route_of(kernel) == 1


def test_a_route_keeps_its_own_format_and_what_it_refused() -> None:
    kernel = kernel_with({**escalating("turn.tool_call_count > 0"), "tool_format": "auto"})

    kernel.fail("invalid_request", http_status=400, message="this model does not support tools")
    assert (route_of(kernel), kernel.ordered(CallModel)[0].format) == (0, "json")
    kernel.reply("", call("look"))
    kernel.returned("c1")

    assert (route_of(kernel), kernel.ordered(CallModel)[0].format) == (1, "native")


def test_a_route_has_a_choice_of_tools_of_its_own() -> None:
    routes = [
        {**LARGE, "when": "turn.tool_call_count > 0", "tool_choice": "none"},
        {**SMALL, "tool_choice": "required"},
    ]
    kernel = kernel_with({"routes": routes})

    assert kernel.ordered(CallModel)[0].tool_choice == "required"
    kernel.reply("", call("look"))
    kernel.returned("c1")

    assert (route_of(kernel), kernel.ordered(CallModel)[0].tool_choice) == (1, "none")


PRICES = {"small": {"input": 1.0, "output": 1.0}, "large": {"input": 100.0, "output": 100.0}}


def priced(when: str) -> dict[str, Any]:
    return {"routes": [{**LARGE, "when": when, "prices": PRICES["large"]}, {**SMALL, "prices": PRICES["small"]}]}


def test_a_call_is_reserved_and_counted_at_the_price_of_its_route() -> None:
    model = priced("turn.tool_call_count > 0")
    kernel = kernel_with(model, limits={"cost_usd": 1.0}, wrap_up=False)

    assert kernel.ordered(CallModel)[0].max_output_tokens is None
    kernel.reply("", call("look"), usage=Usage(1_000))
    kernel.returned("c1")

    assert kernel.state.facts.usage.cost_usd == pytest.approx(0.001)
    capped = kernel.ordered(CallModel)[0].max_output_tokens
    assert capped is not None
    assert 9_000 < capped < 10_000


def test_a_route_that_is_too_dear_for_what_is_left_is_not_asked() -> None:
    kernel = kernel_with(priced("turn.tool_call_count > 0"), limits={"cost_usd": 0.005}, wrap_up=False)

    kernel.reply("", call("look"), usage=Usage(10, 10))
    kernel.returned("c1")

    assert kernel.outcome.reason == "cost_usd"


SHADOW = {"model": "small", "prices": PRICES["small"], "shadow": {"model": "large", "prices": PRICES["large"]}}


def is_mirrored(kernel: Kernel) -> bool:
    order: CallModel = kernel.ordered(CallModel)[0]
    return order.is_mirrored


def test_a_share_of_the_requests_is_mirrored_and_the_same_ones_again() -> None:
    draws = []
    for _ in range(2):
        kernel = kernel_with({**SHADOW, "shadow": {"model": "large", "sample": 0.5}}, max_iterations=30)
        drawn = [is_mirrored(kernel)]
        for number in range(20):
            kernel.reply("", call("look", f"c{number}", f'{{"at": {number}}}'))
            kernel.returned(f"c{number}", str(number))
            drawn.append(is_mirrored(kernel))
        draws.append(drawn)

    assert draws[0] == draws[1]
    assert 4 < sum(draws[0]) < 17


def test_a_mirrored_call_is_reserved_for_both_models_and_counted_for_both() -> None:
    kernel = kernel_with(SHADOW, limits={"cost_usd": 1.0, "tokens": 100_000}, wrap_up=False)

    capped = kernel.ordered(CallModel)[0].max_output_tokens
    assert is_mirrored(kernel)
    assert capped is not None
    assert 9_000 < capped < 10_000
    seen = Mirrored("p", "large", usage=Usage(1_000, 100))
    kernel.reply("", call("look"), usage=Usage(900, 100), mirrored=seen)

    used = kernel.state.facts.usage
    assert (used.input_tokens, used.output_tokens) == (1_900, 200)
    assert used.cost_usd == pytest.approx(1_000 * 1e-6 + 1_100 * 1e-4)


@pytest.mark.parametrize("limits", [{"cost_usd": 0.005}, {"tokens": 150}, {"provider_calls": 1}])
def test_what_does_not_fit_twice_is_asked_once(limits: dict[str, Any]) -> None:
    kernel = kernel_with(SHADOW, limits=limits, wrap_up=False)

    assert not is_mirrored(kernel)
