"""Compaction: what a model is shown of a long conversation fits the window, and the conversation stays as it was."""

from typing import Any

import pytest

from agentspec.core.events import UserSaid
from agentspec.core.messages import AssistantMessage, ToolMessage, Usage
from agentspec.core.orders import Ask, CallModel, Consult
from agentspec.testing.kernel import Kernel, call
from tests.policies.compacting import SHELF, WINDOW, Told, kernel_with, shown, turn, turns_until_asked


def test_a_conversation_is_truncated_at_seven_tenths_of_what_fits() -> None:
    kernel = kernel_with("truncate")
    told = Told(kernel)

    turns_until_asked(kernel)
    told.take()

    [event] = told.events
    assert event["threshold"] == int(0.7 * (WINDOW - WINDOW // 4))
    assert event["tokens_before"] > event["threshold"] > event["tokens_after"]
    assert event | {"tokens_before": 0, "tokens_after": 0, "end": 0, "messages": 0} == {
        "asked": "truncate",
        "strategy": "truncate",
        "reason": "threshold",
        "threshold": 1050,
        "source": "default",
        "window": WINDOW,
        "tokens_before": 0,
        "tokens_after": 0,
        "start": 0,
        "end": 0,
        "messages": 0,
        "policy": None,
        "instruction_source": "default",
        "fell_back": None,
    }
    assert kernel.ordered(CallModel)[0].reshaped == ("compaction",)


def test_the_task_stays_and_the_transcript_is_what_it_was() -> None:
    kernel = kernel_with("truncate")

    last = turns_until_asked(kernel)

    assert shown(kernel)[0] == "Find the book."
    assert shown(kernel)[1].startswith("Notes of the runtime; nobody said them. They stand for ")
    assert len(kernel.state.transcript) == 1 + 2 * (last + 1)
    assert len(kernel.state.shown) == 2 + 10


def test_what_is_shown_only_grows_until_the_next_compaction() -> None:
    kernel = kernel_with("truncate")
    last = turns_until_asked(kernel)
    before = kernel.state.shown

    turn(kernel, last + 1)

    assert kernel.state.shown.is_extension_of(before)
    assert kernel.ordered(CallModel)[0].reshaped == ()


def test_a_summary_is_asked_for_with_the_evidence_that_stays() -> None:
    kernel = kernel_with("hybrid")

    turns_until_asked(kernel)

    asked = kernel.pending(Consult).consultation
    assert asked.role == "summary"
    assert asked.packet.startswith("<task>\nFind the book.\n</task>\n\n<messages>\nassistant: I look at shelf 0.")
    assert "\n</messages>\n\n<evidence>\n" in asked.packet
    assert asked.system.startswith("You write notes on the earlier part of an agent's work")


def test_a_summary_takes_the_place_of_what_it_stands_for() -> None:
    kernel = kernel_with("hybrid")
    told = Told(kernel)
    turns_until_asked(kernel)

    kernel.consulted("The book is not on the first shelves.")
    told.take()

    assert shown(kernel)[1].endswith("\n\nThe book is not on the first shelves.")
    assert [event["strategy"] for event in told.events] == ["hybrid"]


def test_the_next_summary_is_made_of_the_one_before_and_of_what_is_new() -> None:
    kernel = kernel_with("hybrid")
    last = turns_until_asked(kernel)
    kernel.consulted("Notes so far.")
    number = last + 1
    while not kernel.ordered(Consult):
        turn(kernel, number)
        number += 1

    packet = kernel.pending(Consult).consultation.packet

    assert "<notes_so_far>\nNotes so far.\n</notes_so_far>" in packet
    assert "shelf 0:" not in packet


@pytest.mark.parametrize(
    ("text", "calls", "why"),
    [
        ("", (), "the summary is not used: it is empty"),
        (SHELF * 20, (), "the summary is not used: it is no shorter than what it stands for"),
        ("Done.", (call("look"),), "the summary is not used: it asks for a tool"),
    ],
)
def test_what_is_no_summary_is_a_digest_instead(text: str, calls: Any, why: str) -> None:
    kernel = kernel_with("summarize_middle")
    told = Told(kernel)
    turns_until_asked(kernel)

    kernel.consulted(text, calls=calls)
    told.take()

    [event] = told.events
    assert (event["strategy"], event["asked"], event["fell_back"]) == ("truncate", "summarize_middle", why)
    assert "- result of look: shelf " in shown(kernel)[1]


def test_a_summariser_that_fails_for_good_is_not_asked_again() -> None:
    kernel = kernel_with("hybrid")
    told = Told(kernel)
    turns_until_asked(kernel)

    kernel.consultation_failed("auth")
    told.take()

    assert told.events[0]["fell_back"] == "the summariser failed: auth"
    assert len(kernel.ordered(CallModel)) == 1


def test_a_summariser_that_fails_for_a_moment_is_asked_again() -> None:
    kernel = kernel_with("hybrid")
    turns_until_asked(kernel)

    kernel.consultation_failed("server_error", retryable=True)
    waits = kernel.pending(Ask)
    kernel.answered()

    assert waits.who == "clock"
    assert kernel.pending(Consult).consultation.role == "summary"


def test_what_stands_in_makes_the_summary_where_the_summariser_has_failed_for_good() -> None:
    kernel = kernel_with("hybrid", fallback=["openai:a"])
    turns_until_asked(kernel)

    kernel.consultation_failed("auth")
    asked = kernel.pending(Consult).consultation
    kernel.consulted("Notes: all shelves were looked at.")

    assert (asked.role, asked.route) == ("summary", 1)
    assert "Notes: all shelves were looked at." in shown(kernel)[1]


def test_nobody_is_asked_for_a_summary_when_the_limits_leave_no_room() -> None:
    calls = turns_until_asked(kernel_with("hybrid")) + 1
    kernel = kernel_with("hybrid", execution={"limits": {"provider_calls": calls + 1}, "wrap_up": False})
    told = Told(kernel)

    turns_until_asked(kernel)
    told.take()

    assert told.events[0]["fell_back"] == "nothing is left to ask a summariser with"
    assert len(kernel.ordered(CallModel)) == 1


def test_what_a_person_says_during_a_compaction_is_in_the_request_after_it() -> None:
    kernel = kernel_with("hybrid")
    turns_until_asked(kernel)

    kernel.give(UserSaid(at=kernel.tick(), text="It has a green cover."))
    kernel.consulted("Notes.")

    assert shown(kernel)[1].endswith("\n\nNotes.")
    assert shown(kernel)[-1] == "It has a green cover."


def test_a_summary_is_told_to_hold_what_is_open_and_to_be_nobodys_words() -> None:
    kernel = kernel_with("hybrid")
    turns_until_asked(kernel)

    system = kernel.pending(Consult).consultation.system

    assert "- **Open**: what is left to do, and the next step." in system
    assert "Invent nothing, ask nothing, answer nothing, call nothing." in system


def test_everything_but_the_task_is_summarised_where_the_spec_says_so() -> None:
    kernel = kernel_with("summarize_all")
    turns_until_asked(kernel)

    kernel.consulted("All shelves were looked at.")

    assert len(kernel.state.shown) == 2


def test_no_call_is_parted_from_its_result() -> None:
    kernel = kernel_with({"strategy": "truncate", "keep_last": 3})

    turns_until_asked(kernel)

    messages = list(kernel.state.shown)
    called = [each.id for message in messages if isinstance(message, AssistantMessage) for each in message.calls]
    assert called == [message.call_id for message in messages if isinstance(message, ToolMessage)]
    assert len(messages) == 2 + 4


def test_none_leaves_everything_to_the_provider() -> None:
    kernel = kernel_with("none")
    kernel.start("Find the book.")
    for number in range(40):
        turn(kernel, number)

    assert kernel.state.view.cut is None
    assert not kernel.state.is_over


def test_what_a_person_said_last_stays_as_it_was_said() -> None:
    kernel = kernel_with("truncate")
    kernel.start("Find the book.")
    turn(kernel, 0)
    kernel.give(UserSaid(at=kernel.tick(), text="It has a green cover."))
    number = 1
    while kernel.state.view.cut is None:
        turn(kernel, number)
        number += 1

    assert shown(kernel)[:1] == ["Find the book."]
    assert "It has a green cover." in shown(kernel)


def test_a_function_of_the_author_makes_the_notes() -> None:
    kernel = kernel_with({"python": "acme.context:notes"})
    turns_until_asked(kernel)

    asked = kernel.pending(Ask)
    kernel.answered({"value": {"summary": "Nothing on the first shelves."}})

    assert asked.question["function"] == "acme.context:notes"
    assert asked.question["state"]["messages"][0]["role"] == "assistant"
    assert shown(kernel)[1].endswith("Nothing on the first shelves.")


def test_a_named_policy_is_told_to_the_summariser() -> None:
    kernel = kernel_with({"strategy": "hybrid", "policy": "bug_fix_resumption"})
    told = Told(kernel)
    turns_until_asked(kernel)

    system = kernel.pending(Consult).consultation.system
    kernel.consulted("Notes.")
    told.take()

    assert "The work is the repair of a fault." in system
    assert (told.events[0]["policy"], told.events[0]["instruction_source"]) == ("bug_fix_resumption", "named")


def test_what_an_author_wants_kept_is_told_to_the_summariser_and_to_the_model_only_where_it_may_see_it() -> None:
    policy = {"instructions": "Keep shelf numbers.", "preserve": ["titles"], "drop": ["dust"], "scope": "summary"}
    kernel = kernel_with({"strategy": "hybrid", "policy": policy})
    turns_until_asked(kernel)

    system = kernel.pending(Consult).consultation.system
    kernel.consulted("Notes.")

    own = "Keep shelf numbers.\n\nThese must stay:\n- titles\n\nThese may go:\n- dust"
    assert system.endswith(own)
    assert shown(kernel)[1].endswith(f"{own}\n\nNotes.")


def test_last_words_wait_for_no_summary() -> None:
    kernel = kernel_with("hybrid", execution={"max_iterations": 1})
    kernel.start("Find the book.")
    kernel.reply("", *(call("look", f"c{number}", f'{{"n": {number}}}') for number in range(8)))
    for number in range(8):
        kernel.returned(f"c{number}", SHELF)

    assert not [order for order in kernel.state.pending.values() if isinstance(order, Consult)]


@pytest.mark.parametrize(("left", "is_asked"), [(2_000, False), (8_000, True)])
def test_a_summary_is_asked_for_where_a_pot_holds_the_request_that_it_makes_room_for_as_well(
    left: int, is_asked: bool
) -> None:
    def until_asked(kernel: Kernel) -> Kernel:
        kernel.start("Find the book.")
        while not kernel.state.view.cut and not kernel.ordered(Consult):
            number = len(kernel.state.transcript)
            usage = Usage(round(kernel.state.shown.tokens) + 40, 20)
            kernel.reply("", call("look", f"c{number}"), usage=usage)
            kernel.returned(f"c{number}", SHELF)
        return kernel

    used = until_asked(kernel_with("hybrid")).state.facts.usage
    limits = {"tokens": used.input_tokens + used.output_tokens + left}
    kernel = until_asked(kernel_with("hybrid", execution={"limits": limits, "wrap_up": False}))

    assert bool(kernel.ordered(Consult)) == is_asked


HIDES = [
    {"when": 'message.tool == "look" && message.index == 2', "drop": True},
    {"when": 'message.tool == "look" && message.index < 40', "replace": "a shelf"},
]


@pytest.mark.parametrize("strategy", ["truncate", "hybrid", {"strategy": "python", "python": "a.b:c"}])
def test_nobody_is_shown_more_than_the_model_may_see(strategy: Any) -> None:
    kernel = kernel_with(strategy, 400, {"filter": HIDES})

    turns_until_asked(kernel)

    cut = kernel.state.view.cut
    asked = [str(order) for order in kernel.orders if isinstance(order, Ask | Consult)]
    told = cut.message.text if cut is not None else "".join(asked)
    assert "a shelf" in told
    assert [hidden for hidden in ("old books", '{"shelf": 0}') if hidden in told] == []
