"""What the model sees of its conversation: rules, projections and times shape the view, and nothing that is recorded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentspec.core.messages import Message
from agentspec.core.orders import Ask, CallModel
from agentspec.testing.kernel import Kernel, call, plan_for, tool

TOOLS = (tool("look"), tool("find"), tool("write", effect="write"))
LONG = "x" * 700


def kernel_for(**context: Any) -> Kernel:
    kernel = Kernel(plan_for({"context": {"compaction": "none", **context}, "execution": {"stall": False}}, *TOOLS))
    kernel.start("Find it.")
    return kernel


def turn(kernel: Kernel, *calls: tuple[str, str, str], text: str = "", path: str = "") -> None:
    """A turn with calls of these names and ids, each of which brings a text; one that begins with `!` is a fault."""
    arguments = json.dumps({"path": path}) if path else "{}"
    kernel.reply(text, *(call(name, call_id, arguments) for name, call_id, _ in calls))
    for _, call_id, said in calls:
        status = {"status": "error"} if said.startswith("!") else {}
        kernel.returned(call_id, said, **status)


def shown(kernel: Kernel) -> list[str]:
    """The texts of what the newest request shows."""
    return [_said(message) for message in kernel.state.shown]


def _said(message: Message) -> str:
    calls = "".join(f"<{one.id}>" for one in getattr(message, "calls", ()))
    return message.text + calls


def projected(kernel: Kernel) -> list[dict[str, Any]]:
    """What the event stream heard of the view in the last step."""
    return [order.fields for order in kernel.orders if getattr(order, "event", "") == "projected"]


# --- filter


def test_a_rule_leaves_results_out_with_their_calls_and_nothing_recorded_is_changed() -> None:
    kernel = kernel_for(filter=[{"when": "message.role == 'tool' && message.tool == 'look'", "drop": True}])

    turn(kernel, ("look", "a", "seen"), ("find", "b", "found"), text="Both.")

    assert shown(kernel) == ["Find it.", "Both.<b>", "found"]
    assert kernel.texts == ["Find it.", "Both.", "seen", "found"]
    assert projected(kernel) == [
        {"turn": 2, "by": "filter", "dropped": [2], "replaced": [], "restored": [], "breaks_prefix": False}
    ]
    assert kernel.pending(CallModel).reshaped == ()


def test_a_rule_shows_something_else_and_the_first_that_matches_decides() -> None:
    rules = [
        {"when": "message.tool == 'find'", "keep": True},
        {"when": "message.tokens > 60", "replace": "Too long to show."},
        {"when": "message.index > 0", "replace": "Something."},
    ]
    kernel = kernel_for(filter=rules)

    turn(kernel, ("look", "a", LONG), ("find", "b", LONG), ("look", "c", "short"), text="All.")

    assert shown(kernel) == ["Find it.", "Something.<a><b><c>", "Too long to show.", LONG, "Something."]


def test_an_old_message_is_left_out_when_it_is_old_enough_and_the_break_is_told() -> None:
    kernel = kernel_for(filter=[{"when": "message.age > 3", "drop": True}])

    turn(kernel, ("look", "a", "one"))
    turn(kernel, ("look", "b", "two"))
    assert (shown(kernel), kernel.pending(CallModel).reshaped) == (["Find it.", "<a>", "one", "<b>", "two"], ())
    turn(kernel, ("look", "c", "three"))

    assert shown(kernel) == ["Find it.", "<b>", "two", "<c>", "three"]  # the task stays however old it is
    assert kernel.pending(CallModel).reshaped == ("filter",)
    assert projected(kernel)[0]["breaks_prefix"] is True


def test_a_rule_that_cannot_be_evaluated_keeps_the_message_and_is_told_once() -> None:
    kernel = kernel_for(filter=[{"when": "10 / (message.index - message.index) > 1", "drop": True}])
    problems = [order.fields["error"] for order in kernel.orders if getattr(order, "event", "") == "expression_error"]

    turn(kernel, ("look", "a", "one"))

    assert [problem for problem in problems if "division by zero" in problem] == problems != []
    assert not [order for order in kernel.orders if getattr(order, "event", "") == "expression_error"]
    assert shown(kernel) == ["Find it.", "<a>", "one"]


def test_what_a_person_says_meanwhile_is_shaped_in_the_request_that_it_first_stands_in() -> None:
    kernel = kernel_for(filter=[{"when": "message.role == 'user'", "replace": "Hidden."}])
    kernel.reply("", call("look", "a"))
    kernel.say("More.")

    kernel.returned("a", "one")

    assert shown(kernel) == ["Hidden.", "<a>", "one", "Hidden."]
    assert kernel.texts == ["Find it.", "", "one", "More."]


def test_a_function_decides_for_each_message_once_and_what_it_cannot_say_keeps_the_message() -> None:
    kernel = kernel_for(filter=[{"when": "message.role == 'tool'", "python": "acme.views:decide"}])
    turn(kernel, ("look", "a", "one"), ("find", "b", "two"), ("look", "c", "three"))

    asked = []
    for answer in ({"value": {"drop": True}}, {"value": {"replace": "Two."}}, {"error": "it failed"}):
        question = kernel.pending(Ask).question
        asked.append(
            (question["function"], question["state"]["message"]["index"], question["state"]["message"]["tool"])
        )
        kernel.answered(answer)

    assert asked == [
        ("acme.views:decide", 2, "look"),
        ("acme.views:decide", 3, "find"),
        ("acme.views:decide", 4, "look"),
    ]
    assert shown(kernel) == ["Find it.", "<b><c>", "Two.", "three"]
    assert [one.fields["error"] for one in kernel.orders if getattr(one, "event", "") == "expression_error"] == [
        "it failed"
    ]


def test_rules_may_stand_under_projection_and_are_read_before_the_others() -> None:
    kernel = kernel_for(
        projection=[{"when": "message.tool == 'look'", "drop": True}],
        filter=[{"when": "message.role == 'tool'", "replace": "A result."}],
    )

    turn(kernel, ("look", "a", "one"), ("find", "b", "two"))

    assert shown(kernel) == ["Find it.", "<b>", "A result."]
    assert [fields["by"] for fields in projected(kernel)] == ["projection", "filter"]


# --- projection


def test_failed_calls_go_when_their_tool_has_succeeded_since() -> None:
    kernel = kernel_for(projection="clean_tool_repair")

    turn(kernel, ("look", "a", "!no"), ("find", "b", "!none"))
    assert shown(kernel) == ["Find it.", "<a><b>", "!no", "!none"]
    turn(kernel, ("look", "c", "seen"))

    assert shown(kernel) == ["Find it.", "<b>", "!none", "<c>", "seen"]
    assert kernel.pending(CallModel).reshaped == ("projection",)


@pytest.mark.parametrize("status", ["timeout", "unknown_outcome", "cancelled"])
def test_a_call_that_may_have_acted_is_never_hidden(status: str) -> None:
    kernel = kernel_for(projection="clean_tool_repair")
    kernel.reply("", call("write", "a"))
    kernel.returned("a", "!no", status=status)

    turn(kernel, ("write", "b", "done"))

    assert shown(kernel) == ["Find it.", "<a>", "!no", "<b>", "done"]


def test_turns_of_nothing_but_failed_calls_go_when_the_model_has_seen_them() -> None:
    kernel = kernel_for(projection="squash_failed_calls")

    turn(kernel, ("look", "a", "!no"), text="Let me look.")
    assert shown(kernel) == ["Find it.", "Let me look.<a>", "!no"]
    turn(kernel, ("look", "b", "!no"), ("find", "c", "found"))

    assert shown(kernel) == ["Find it.", "<b><c>", "!no", "found"]


def test_the_last_messages_stay_where_the_author_says_so() -> None:
    kernel = kernel_for(projection={"strategy": "squash_failed_calls", "keep_last": 4})

    turn(kernel, ("look", "a", "!no"))
    turn(kernel, ("find", "b", "found"))
    assert shown(kernel) == ["Find it.", "<a>", "!no", "<b>", "found"]
    turn(kernel, ("find", "c", "found"))

    assert shown(kernel) == ["Find it.", "<b>", "found", "<c>", "found"]


GC = {"strategy": "reachability_gc", "root_window": 2}


def test_long_results_that_nothing_recent_refers_to_become_a_line() -> None:
    kernel = kernel_for(projection=GC)

    turn(kernel, ("look", "a", LONG), path="src/old.py")
    turn(kernel, ("look", "b", "!" + LONG), path="src/other.py")
    turn(kernel, ("look", "c", LONG), path="src/new.py")
    turn(kernel, ("find", "d", "short"), path="src/new.py")

    line = "The result of this call of `look` (700 characters) is left out: nothing has referred to it for a while."
    texts = shown(kernel)
    assert texts[2].startswith(line)
    assert (texts[4], texts[6]) == ("!" + LONG, LONG)  # a fault stays, and what the newest call speaks of
    assert kernel.texts[2] == LONG


@pytest.mark.parametrize(
    "options", [{"roots": ["look"]}, {"min_chars": 701}, {"require_write_barrier": True}, {"root_window": 20}]
)
def test_results_stay_where_the_options_say_so(options: dict[str, Any]) -> None:
    kernel = kernel_for(projection={**GC, **options})

    turn(kernel, ("look", "a", LONG), path="src/old.py")
    for number in range(3):
        turn(kernel, ("find", f"b{number}", "short"), path="src/new.py")

    assert shown(kernel)[2] == LONG


def test_results_from_before_a_change_may_go_where_a_change_is_asked_for() -> None:
    kernel = kernel_for(projection={**GC, "require_write_barrier": True})

    turn(kernel, ("look", "a", LONG), path="src/old.py")
    turn(kernel, ("write", "b", "done"), path="src/new.py")
    turn(kernel, ("find", "c", "short"), path="src/new.py")

    assert shown(kernel)[2] != LONG


def test_what_the_notes_speak_of_stays() -> None:
    notes = {"facts": ["see src/old.py"], "reorganize_every": 50}
    kernel = kernel_for(projection=GC, scratchpad=notes)

    turn(kernel, ("look", "a", LONG), path="src/old.py")
    for number in range(3):
        turn(kernel, ("find", f"b{number}", "short"), path="src/new.py")

    assert shown(kernel)[2] == LONG


def test_all_but_the_last_messages_become_a_digest_that_grows_in_steps() -> None:
    kernel = kernel_for(projection={"strategy": "summary_prefix", "keep_last": 2})
    reshaped = []
    for number in range(12):
        turn(kernel, ("look", f"a{number}", f"seen {number}\nand more"))
        reshaped.append(kernel.pending(CallModel).reshaped)

    texts = shown(kernel)
    assert texts[0] == "Find it."
    assert texts[1].startswith("Notes of the runtime")
    assert texts[1].endswith("- result of look: seen 9")
    assert texts[2:] == ["<a10>", "seen 10\nand more", "<a11>", "seen 11\nand more"]
    assert reshaped == [()] * 5 + [("projection",)] + [()] * 4 + [("projection",), ()]


# --- timestamps


def test_messages_of_people_and_tools_carry_the_time_of_their_first_request_and_keep_it() -> None:
    kernel = kernel_for(timestamp_messages=True)
    first = shown(kernel)

    turn(kernel, ("look", "a", "seen"), text="One moment.")
    turn(kernel, ("look", "b", "again"))

    assert first == ["1970-01-01 00:00:01 UTC\nFind it."]
    assert shown(kernel) == [
        "1970-01-01 00:00:01 UTC\nFind it.",
        "One moment.<a>",
        "1970-01-01 00:00:03 UTC\nseen",
        "<b>",
        "1970-01-01 00:00:05 UTC\nagain",
    ]
    assert kernel.pending(CallModel).reshaped == ()
    assert projected(kernel) == []
    assert kernel.texts == ["Find it.", "One moment.", "seen", "", "again"]


def test_rules_see_what_lies_below_them() -> None:
    kernel = kernel_for(
        timestamp_messages=True,
        projection="squash_failed_calls",
        filter=[{"when": "message.age > 2", "replace": "Old."}],
    )

    turn(kernel, ("look", "a", "!no"))
    turn(kernel, ("look", "b", "seen"))

    assert shown(kernel) == ["Old.", "<b>", "1970-01-01 00:00:05 UTC\nseen"]


# --- reminders


def harness(kernel: Kernel) -> str | None:
    return kernel.pending(CallModel).harness


def test_reminders_are_said_every_so_many_turns_behind_everything_else() -> None:
    kernel = kernel_for(reminders=["Be brief.", {"text": "Look twice.", "every": 2}])
    heard = [harness(kernel)]
    for number in range(3):
        turn(kernel, ("look", f"a{number}", str(number)))
        heard.append(harness(kernel))

    assert heard == ["Be brief.", "Be brief.\n\nLook twice.", "Be brief.", "Be brief.\n\nLook twice."]
    assert "Be brief." not in kernel.texts


def test_a_reminder_waits_for_its_condition_and_one_that_cannot_be_evaluated_is_not_said() -> None:
    kernel = kernel_for(
        reminders=[
            {"text": "You called a tool.", "when": "turn.tool_call_count > 0"},
            {"text": "No.", "when": "1 / iteration > 0"},
        ]
    )
    first, problems = (
        harness(kernel),
        [each for each in kernel.orders if getattr(each, "event", "") == "expression_error"],
    )

    turn(kernel, ("look", "a", "seen"))

    assert (first, len(problems)) == (None, 1)
    assert harness(kernel) == "You called a tool.\n\nNo."
