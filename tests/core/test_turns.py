"""How a turn closes and a run ends: the moments at which policies are asked, and what a last turn may do."""

from typing import Any, ClassVar

from agentspec.core.events import Consulted, DeadlineReached
from agentspec.core.messages import ToolMessage
from agentspec.core.orders import CallModel, Consult, Consultation, Finish, Note, Outcome
from agentspec.core.policy import Policy, Ruled, Stage, TurnEnded
from agentspec.core.proposals import Admit, Close, End, Take
from agentspec.core.rulings import PASS, Feedback, Grant, Hold, Refuse, Rewrite, Stop
from agentspec.testing.kernel import Kernel, call, plan_of, tool

QUESTION = Consultation(system="Judge.", packet="Is it done?")


class Judge(Policy[str], frozen=True):
    """Asks a model once a turn whether a gated end is true. Memory: its word."""

    stage: ClassVar = Stage.QUALITY
    hears: ClassVar = (Consulted, Ruled)
    reviews: ClassVar = (End,)
    announces: ClassVar = True

    def start(self) -> str:
        return ""

    def observe(self, memory: str, event: Any, facts: Any) -> str:
        match event:
            case Consulted(reply=reply) if reply is not None:
                return reply.text
            case Ruled(ruling=Refuse()):
                return ""
            case _:
                return memory

    def review(self, memory: str, proposal: End, facts: Any) -> Any:
        if not proposal.is_gated:
            return PASS
        if not memory:
            return Hold("judge", QUESTION)
        return PASS if memory == "done" else Refuse(memory, verdict="continue", tell=Feedback("veto", memory))

    def notes(self, before: str, after: str) -> tuple[Note, ...]:
        return (Note(event="judge_decision", fields={"said": after}),) if after else ()


class Watch(Policy[tuple[str, ...]], frozen=True):
    """Remembers which turns ended, and what was known of them."""

    stage: ClassVar = Stage.CLOSE
    hears: ClassVar = (TurnEnded,)

    def start(self) -> tuple[str, ...]:
        return ()

    def observe(self, memory: tuple[str, ...], event: Any, facts: Any) -> tuple[str, ...]:
        said = f"{event.turn} {facts.text!r} {facts.turn.tool_call_count} {facts.completion.vetoed}"
        return (*memory, said)


class ReadsNothing(Policy[None], frozen=True):
    """Lets every call run with no arguments."""

    stage: ClassVar = Stage.VALID
    reviews: ClassVar = (Admit,)

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Any, facts: Any) -> Any:
        return Rewrite(Admit(call=proposal.call, index=proposal.index, arguments={}))


def watched(kernel: Kernel) -> tuple[str, ...]:
    """What `Watch` has seen."""
    index = next(i for i, policy in enumerate(kernel.plan.policies) if isinstance(policy, Watch))
    return kernel.state.memory[index]


def test_a_judge_is_asked_and_its_veto_closes_the_turn() -> None:
    kernel = Kernel(plan_of(Judge(), Watch()))
    kernel.start("go")

    kernel.reply("done?")
    assert kernel.ordered(Consult)[0].consultation == QUESTION
    kernel.consulted("Look again.")

    assert kernel.ordered(Note)[0].fields == {"said": "Look again."}
    assert kernel.ordered(CallModel)[0].harness == "Look again."
    assert watched(kernel) == ("1 'done?' 0 True",)
    assert kernel.state.facts.vetoes == 1
    kernel.reply("done!")
    kernel.consulted("done")
    assert kernel.outcome == Outcome("done", "completed")


class Enough(Policy[bool], frozen=True):
    """Ends the run when a turn with calls closes. Memory: whether it has said so."""

    stage: ClassVar = Stage.LIMIT
    hears: ClassVar = (Ruled,)
    reviews: ClassVar = (Close,)

    outcome: Outcome
    is_gated: bool = False

    def start(self) -> bool:
        return False

    def observe(self, memory: bool, event: Any, facts: Any) -> bool:
        return memory or (event.policy == "test_turns" and isinstance(event.ruling, Stop))

    def review(self, memory: bool, proposal: Close, facts: Any) -> Any:
        return PASS if memory or not facts.results else Stop(self.outcome, is_gated=self.is_gated)


