"""What a turn was worth: new things are progress, known ones are not, and a check that keeps failing is a standstill."""

import msgspec
import pytest

from agentspec.core.facts import ProgressFacts
from agentspec.core.repeats.recent import FRESH
from agentspec.policies.progress import KEPT, Progress
from agentspec.testing.kernel import Kernel, call, plan_for, tool

TOOLS = (tool("look"), tool("write", effect="write"), tool("test", effect="process"))


def played(*turns):
    """The facts of every turn. A turn is a list of calls: tool, arguments, result, and maybe its status."""
    kernel = Kernel(plan_for({"execution": {"max_iterations": 500, "stall": False}}, *TOOLS))
    kernel.start("go")
    facts = []
    for turn in turns:
        asked = [call(name, f"c{index}", arguments) for index, (name, arguments, *_) in enumerate(turn)]
        kernel.reply("", *asked)
        for index, (_, _, text, *status) in enumerate(turn):
            kernel.returned(f"c{index}", text, **({"status": status[0]} if status else {}))
        facts.append(kernel.state.facts.progress)
    return facts


def reads(*keys):
    """A turn of reads, each with its own argument and the same result every time."""
    return [("look", f'{{"at": "{key}"}}', f"what is at {key}") for key in keys]


FAILS = ("test", "{}", "1 failed in 0.31s", "error")


@pytest.mark.parametrize(
    ("turns", "gains"),
    [
        ([reads("a"), reads("b"), reads("a")], [True, True, False]),
        ([reads("a"), reads("a", "b")], [True, True]),
        ([reads("a"), reads("a", "a")], [True, False]),
        ([reads("a", "a")], [True]),
        ([[("look", '{"a": 1, "b": 2}', "x")], [("look", '{"b":2,"a":1}', "x")]], [True, False]),
        ([[("look", "{}", "x")], [("look", "{}", "y")], [("look", "{}", "x")]], [True, True, False]),
        ([[("look", "{}", "x")], [("look", "{}", "x", "error")]], [True, True]),
        ([[("write", "{}", "ok")], [("write", "{}", "ok")]], [True, True]),
        ([reads("a"), [("write", "{}", "ok")], reads("a")], [True, True, False]),
    ],
    ids=["known", "one new", "all known", "first", "order of keys", "other result", "an error", "a write", "after one"],
)
def test_a_turn_of_reads_that_are_known_gains_nothing(turns, gains):
    facts = played(*turns)

    assert [not one.no_information_gain for one in facts] == gains
    assert [one.turns_since_progressing == 0 for one in facts] == gains


@pytest.mark.parametrize(
    ("turns", "standstill"),
    [
        ([[FAILS]] * 4, [False, False, True, True]),
        ([[FAILS], [("test", "{}", "1 failed in 27.9 s", "error")], [FAILS]], [False, False, True]),
        ([[FAILS], [FAILS], [("test", "{}", "2 failed in 0.31s", "error")], [FAILS]], [False] * 4),
        ([[FAILS], [FAILS], [("test", "{}", "passed")], [FAILS]], [False] * 4),
        ([[FAILS], [FAILS], [FAILS], [("test", "{}", "passed")]], [False, False, True, False]),
        ([[FAILS], [FAILS], [FAILS], [("write", "{}", "ok")]], [False, False, True, True]),
        ([[FAILS], [FAILS], [("test", '{"only": "a"}', "1 failed in 0.31s", "error")]], [False] * 3),
        ([[("look", "{}", "no", "error")]] * 4, [False] * 4),
    ],
    ids=["alike", "time apart", "another failure", "passed", "then passed", "a change", "another check", "no check"],
)
def test_nothing_advances_while_a_check_keeps_failing_alike(turns, standstill):
    assert [one.no_net_advance for one in played(*turns)] == standstill


def test_the_facts_tell_what_repeats_and_for_how_long_nothing_has_progressed():
    assert played(reads("a", "b"), reads("a"), reads("b", "a"), reads("c")) == [
        ProgressFacts(changed=True, summary="2 calls, 0 characters of text"),
        ProgressFacts(
            changed=True,
            no_information_gain=True,
            turns_since_progressing=1,
            summary="every call repeated what was known",
            repeats=1,
            repeated_tool="look",
        ),
        ProgressFacts(
            changed=True,
            no_information_gain=True,
            turns_since_progressing=2,
            summary="every call repeated what was known",
            repeats=2,
            repeated_tool="look",
        ),
        ProgressFacts(changed=True, summary="1 call, 0 characters of text"),
    ]


def test_the_same_refusal_again_is_no_call():
    kernel = Kernel(plan_for({"execution": {"max_iterations": 9, "stall": False}}, *TOOLS))
    kernel.start("go")

    kernel.reply("", call("ghost", arguments='{"n": 1}'))
    first = kernel.state.facts.progress
    kernel.reply("", call("ghost", arguments='{"n": 2}'))

    assert first == ProgressFacts(changed=True, summary="1 call, 0 characters of text")
    assert kernel.state.facts.progress == ProgressFacts(
        turns_since_progressing=1, summary="every call was refused as before", repeats=1, repeated_tool="ghost"
    )


def test_words_alone_are_progress():
    kernel = Kernel(plan_for({"execution": {"max_iterations": 9}}, *TOOLS))
    kernel.start("go")

    kernel.reply("Forty-two.")

    assert kernel.state.facts.progress == ProgressFacts(changed=True, summary="0 calls, 10 characters of text")


def test_memory_is_bounded():
    kernel = Kernel(plan_for({"execution": {"max_iterations": KEPT + 50, "stall": False}}, *TOOLS))
    kernel.start("go")
    for number in range(KEPT + 40):
        kernel.reply("", call("test", arguments=f'{{"n": {number}}}'))
        kernel.returned("c1", f"{number} failed", status="error")

    known = next(
        memory
        for policy, memory in zip(kernel.plan.policies, kernel.state.memory, strict=True)
        if isinstance(policy, Progress)
    )

    assert len(known.checks) == KEPT
    assert all(KEPT - FRESH <= len(recent) <= KEPT for recent in (known.results, known.calls))
    assert len(msgspec.json.encode(known)) < 64 * 1024


def test_a_command_that_verifies_is_a_check_too():
    verify = [{"command": ["make", "test"]}]
    values = {"loop_until_done": True, "max_iterations": 9, "verify_completion": verify}
    kernel = Kernel(plan_for({"execution": values}, *TOOLS))
    kernel.start("go")
    facts = []
    for text in ("1 failed in 2s", "1 failed in 3s", "1 failed in 4s"):
        kernel.reply("done")
        kernel.answered({"status": "failed", "text": text, "exit_code": 1})
        kernel.reply("", call("write"))
        kernel.returned("c1")
        facts.append(kernel.state.facts.progress.no_net_advance)

    assert facts == [False, False, True]


def test_a_turn_that_is_vetoed_is_weighed_once():
    verify = [{"veto": "No."}]
    values = {"loop_until_done": True, "max_iterations": 9, "verify_completion": verify}
    kernel = Kernel(plan_for({"execution": values}, *TOOLS))
    kernel.start("go")
    kernel.reply("", call("look"))
    kernel.returned("c1", "x")
    kernel.reply("", call("look"))
    kernel.returned("c1", "x")

    kernel.reply("done")

    assert kernel.state.facts.progress.turns_since_progressing == 0
    kernel.reply("", call("look"))
    kernel.returned("c1", "x")
    assert kernel.state.facts.progress.turns_since_progressing == 1
