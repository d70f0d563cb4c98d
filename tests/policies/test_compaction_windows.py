"""The window: how full it is, what passes it, how small it turns out to be, and what is done then."""

import pytest

from agentspec.core.messages import Usage
from agentspec.core.orders import CallModel
from agentspec.testing.kernel import Kernel, call, plan_for, tool
from tests.policies.compacting import SHELF, WINDOW, Told, kernel_with, turn, turns_until_asked


def test_an_answer_is_shortened_before_it_passes_the_window_together_with_its_request() -> None:
    kernel = kernel_with("truncate", max_output_tokens=1_800)

    kernel.start("Find the book. " + SHELF * 3)

    order = kernel.pending(CallModel)
    assert order.max_output_tokens is not None
    assert WINDOW - 60 < order.max_output_tokens + kernel.state.shown.tokens < WINDOW


def test_usage_from_before_a_compaction_leads_to_no_second_one() -> None:
    kernel = kernel_with("truncate")
    told = Told(kernel)
    last = turns_until_asked(kernel)
    told.take()

    kernel.reply("", call("look", "again"), usage=Usage(round(kernel.state.shown.tokens) + 40, 5))
    kernel.returned("again", f"shelf {last}")
    told.take()

    assert len(told.events) == 1


def test_the_estimate_is_held_to_what_the_provider_counts() -> None:
    kernel = kernel_with("truncate")
    kernel.start("Find the book.")
    kernel.reply("", call("look", "c0"), usage=Usage(10, 5))
    kernel.returned("c0", SHELF * 6)
    kernel.reply("", call("look", "c1"), usage=Usage(1_200, 5))  # three times as many as it looks like

    kernel.returned("c1", SHELF)

    assert kernel.state.view.cut is not None


def test_a_request_over_the_hard_limit_keeps_only_the_newest_turn() -> None:
    kernel = kernel_with({"strategy": "truncate", "keep_last": 10})
    told = Told(kernel)
    kernel.start("Find the book.")
    for number in range(4):
        turn(kernel, number, SHELF * 5)
        told.take()

    assert [event["reason"] for event in told.events] == ["hard_limit"]
    assert len(kernel.state.shown) < 10
    assert not kernel.state.is_over


def test_one_huge_result_ends_the_run_and_is_named() -> None:
    kernel = kernel_with("hybrid")
    kernel.start("Find the book.")

    kernel.reply("", call("look", "c0"))
    kernel.returned("c0", SHELF * 40)

    outcome = kernel.outcome
    assert (outcome.status, outcome.reason) == ("error", "context_overflow")
    assert outcome.detail.startswith("nothing is left to leave out: the request has about ")
    assert "the result of `look` (message 3) about " in outcome.detail
    assert outcome.detail.endswith("; the window has 2000, of which 500 are kept for the answer")


def test_a_window_smaller_than_the_tools_ends_the_run_before_a_call_is_made() -> None:
    wordy = tool("look", description="It looks at shelves. " * 400)
    plan = plan_for({"model": {"provider": "script", "model": "m", "context_window": 1_000}}, wordy)
    kernel = Kernel(plan)

    kernel.start("Find the book.")

    assert kernel.outcome.reason == "context_overflow"
    assert "tokens: the tools about " in kernel.outcome.detail


def test_an_overflow_is_answered_by_one_compaction_and_one_retry() -> None:
    kernel = kernel_with("hybrid", window=None)
    told = Told(kernel)
    kernel.start("Find the book.")
    for number in range(6):
        turn(kernel, number)

    kernel.fail("context_overflow", message="prompt is too long: 5000 tokens > 700 maximum")
    told.take()

    [event] = told.events
    assert (event["reason"], event["strategy"], event["asked"]) == ("overflow", "truncate", "hybrid")
    assert event["window"] == 700
    assert len(kernel.ordered(CallModel)) == 1


def test_a_second_overflow_in_a_turn_ends_the_run_and_says_what_fills_the_window() -> None:
    kernel = kernel_with("hybrid", window=None)
    kernel.start("Find the book.")
    for number in range(6):
        turn(kernel, number)
    kernel.fail("context_overflow", message="too long")

    kernel.fail("context_overflow", message="too long")

    failure = kernel.outcome.failure
    assert (kernel.outcome.status, kernel.outcome.reason) == ("error", "context_overflow")
    assert failure is not None
    assert failure.message.startswith("too long; the request has about ")