def test_a_stop_before_a_turn_closes_is_asked_of_the_gates_where_it_claims_to_be_done() -> None:
    enough = Enough(outcome=Outcome("done", "stop_after_tool"), is_gated=True)
    kernel = Kernel(plan_of(enough, Judge(), Watch(), ReadsNothing(), tools=[tool("look")]))
    kernel.start("go")

    kernel.reply("I look.", call("look"))
    kernel.returned("c1")
    kernel.consulted("Not yet.")

    assert kernel.ordered(Finish) == []
    assert watched(kernel) == ("1 'I look.' 1 True",)


class LastWords(Policy[bool], frozen=True):
    """Grants one more turn before a bound ends the run. Memory: whether it was granted."""

    stage: ClassVar = Stage.CLOSE
    hears: ClassVar = (Ruled,)
    reviews: ClassVar = (End,)

    def start(self) -> bool:
        return False

    def observe(self, memory: bool, event: Any, facts: Any) -> bool:
        return memory or isinstance(event.ruling, Grant)

    def review(self, memory: bool, proposal: End, facts: Any) -> Any:
        return PASS if memory else Grant("Answer from what you know.")


BOUND = Outcome("budget_exhausted", "tool_calls", place="execution.limits.tool_calls")


def last_turn() -> Kernel:
    kernel = Kernel(plan_of(Enough(outcome=BOUND), LastWords(), ReadsNothing(), tools=[tool("look")]))
    kernel.start("go")
    kernel.reply("", call("look"))
    kernel.returned("c1")
    return kernel


def test_the_last_turn_is_asked_for_without_tools_and_ends_as_the_bound_says() -> None:
    kernel = last_turn()

    order = kernel.ordered(CallModel)[0]
    assert (order.turn, order.tool_choice, order.harness) == (2, "none", "Answer from what you know.")
    kernel.reply("It is a book.")

    assert kernel.outcome == Outcome(
        "budget_exhausted", "tool_calls", place="execution.limits.tool_calls", wrapped_up=True
    )
    assert kernel.texts[-1] == "It is a book."


def test_calls_of_the_last_turn_are_not_run_and_leave_no_trace() -> None:
    kernel = last_turn()

    kernel.reply("I look again.", call("look", "c2"))

    assert kernel.outcome.wrapped_up
    assert kernel.texts[-1] == "I look again."
    assert [message.call_id for message in kernel.state.transcript if isinstance(message, ToolMessage)] == ["c1"]


def test_a_last_turn_that_fails_or_runs_out_of_time_ends_the_run_all_the_same() -> None:
    failed, late = last_turn(), last_turn()

    failed.fail("server_error", retryable=True)
    late.give(DeadlineReached(at=9.0, limit="wall_clock"))

    assert failed.outcome == late.outcome == BOUND


class Drops(Policy[None], frozen=True):
    """Has something against a reply that speaks of secrets, and keeps or forgets it."""

    stage: ClassVar = Stage.QUALITY
    reviews: ClassVar = (Take,)

    reply: Any

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Take, facts: Any) -> Any:
        return Refuse("no secrets", reply=self.reply) if "secret" in proposal.reply.text else PASS


def test_a_reply_that_is_dropped_costs_a_turn_and_leaves_no_trace() -> None:
    kernel = Kernel(plan_of(Drops(reply="drop"), Watch(), ReadsNothing(), tools=[tool("look")]))
    kernel.start("go")

    kernel.reply("a secret", call("look"))

    assert kernel.texts == ["go"]
    assert kernel.ordered(CallModel)[0].turn == 2


def test_a_reply_that_is_kept_has_its_calls_answered_as_not_run() -> None:
    kernel = Kernel(plan_of(Drops(reply="keep"), Watch(), ReadsNothing(), tools=[tool("look")]))
    kernel.start("go")

    kernel.reply("a secret", call("look"))

    assert kernel.texts == ["go", "a secret", "ERROR: not run: no secrets"]
    assert kernel.state.facts.turn.rejected_tool_names == ()
    assert kernel.ordered(CallModel)[0].turn == 2
