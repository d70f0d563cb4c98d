"""The laws of the kernel, by hand-written events."""

from typing import Any, ClassVar

import pytest

from agentspec.core.events import AbortRequested, Answered, DeadlineReached, Resumed, UserSaid
from agentspec.core.messages import AssistantMessage, ToolMessage, UserMessage
from agentspec.core.orders import Ask, CallModel, CallTool, Cancel, Finish, Outcome
from agentspec.core.policy import Policy, Stage, TurnEnded
from agentspec.core.proposals import Admit, End, Take
from agentspec.core.rulings import PASS, Feedback, Hold, Refuse, Rewrite
from agentspec.core.step import initial, step
from agentspec.errors import InternalError
from agentspec.testing.kernel import Kernel, call, plan_for, plan_of, tool


class ReadsNothing(Policy[None], frozen=True):
    """Lets every call run with no arguments."""

    stage: ClassVar = Stage.VALID
    reviews: ClassVar = (Admit,)

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Any, facts: Any) -> Any:
        return Rewrite(Admit(call=proposal.call, index=proposal.index, arguments={}))


def test_a_text_answer_ends_a_plain_loop_as_completed() -> None:
    kernel = Kernel(plan_of())

    kernel.start("hello")
    kernel.reply("hi")

    assert kernel.outcome == Outcome("done", "completed")
    assert list(kernel.state.transcript) == [UserMessage(text="hello"), AssistantMessage(text="hi")]


def test_a_text_answer_ends_a_loop_until_done_as_natural() -> None:
    kernel = Kernel(plan_of(loop_until_done=True))

    kernel.start("hello")
    kernel.reply("hi")

    assert kernel.outcome == Outcome("done", "natural")


def test_observations_run_together_and_results_keep_the_emitted_order() -> None:
    kernel = Kernel(plan_of(ReadsNothing(), tools=[tool("look")]))
    kernel.start("go")

    kernel.reply("", call("look", "a"), call("look", "b"))
    assert [order.call.id for order in kernel.ordered(CallTool)] == ["a", "b"]
    kernel.returned("b", "second")
    assert kernel.ordered(CallModel) == []
    kernel.returned("a", "first")

    assert kernel.ordered(CallModel)[0].turn == 2
    assert [m.text for m in kernel.state.transcript if isinstance(m, ToolMessage)] == ["first", "second"]


def test_a_call_that_may_change_things_runs_alone() -> None:
    kernel = Kernel(plan_of(ReadsNothing(), tools=[tool("look"), tool("write", effect="write")]))
    kernel.start("go")

    kernel.reply("", call("look", "a"), call("write", "b"), call("look", "c"))

    assert [order.call.id for order in kernel.ordered(CallTool)] == ["a"]
    kernel.returned("a")
    assert [order.call.id for order in kernel.ordered(CallTool)] == ["b"]
    kernel.returned("b")
    assert [order.call.id for order in kernel.ordered(CallTool)] == ["c"]


def test_no_more_calls_run_at_once_than_the_plan_allows() -> None:
    kernel = Kernel(plan_of(ReadsNothing(), tools=[tool("look")], max_concurrent_tools=2))
    kernel.start("go")

    kernel.reply("", *(call("look", str(number)) for number in range(4)))

    assert len(kernel.ordered(CallTool)) == 2
    kernel.returned("0")
    assert len(kernel.ordered(CallTool)) == 1


def test_an_abort_answers_every_call_and_a_resume_goes_on() -> None:
    kernel = Kernel(plan_of(ReadsNothing(), tools=[tool("write", effect="write")]))
    kernel.start("go")
    kernel.reply("", call("write", "a"), call("write", "b"))

    kernel.give(AbortRequested(at=9.0, by="signal"))

    assert kernel.outcome == Outcome("interrupted", "signal")
    assert [order.order for order in kernel.ordered(Cancel)] == [2]
    assert [m.text for m in kernel.state.transcript if isinstance(m, ToolMessage)] == [
        "ERROR: interrupted while it ran; it may have acted",
        "ERROR: interrupted before it started",
    ]
    kernel.give(Resumed(at=10.0))
    assert kernel.ordered(CallModel)[0].length == 4


def test_an_abort_during_a_model_call_leaves_the_turn_open() -> None:
    kernel = Kernel(plan_of())
    kernel.start("go")

    kernel.give(AbortRequested(at=9.0, by="signal"))
    kernel.give(Resumed(at=10.0))

    order = kernel.ordered(CallModel)[0]
    assert (order.turn, order.attempt) == (1, 2)


def test_a_deadline_cancels_what_is_in_flight_and_late_answers_change_nothing() -> None:
    kernel = Kernel(plan_of())
    kernel.start("go")
    order = kernel.pending(CallModel)

    kernel.give(DeadlineReached(at=5.0, limit="wall_clock"))

    assert kernel.ordered(Cancel) == [Cancel(order=order.id)]
    assert order.id not in kernel.state.pending