def test_an_overflow_with_nothing_to_leave_out_ends_the_run() -> None:
    kernel = kernel_with("hybrid", window=None)
    kernel.start("Find the book.")

    kernel.fail("context_overflow", message="too long")

    assert kernel.outcome.reason == "context_overflow"
    assert "the task about " in kernel.outcome.detail


def test_a_window_that_a_refusal_names_holds_from_then_on() -> None:
    kernel = kernel_with("truncate", window=100_000)
    told = Told(kernel)
    kernel.start("Find the book.")
    for number in range(8):
        turn(kernel, number)

    kernel.fail("context_overflow", message="This model's maximum context length is 1000 tokens.")
    told.take("window_lowered")

    assert told.events == [{"route": 0, "window": 1000, "by": "refusal"}]


def test_a_server_that_drops_what_it_was_sent_is_noticed() -> None:
    kernel = kernel_with("truncate", window=100_000, max_output_tokens=200)
    told = Told(kernel)
    kernel.start("Find the book.")
    for number in range(14):
        sent = round(kernel.state.shown.tokens)
        kernel.reply("", call("look", f"c{number}"), usage=Usage(min(sent, 1_500), 5))
        told.take("window_lowered")
        kernel.returned(f"c{number}", SHELF * 4)

    assert told.events == [{"route": 0, "window": 1_500, "by": "usage"}]
    assert kernel.state.shown.tokens < 1_500


@pytest.mark.parametrize("share", [0.3, 0.1, 0.01])
def test_a_server_that_always_counts_far_too_few_takes_nothing_from_a_long_run(share: float) -> None:
    kernel = kernel_with("truncate", window=100_000, execution={"max_iterations": 300})
    told = Told(kernel)
    kernel.start("Find the book.")
    for number in range(120):
        sent = round(kernel.state.shown.tokens * share) or 1
        kernel.reply("", call("look", f"c{number}"), usage=Usage(sent, 5))
        told.take("window_lowered")
        kernel.returned(f"c{number}", SHELF)

    assert told.events == []
    assert kernel.state.view.cut is None


def test_a_window_that_only_wrong_counts_have_told_of_is_forgotten() -> None:
    kernel = kernel_with("truncate", window=100_000)
    told = Told(kernel)
    kernel.start(SHELF * 50)
    for number, sent in enumerate((1_200, 300)):
        kernel.reply("", call("look", f"c{number}"), usage=Usage(sent, 5))
        told.take("window_lowered")
        told.take("window_restored")
        kernel.returned(f"c{number}", "nothing")

    assert told.events == [
        {"route": 0, "window": 1_200, "by": "usage"},
        {"route": 0, "window": 100_000, "by": "usage"},
    ]


def test_rules_see_how_much_of_the_window_is_filled() -> None:
    kernel = kernel_with("none")
    kernel.start("Find the book.")

    kernel.reply("", call("look", "c0"), usage=Usage(480, 20))

    usage = kernel.state.facts.usage
    assert (usage.context_tokens, usage.context_fill) == (500, 0.25)


def test_usage_that_lies_holds_back_no_request() -> None:
    kernel = kernel_with("truncate", window=4_000)
    kernel.start("Find the book. " + SHELF * 8)
    for number in range(6):
        kernel.reply("", call("look", f"c{number}"), usage=Usage(1_000 if number % 2 else 7, 5))
        kernel.returned(f"c{number}", SHELF)

    assert not kernel.state.is_over


def test_a_summary_that_leaves_too_much_is_followed_by_a_cut_to_the_newest_turn() -> None:
    kernel = kernel_with({"strategy": "hybrid", "keep_last": 4})
    told = Told(kernel)
    kernel.start("Find the book.")
    for number in range(7):
        turn(kernel, number)
    turn(kernel, 7, SHELF * 16)

    kernel.consulted("Notes.")
    told.take()

    assert [(event["reason"], event["strategy"]) for event in told.events] == [
        ("hard_limit", "hybrid"),
        ("hard_limit", "truncate"),
    ]
    assert len(kernel.state.shown) == 2 + 2
