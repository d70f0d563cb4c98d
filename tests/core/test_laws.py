"""The laws of the kernel as properties: whatever the world answers, these hold."""

from typing import Any, ClassVar

from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.events import (
    AbortRequested,
    Answered,
    AnyEvent,
    Consulted,
    DeadlineReached,
    ModelFailed,
    ModelReplied,
    Resumed,
    RunStarted,
    ToolReturned,
    UserSaid,
)
from agentspec.core.messages import AssistantMessage, Failure, Reply, ToolCall, ToolMessage, ToolResult, UserMessage
from agentspec.core.orders import AnyOrder, Ask, CallModel, CallTool, Cancel, Consult, Finish
from agentspec.core.plan import Plan
from agentspec.core.state import State
from agentspec.core.step import initial, step
from agentspec.core.transcript import Transcript
from agentspec.policies import discover
from agentspec.spec.settings import Settings
from agentspec.testing.kernel import tool

TOOLS = {name: tool(name, effect=effect) for name, effect in (("look", "read"), ("write", "write"), ("go", "process"))}


def plan_with(values: dict[str, Any]) -> Plan:
    asked = Settings(values)
    chosen = tuple(policy for kind in discover() for policy in kind.configure_all(asked, TOOLS))
    return Plan(name="law", spec_hash="0", tools=TOOLS, policies=chosen, loop_until_done=False, max_concurrent_tools=2)


PLANS = st.builds(
    lambda iterations, calls, failures, mode, loop, context: plan_with(
        {
            "context": context,
            "execution": {
                "max_iterations": iterations,
                "tool_error_mode": mode,
                "max_nudges": 2,
                **loop,
                "limits": {"tool_calls": calls, "consecutive_failures": failures},
            },
        }
    ),
    st.integers(1, 6),
    st.one_of(st.none(), st.integers(1, 8)),
    st.one_of(st.none(), st.integers(1, 3)),
    st.sampled_from(["recover", "abort"]),
    st.sampled_from(
        [
            {},
            {"iteration_budget": {"mode": "adaptive", "initial": 1, "max": 5, "progress_window": 1}},
            {
                "iteration_budget": {"mode": "adaptive", "initial": 1, "max": 5},
                "loop_control": [{"when": "iteration > 2", "stop": "enough"}, {"python": "a:b"}, {"extend": True}],
            },
        ]
    ),
    st.sampled_from(
        [
            {"compaction": "none"},
            {"compaction": {"strategy": "hybrid", "keep_last": 1, "threshold": 30}},
            {"compaction": {"python": "a:b", "keep_last": 0, "threshold": 30}},
            {
                "compaction": "none",
                "projection": "squash_failed_calls",
                "timestamp_messages": True,
                "reminders": ["Go."],
            },
            {
                "compaction": {"strategy": "truncate", "keep_last": 1, "threshold": 60},
                "projection": "clean_tool_repair",
                "filter": [
                    {"when": "message.age > 3", "drop": True},
                    {"when": "message.index == 2", "python": "a:b"},
                    {"when": "message.tool == 'look'", "replace": "Seen."},
                ],
                "scratchpad": {"goals": ["find it"], "reorganize_every": 1},
            },
        ]
    ),
)
CALLS = st.tuples(
    st.sampled_from(["look", "write", "go", "ghost"]), st.sampled_from(["{}", "", "[1]", '{"a":', "null"])
)


