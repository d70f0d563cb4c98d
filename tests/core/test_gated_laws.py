"""The laws of runs with every gate on: whatever judges, commands, files and functions answer, these hold."""

import json
from typing import Any, ClassVar

from hypothesis import event as seen
from hypothesis import given
from hypothesis import strategies as st

from agentspec.core.events import Answered, AnyEvent, Consulted, ModelReplied
from agentspec.core.messages import Failure, Reply, ToolCall
from agentspec.core.orders import Ask, CallModel, CallTool, Cancel, Consult, Finish
from agentspec.core.plan import Plan
from agentspec.core.step import initial, step
from agentspec.testing.kernel import plan_for
from tests.core.test_laws import TOOLS, World, assert_paired

GATES: dict[str, Any] = {
    "require_successful_tools": ["look"],
    "stop_after_successful_tools": ["go"],
    "require_artifacts": ["a.txt"],
    "verify_completion": [{"when": "answer == 'no'", "veto": "No."}, {"command": ["test"]}, {"python": "a.b:c"}],
    "verify_completion_judge": True,
    "turn_end_condition": {"cadence": {"every": 2}, "on_error": "unverified"},
    "step_judge": {"on_veto": "retain"},
    "input_guardrail": {"judge": True},
    "post_turn": [{"when": "turn.tool_call_count > 2", "stop": "enough"}, {"python": "a.b:turn"}],
    "terminal": [{"when": "iteration < 2", "message": "Go on."}],
    "output": {"schema": {"type": "object"}},
}
PLANS = st.builds(
    lambda names, loops, iterations, choice: plan_for(
        {
            "model": {"tool_choice": choice},
            "execution": {name: GATES[name] for name in names}
            | {"loop_until_done": loops, "max_iterations": iterations, "max_nudges": 2, "stall": False},
        },
        *TOOLS.values(),
    ),
    st.sets(st.sampled_from(sorted(GATES))).map(sorted),
    st.booleans(),
    st.integers(1, 6),
    st.sampled_from([None, "required", {"tool": "look"}]),
)
FAILURES = (
    Failure(category="timeout", message="late"),
    Failure(category="server_error", message="broken", retryable=True, http_status=500),
    Failure(category="rate_limited", message="busy", retryable=True, retry_after=500.0),
    Failure(category="invalid_request", message="`response_format` is unknown", http_status=400),
)
VERDICTS = (
    json.dumps({"verdict": "done", "detail": "", "gaps": []}),
    json.dumps({"verdict": "continue", "detail": "More.", "gaps": ["x"]}),
    json.dumps({"verdict": "pass", "detail": ""}),
    json.dumps({"verdict": "revise", "detail": "No."}),
    json.dumps({"tripwire": False, "reason": "", "confidence": 1}),
    "prose",
    "",
)
ANSWERS = (
    {"status": "ok"},
    {"status": "failed", "text": "no", "exit_code": 1},
    {"status": "not_started", "text": "none"},
    {"a.txt": "present"},
    {"a.txt": "missing"},
    {"value": None},
    {"value": {"veto": "No.", "message": "Go on."}},
    {"value": {"message": "Go on."}},
    {"error": "it failed"},
    None,
)


class GatedWorld(World):
    """Answers judges and everybody else who is asked as the data source decides."""

    CHOICES: ClassVar[tuple[str, ...]] = (*("answer",) * 30, "say", "deadline", "abort")

    def model_answer(self, order: CallModel, at: float) -> AnyEvent:
        names = self.data.draw(st.lists(st.sampled_from(["look", "go"]), max_size=2))
        if not names and self.data.draw(st.integers(0, 9)) == 0:
            return super().model_answer(order, at)
        calls = tuple(ToolCall(id=f"t{order.id}_{n}", name=name, arguments="{}") for n, name in enumerate(names))
        text = self.data.draw(st.sampled_from(["done", "words"]))
        return ModelReplied(at=at, order=order.id, reply=Reply(text=text, calls=calls))

    def answer(self, at: float) -> None:
        order = self.data.draw(st.sampled_from(sorted(self.state.pending.values(), key=lambda order: order.id)))
        match order:
            case Consult(id=number, asker=asker):
                text = self.data.draw(st.sampled_from(VERDICTS))
                failure = self.data.draw(st.sampled_from((None,) * 16 + FAILURES))
                reply = None if failure is not None else Reply(text=text)
                self.give(Consulted(at=at, order=number, asker=asker, role="judge", reply=reply, failure=failure))
            case Ask(id=number, who=who) if who != "clock":
                answer = self.data.draw(st.sampled_from(ANSWERS))
                question, asker = order.question, order.asker
                self.give(Answered(at=at, order=number, who=who, question=question, asker=asker, answer=answer))
            case _:
                super().answer(at)


@given(PLANS, st.data())
def test_a_gated_run_keeps_the_laws_and_folds_to_the_same_state(plan: Plan, data: st.DataObject) -> None:
    world = GatedWorld(plan, data)

    world.play()

    assert_paired(world.state)
    waiting = CallModel | CallTool | Ask | Consult
    ordered = [order.id for _, orders in world.journal for order in orders if isinstance(order, waiting)]
    answered = [event.order for event, _ in world.journal if hasattr(event, "order")]
    cancelled = [order.order for _, orders in world.journal for order in orders if isinstance(order, Cancel)]
    assert sorted(ordered) == sorted([*answered, *cancelled, *world.state.pending])
    assert sum(isinstance(order, Finish) for _, orders in world.journal for order in orders) == world.state.is_over
    state = initial(plan)
    for event, orders in world.journal:
        state, made = step(plan, state, event)
        assert made == orders
    assert state == world.state


@given(PLANS, st.data())
def test_a_run_that_is_done_was_let_through_by_every_gate(plan: Plan, data: st.DataObject) -> None:
    world = GatedWorld(plan, data)

    world.play()

    outcome, facts = world.state.outcome, world.state.facts
    seen(f"{outcome.status}/{outcome.reason}" if outcome else "open")
    if outcome is None or outcome.status != "done":
        return
    gates = set(plan.names)
    assert facts.session.required_tools_satisfied
    assert "require_artifacts" not in gates or (facts.artifacts is not None and not facts.artifacts.missing)
    said = [event for event, _ in world.journal if isinstance(event, Consulted)]
    judged = [event for event in said if event.asker == "verify_completion_judge"]
    if "verify_completion_judge" in gates:
        assert judged
        assert judged[-1].reply is not None
        assert json.loads(judged[-1].reply.text)["verdict"] == "done"
