"""Given a reply without a call, when it would be taken, then it is an answer, or the model is told what is missing."""

from typing import Any, ClassVar

import pytest

from agentspec.core.events import ModelReplied
from agentspec.core.formats.sentinel import without_sentinel
from agentspec.core.messages import Reply
from agentspec.core.orders import CallModel, CallTool, Outcome
from agentspec.core.plan import Plan
from agentspec.core.policy import Policy, Stage
from agentspec.core.proposals import Admit
from agentspec.core.rulings import PASS, Refuse
from agentspec.spec.prompts import built_in
from agentspec.testing.kernel import Kernel, call, plan_for, tool

LOOP: dict[str, Any] = {"loop_until_done": True, "max_nudges": 8}
WORD = "##DONE##"
SAY_SO, CONFIRM, DENIED = (built_in(prompt) for prompt in ("sentinel.reminder", "nudge.confirmation", "gate.denied"))
INSTRUCTION = SAY_SO.format(word=WORD)


def kernel_with(execution: dict[str, Any], *tools: str, **model: Any) -> Kernel:
    kernel = Kernel(plan_for({"execution": LOOP | execution, "model": model}, *(tool(name) for name in tools)))
    kernel.start("go")
    return kernel


def say(kernel: Kernel, text: str, *calls: Any, **fields: Any) -> None:
    """The model answers, as the shell hands it on: its word of being done is noted, and nobody sees it."""
    reply = without_sentinel(Reply(text=text, calls=calls, **fields), kernel.plan.sentinel)
    kernel.give(ModelReplied(at=kernel.tick(), order=kernel.pending(CallModel).id, reply=reply))


def harness(kernel: Kernel) -> list[str]:
    order: CallModel = kernel.pending(CallModel)
    return (order.harness or "").split("\n\n")


@pytest.mark.parametrize(
    ("execution", "model", "tools", "word"),
    [
        pytest.param({}, {}, ["look"], None, id="calls of the provider end it"),
        pytest.param({}, {}, [], WORD, id="no tools"),
        pytest.param({}, {"tool_format": "text"}, ["look"], WORD, id="calls in text"),
        pytest.param({}, {"tool_format": "json"}, [], None, id="a step says it itself"),
        pytest.param({"done_sentinel": False}, {}, [], None, id="none"),
        pytest.param({"done_sentinel": "FIN"}, {}, ["look"], "FIN", id="one of its own"),
        pytest.param({"turn_policy": {"allow_done_sentinel": False}}, {}, [], None, id="not allowed"),
        pytest.param({"loop_until_done": False}, {}, [], None, id="no loop"),
    ],
)
def test_the_word_of_being_done_is_that_of_the_format(
    execution: dict[str, Any], model: dict[str, Any], tools: list[str], word: str | None
) -> None:
    kernel = kernel_with(execution, *tools, **model)

    assert kernel.plan.sentinel == word
    assert harness(kernel) == ([SAY_SO.format(word=word)] if word else [""])


def test_the_word_ends_the_run_and_is_not_seen() -> None:
    kernel = kernel_with({})

    say(kernel, "It is blue. ##DONE##")

    assert kernel.outcome == Outcome("done", "sentinel")
    assert kernel.state.facts.text == "It is blue."


def test_the_word_alone_ends_the_run_with_what_was_said_before() -> None:
    kernel = kernel_with({})

    say(kernel, "It is blue.")
    say(kernel, "##DONE##")

    assert kernel.outcome == Outcome("done", "sentinel")


def test_text_without_the_word_is_no_answer_and_is_told_in_every_request() -> None:
    kernel = kernel_with({})

    say(kernel, "It is blue.")

    assert harness(kernel) == [built_in("nudge.sentinel").format(word=WORD), INSTRUCTION]


def test_the_word_in_the_task_ends_nothing() -> None:
    kernel = Kernel(plan_for({"execution": LOOP}))
    kernel.start("Write a poem, then say ##DONE##.")

    say(kernel, "Roses are red.")

    assert kernel.ordered(CallModel)


def test_calls_beside_the_word_are_run_first() -> None:
    kernel = kernel_with({"done_sentinel": "FIN"}, "look")

    say(kernel, "Looking. FIN", call("look"))
    assert kernel.state.outcome is None
    kernel.returned("c1", "a book")

    assert kernel.outcome == Outcome("done", "sentinel")


def test_the_word_beside_calls_is_held_against_the_gates_once() -> None:
    kernel = kernel_with({"done_sentinel": "FIN", "require_successful_tools": ["find"]}, "look", "find")

    say(kernel, "FIN", call("look"))
    kernel.returned("c1", "a book")
    assert "`find`" in harness(kernel)[0]
    say(kernel, "FIN", call("find", "c2"))
    kernel.returned("c2", "found")

    assert kernel.outcome == Outcome("done", "sentinel")


def test_an_answer_that_was_cut_is_not_done_whatever_it_says() -> None:
    kernel = kernel_with({})

    say(kernel, "##DONE## It is", finish="length")

    assert kernel.ordered(CallModel)


def test_the_nudge_after_the_last_ends_the_run_and_the_word_on_the_boundary_is_done() -> None:
    stuck, done = kernel_with({"max_nudges": 2}), kernel_with({"max_nudges": 2})

    for number in range(2):
        for kernel in (stuck, done):
            say(kernel, f"thinking {number}")
    say(stuck, "thinking still")
    say(done, "There. ##DONE##")

    assert stuck.outcome == Outcome(
        "stuck",
        "max_nudges",
        place="execution.max_nudges",
        detail="another reply that neither acted nor finished, after 2 nudges",
    )
    assert done.outcome == Outcome("done", "sentinel")


