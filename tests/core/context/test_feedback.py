"""What the harness says, chosen out of all that policies want told; and that none of it stays in the conversation."""

from typing import Any, ClassVar

import pytest

from agentspec.core.context.feedback import Given, compose
from agentspec.core.messages import UserMessage
from agentspec.core.orders import CallModel, Note
from agentspec.core.policy import Policy, Ruled, Stage
from agentspec.core.proposals import Think
from agentspec.core.rulings import PASS, Feedback, Tell
from agentspec.policies.arguments import Arguments
from agentspec.policies.stall import Stall
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import Kernel, call, plan_of, tool
from agentspec.testing.weak import HABITS, Weak, plan_of_task

GO_ON = Feedback("nudge", "Go on.")
ENDS = Feedback("wrap_up", "Answer now.", action="stop")
KNOWN = Feedback("note", "It is late.", action="inform")
STEP = Feedback("hint", "Run the tests.", next_step="test")


@pytest.mark.parametrize(
    ("told", "kept", "suppressed"),
    [
        pytest.param((GO_ON, Feedback("note", " ")), ["nudge"], ["empty"], id="empty"),
        pytest.param((GO_ON, Feedback("veto", "Go on.")), ["nudge"], ["said already"], id="the same words"),
        pytest.param((GO_ON, KNOWN, ENDS), ["note", "wrap_up"], ["the run stops"], id="a stop"),
        pytest.param((STEP, GO_ON), ["nudge"], ["already given"], id="a step that was given"),
    ],
)
def test_what_survives(told: tuple[Feedback, ...], kept: list[str], suppressed: list[str]) -> None:
    composed = compose(told, Given(knowledge=3, steps=("test",)), knowledge=3)

    assert [feedback.kind for feedback in composed.kept] == kept
    assert [why for _, why in composed.suppressed] == suppressed


class Hints(Policy[int], frozen=True):
    """Gives the same next step before every turn. Memory: the turn in which it was given last."""

    stage: ClassVar = Stage.SHAPE
    hears: ClassVar = (Ruled,)
    reviews: ClassVar = (Think,)

    def start(self) -> int:
        return 0

    def observe(self, memory: int, event: Any, facts: Any) -> int:
        return event.proposal.turn if event.policy == "test_feedback" else memory

    def review(self, memory: int, proposal: Any, facts: Any) -> Any:
        return Tell(STEP) if proposal.turn > memory else PASS


def test_a_step_is_given_again_only_when_something_new_has_been_seen() -> None:
    look = tool("look")
    watch, read = Stall.configure(Settings({}), {}), Arguments.configure(Settings({}), {"look": look})
    assert watch is not None
    kernel = Kernel(plan_of(Hints(), watch, read, tools=[look]))
    kernel.start("go")
    said = [kernel.pending(CallModel).harness]

    for number, brought in enumerate(("a", "b", "b", "c")):
        kernel.reply("", call("look", str(number)))
        kernel.returned(str(number), brought)
        said.append((kernel.pending(CallModel).harness or "").split("\n\n")[-1])

    assert [words == "Run the tests." for words in said] == [True, True, True, False, True]
    note = next(note for note in kernel.ordered(Note) if note.event == "feedback_composed")
    assert note.fields == {
        "kinds": ["hint"],
        "sources": [""],
        "suppressed": [],
        "turn_claimed_for_repair": False,
    }


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.name)
def test_nothing_that_the_harness_says_stays_and_what_was_said_never_changes(habit: Any) -> None:
    kernel, model = Kernel(plan_of_task({})), Weak(habit, 7)
    kernel.start("go")
    before = list(kernel.state.transcript)

    while kernel.state.outcome is None:
        order: Any = next(iter(kernel.state.pending.values()))
        if isinstance(order, CallModel):
            reply = model.answer(is_told=order.harness is not None, is_refused=False)
            kernel.reply(reply.text, *reply.calls)
        else:
            kernel.returned(order.call.id, "the same")
        assert list(kernel.state.transcript)[: len(before)] == before
        before = list(kernel.state.transcript)

    assert [message.text for message in before if isinstance(message, UserMessage)] == ["go"]