def test_after_the_end_there_are_no_orders() -> None:
    kernel = Kernel(plan_of())
    kernel.start("go")
    kernel.reply("done")
    over = kernel.state

    kernel.give(UserSaid(at=9.0, text="more"))

    assert kernel.orders == []
    assert kernel.state is over


def test_an_answer_to_no_order_is_a_bug_and_says_so() -> None:
    kernel = Kernel(plan_of())
    kernel.start("go")

    with pytest.raises(InternalError, match="order 7, which is not pending"):
        kernel.give(Answered(at=2.0, order=7, who="clock", question=1))


def test_a_message_of_the_user_waits_for_the_next_turn() -> None:
    kernel = Kernel(plan_of(ReadsNothing(), tools=[tool("look")]))
    kernel.start("go")

    kernel.give(UserSaid(at=2.0, text="and hurry"))
    kernel.reply("", call("look", "a"))
    kernel.returned("a")

    assert list(kernel.state.transcript)[-1] == UserMessage(text="and hurry")


class Vetoes(Policy[int], frozen=True):
    """Refuses the first end, with words for the model. Memory: turns that ended."""

    stage: ClassVar = Stage.QUALITY
    hears: ClassVar = (TurnEnded,)
    reviews: ClassVar = (End,)

    def start(self) -> int:
        return 0

    def observe(self, memory: int, event: Any, facts: Any) -> int:
        return memory + 1

    def review(self, memory: int, proposal: End, facts: Any) -> Any:
        if memory or proposal.outcome.status != "done":
            return PASS
        return Refuse("not yet", tell=Feedback("veto", "Look again."))


def test_a_refused_end_goes_on_with_words_that_leave_no_trace_in_the_transcript() -> None:
    kernel = Kernel(plan_of(Vetoes()))
    kernel.start("go")

    kernel.reply("done?")

    assert kernel.ordered(CallModel)[0].harness == "Look again."
    assert kernel.state.facts.completion.vetoed is False  # a new turn has begun
    kernel.reply("done!")
    assert kernel.outcome.status == "done"
    assert kernel.texts == ["go", "done?", "done!"]


class Asks(Policy[Any], frozen=True):
    """Wants the clock's word before it lets a reply in."""

    stage: ClassVar = Stage.CONSENT
    hears: ClassVar = (Answered,)
    reviews: ClassVar = (Take,)

    def start(self) -> Any:
        return None

    def observe(self, memory: Any, event: Any, facts: Any) -> Any:
        return event.who

    def review(self, memory: Any, proposal: Any, facts: Any) -> Any:
        return PASS if memory else Hold("clock", 1)


def test_a_held_proposal_is_made_again_when_the_answer_is_there() -> None:
    kernel = Kernel(plan_of(Asks()))
    kernel.start("go")

    kernel.reply("hi")
    asked = kernel.ordered(Ask)[0]
    assert kernel.ordered(Finish) == []
    kernel.give(Answered(at=4.0, order=asked.id, who="clock", question=1))

    assert kernel.outcome.status == "done"


class Circles(Policy[None], frozen=True):
    """Refuses every reply without ever changing its mind."""

    stage: ClassVar = Stage.QUALITY
    reviews: ClassVar = (End,)

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Any, facts: Any) -> Any:
        return Refuse("never")


def test_the_given_state_stays_as_it_was() -> None:
    plan = plan_of(Vetoes())
    kernel = Kernel(plan)
    kernel.start("go")
    before, copy = kernel.state, kernel.state.copy()

    kernel.reply("done?")

    assert before == copy
    again, _ = step(plan, before, kernel.events[-1])
    assert again == kernel.state


def test_a_policy_that_never_agrees_costs_a_turn_each_time_and_not_the_process() -> None:
    kernel = Kernel(plan_of(Circles()))
    kernel.start("go")

    for turn in range(2, 5):
        kernel.reply("done")
        assert kernel.ordered(CallModel)[0].turn == turn


@pytest.mark.slow
def test_ten_thousand_refused_calls_are_all_answered() -> None:
    ids = [f"c{n}" for n in range(10_000)]
    kernel = Kernel(plan_for({}))
    kernel.start("go")

    kernel.reply("", *(call("nowhere", call_id) for call_id in ids))

    assert [message.call_id for message in kernel.state.transcript if isinstance(message, ToolMessage)] == ids
    assert kernel.ordered(CallModel)[0].turn == 2


def test_a_fresh_state_knows_nothing() -> None:
    state = initial(plan_of())

    assert (len(state.transcript), state.pending, state.is_over) == (0, {}, False)