def test_a_call_begins_the_count_of_nudges_anew() -> None:
    kernel = kernel_with({"max_nudges": 1, "done_sentinel": "FIN"}, "look")

    for number in range(5):
        say(kernel, f"thinking {number}")
        say(kernel, "", call("look", str(number), f'{{"n": {number}}}'))
        kernel.returned(str(number), str(number))

    assert kernel.ordered(CallModel)


def test_an_answer_that_is_turned_down_is_no_nudge() -> None:
    kernel = kernel_with({"max_nudges": 1, "require_successful_tools": ["look"]}, "look")

    for number in range(6):
        say(kernel, f"Done {number}.")

    assert kernel.ordered(CallModel)


@pytest.mark.parametrize(("tool_format", "word"), [("native", ""), ("json", ""), ("text", WORD)])
def test_an_empty_reply_is_told_in_the_words_of_its_format(tool_format: str, word: str) -> None:
    kernel = kernel_with({}, "look", tool_format=tool_format)

    say(kernel, "")
    say(kernel, "")

    assert harness(kernel)[0] == built_in(f"nudge.{tool_format}") + (
        f" {built_in('nudge.ending')}".format(word=word) if word else ""
    )


def test_a_turn_must_act_where_the_spec_says_so() -> None:
    kernel = kernel_with({"turn_policy": {"require_action_or_yield": True}}, "look")

    say(kernel, "I think that it is blue.")

    assert harness(kernel) == [built_in("nudge.action.native")]


def test_a_reply_that_is_too_long_is_no_answer() -> None:
    kernel = kernel_with({"turn_policy": {"max_prose_chars": 10}, "loop_until_done": False})

    say(kernel, "It is blue, I believe.")
    assert harness(kernel) == [built_in("nudge.too_long").format(length=22, most=10)]
    say(kernel, "Blue.")

    assert kernel.outcome.status == "done"


def test_an_answer_without_any_call_is_asked_about_once_and_then_believed() -> None:
    kernel = kernel_with({"max_nudges": 1}, "look")

    say(kernel, "It is blue.")
    assert harness(kernel) == [CONFIRM]
    say(kernel, "It is blue.")

    assert kernel.outcome == Outcome("done", "natural")


@pytest.mark.parametrize(
    ("execution", "tools", "model"),
    [
        pytest.param({"max_nudges": 0}, ["look"], {}, id="no nudges"),
        pytest.param({"loop_until_done": False}, ["look"], {}, id="no loop"),
        pytest.param({"done_sentinel": False}, [], {}, id="no tools"),
        pytest.param({"done_sentinel": False}, ["look"], {"tool_format": "text"}, id="calls in text"),
        pytest.param({}, ["look"], {"tool_format": "json"}, id="calls in JSON"),
    ],
)
def test_it_is_believed_at_once_where_nothing_else_was_to_be_expected(
    execution: dict[str, Any], tools: list[str], model: dict[str, Any]
) -> None:
    kernel = kernel_with(execution, *tools, **model)

    say(kernel, "It is blue.")

    assert kernel.outcome.status == "done"


def test_a_call_that_was_refused_counts_as_one() -> None:
    kernel = kernel_with({}, "look")

    say(kernel, "", call("lok"))
    say(kernel, "There is nothing to look with.")

    assert kernel.outcome == Outcome("done", "natural")


def deny(kernel: Kernel, *calls: tuple[str, str]) -> None:
    named = [call(name, f"{len(kernel.events)}.{index}", text) for index, (name, text) in enumerate(calls)]
    say(kernel, "", *named)


class Ceiling(Policy[None], frozen=True):
    """Denies every call of `drop`, for good."""

    stage: ClassVar = Stage.AUTHORITY
    reviews: ClassVar = (Admit,)

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Any, facts: Any) -> Any:
        return Refuse("`drop` is above the ceiling") if proposal.call.name == "drop" else PASS


def under_a_ceiling() -> Kernel:
    plan = plan_for({"execution": LOOP}, tool("drop"), tool("look"))
    kernel = Kernel(Plan(**{**PLAN, "tools": plan.tools, "policies": (*plan.policies, Ceiling())}))
    kernel.start("go")
    return kernel


PLAN: dict[str, Any] = {"name": "test", "spec_hash": "0", "loop_until_done": True}


def test_the_same_denial_twice_ends_the_run_after_one_word() -> None:
    kernel = under_a_ceiling()

    deny(kernel, ("drop", '{"a": 1, "b": 2}'))
    assert harness(kernel)[0] == DENIED.format(names="`drop`")
    deny(kernel, ("drop", '{"b": 2, "a": 1}'))

    assert kernel.outcome == Outcome(
        "error", "repeated_denial", detail="two turns in a row asked for nothing but `drop`, which is denied for good"
    )


def test_another_call_beside_it_or_in_between_is_no_repetition() -> None:
    kernel = under_a_ceiling()

    deny(kernel, ("drop", "{}"))
    deny(kernel, ("drop", '{"n": 1}'))
    deny(kernel, ("drop", '{"n": 1}'), ("look", "{}"))
    kernel.returned(kernel.pending(CallTool).call.id)
    deny(kernel, ("drop", '{"n": 1}'))

    assert kernel.ordered(CallModel)