class World:
    """Answers the orders of a run as the data source decides, and keeps the journal."""

    CHOICES: ClassVar[tuple[str, ...]] = ("answer", "answer", "answer", "answer", "say", "deadline", "abort")

    def __init__(self, plan: Plan, data: st.DataObject) -> None:
        self.plan = plan
        self.data = data
        self.state = initial(plan)
        self.journal: list[tuple[AnyEvent, tuple[AnyOrder, ...]]] = []
        self.calls = 0

    def give(self, event: AnyEvent) -> None:
        before = self.state.copy()
        old = self.state
        self.state, orders = step(self.plan, old, event)
        assert old == before, "a step changed the state that it was given"
        self.journal.append((event, orders))

    def play(self) -> None:
        opening = (UserMessage(text="go"),)
        self.give(RunStarted(at=0.0, run_id="r", session_id="s", opening=opening, spec_name="law", spec_hash="0"))
        self.play_on(1)

    def play_on(self, begin: int) -> None:
        """Go on until the run is over, at most for 60 events."""
        for moment in range(begin, begin + 60):
            if self.state.is_over:
                return
            assert self.state.pending, "the run waits for nothing"
            choice = self.data.draw(st.sampled_from(self.CHOICES))
            match choice:
                case "say":
                    self.give(UserSaid(at=moment, text="more"))
                case "deadline":
                    self.give(DeadlineReached(at=moment, limit="wall_clock"))
                case "abort":
                    self.give(AbortRequested(at=moment, by="signal"))
                case _:
                    self.answer(moment)

    def answer(self, at: float) -> None:
        order = self.data.draw(st.sampled_from(sorted(self.state.pending.values(), key=lambda order: order.id)))
        match order:
            case CallModel():
                self.give(self.model_answer(order, at))
            case CallTool():
                status = self.data.draw(st.sampled_from(["ok", "error", "timeout"]))
                result = ToolResult(name=order.call.name, call_id=order.call.id, status=status, text=status)
                self.give(ToolReturned(at=at, order=order.id, call=order.call, result=result))
            case Consult():
                reply = Reply(text=self.data.draw(st.sampled_from(["", "no", '{"verdict": "done"}'])))
                role = order.consultation.role
                self.give(Consulted(at=at, order=order.id, asker=order.asker, role=role, reply=reply))
            case Ask():
                self.give(Answered(at=at, order=order.id, who=order.who, question=order.question, asker=order.asker))

    def model_answer(self, order: CallModel, at: float) -> AnyEvent:
        if self.data.draw(st.integers(0, 5)) == 0:
            category = self.data.draw(st.sampled_from(["server_error", "auth", "context_overflow"]))
            failure = Failure(category=category, message="no", retryable=category == "server_error")
            return ModelFailed(at=at, order=order.id, failure=failure)
        drawn = self.data.draw(st.lists(CALLS, max_size=4))
        calls = []
        for name, arguments in drawn:
            self.calls += 1
            calls.append(ToolCall(id=f"c{self.calls}", name=name, arguments=arguments))
        text = self.data.draw(st.sampled_from(["", "words"]))
        finish = self.data.draw(st.sampled_from(["stop", "length"]))
        return ModelReplied(at=at, order=order.id, reply=Reply(text=text, calls=tuple(calls), finish=finish))


def assert_paired(state: State) -> None:
    """Every call has exactly one result, straight after the reply that asked for it; in what is shown of them as well.

    What is shown is that of the newest request, whose reply may stand in the transcript already.
    """
    _assert_paired(state, state.transcript)
    _assert_paired(state, state.shown)
    assert not len(state.shown) or any(message.text.endswith("go") for message in state.shown)


def _assert_paired(state: State, transcript: Transcript) -> None:
    messages = list(transcript)
    position = 0
    while position < len(messages):
        message = messages[position]
        position += 1
        assert not isinstance(message, ToolMessage)
        if (
            isinstance(message, AssistantMessage)
            and message.calls
            and (state.is_over or not state.batch or position < len(messages))
        ):
            results = messages[position : position + len(message.calls)]
            assert [getattr(result, "call_id", None) for result in results] == [call.id for call in message.calls]
            position += len(results)


@given(PLANS, st.data())
def test_every_call_has_one_result_and_every_order_one_answer(plan: Plan, data: st.DataObject) -> None:
    world = World(plan, data)

    world.play()

    assert_paired(world.state)
    given_ids = [
        order.id
        for _, orders in world.journal
        for order in orders
        if isinstance(order, CallModel | CallTool | Ask | Consult)
    ]
    answered = [event.order for event, _ in world.journal if hasattr(event, "order")]
    cancelled = [order.order for _, orders in world.journal for order in orders if isinstance(order, Cancel)]
    assert sorted(given_ids) == sorted([*answered, *cancelled, *world.state.pending])
    assert sum(isinstance(order, Finish) for _, orders in world.journal for order in orders) == world.state.is_over


@given(PLANS, st.data())
def test_a_state_is_the_fold_of_its_journal(plan: Plan, data: st.DataObject) -> None:
    world = World(plan, data)

    world.play()

    state = initial(plan)
    for event, orders in world.journal:
        state, made = step(plan, state, event)
        assert made == orders
    assert state == world.state


@given(PLANS, st.data())
def test_no_more_turns_begin_than_the_cap_allows(plan: Plan, data: st.DataObject) -> None:
    world = World(plan, data)

    world.play()

    turns = {order.turn for _, orders in world.journal for order in orders if isinstance(order, CallModel)}
    last_words = 1
    assert len(turns) <= world.state.facts.budget.max + last_words
    tool_calls = sum(isinstance(order, CallTool) for _, orders in world.journal for order in orders)
    assert tool_calls == world.state.facts.session.calls


@given(PLANS, st.data())
def test_an_interrupted_run_goes_on_where_it_was(plan: Plan, data: st.DataObject) -> None:
    world = World(plan, data)
    world.play()
    if not world.state.is_over:
        world.give(AbortRequested(at=90.0, by="signal"))
    finished = [event.call.id for event, _ in world.journal if isinstance(event, ToolReturned)]

    if world.state.outcome is not None and world.state.outcome.status == "interrupted":
        world.give(Resumed(at=91.0))
        assert world.state.is_over or world.state.pending
        repeated = [order.call.id for order in world.journal[-1][1] if isinstance(order, CallTool)]
        assert not set(repeated) & set(finished)
