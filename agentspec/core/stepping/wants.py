"""wants: the one thing that a run wants next, as a short function of its state. Decides nothing: policies do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from agentspec.core.orders import PERSON, Ask, CallTool, Consult, Outcome, Pending
from agentspec.core.plan import Plan
from agentspec.core.proposals import Act, Admit, Close, End, Proposal, Take, Think
from agentspec.core.state import Slot, State
from agentspec.core.transcript import Transcript, bytes_of, size_of

CONCURRENT_EFFECTS = frozenset(("none", "read"))


def wants(plan: Plan, state: State) -> Proposal | None:
    """The one thing that the run wants next, or None while it waits or when it is over."""
    if state.outcome is not None:
        return None
    if state.abort is not None:
        return End(ABORTS[state.abort], answer=state.facts.text)
    if state.pending:
        if any(map(_blocks, state.pending.values())):
            return None
    elif state.ending is not None:
        return state.ending
    if state.failure is not None:
        return End(_failed(state))
    if state.reply is not None:
        return Take(state.reply, is_last=state.closing is not None)
    if state.admitted < len(state.batch):
        return Admit(call=state.batch[state.admitted].call, index=state.admitted, is_cut=state.was_cut)
    act = _next_act(plan, state) if state.decided < len(state.batch) else None
    if act is not None:
        return act
    if state.pending:
        return _suspended(state) if state.absent and state.pending.keys() <= state.absent.keys() else None
    if state.is_settled:
        return Close(turn=state.facts.iteration)
    return _think(state)


# What a run waits for, by what is asked; where it waits for several, the first of them is the reason.
REASONS = {"approval": "approval", "question": "input", "tool_result": "tool_result"}


def _suspended(state: State) -> End:
    asked = {str(question.get("what")) for question in open_questions(state)}
    return End(Outcome("suspended", next((reason for what, reason in REASONS.items() if what in asked), "approval")))


def open_questions(state: State) -> list[Mapping[str, Any]]:
    """What people were asked and have not answered: about calls, and by tools that wait for them."""
    asked: list[Mapping[str, Any]] = []
    for number, order in state.pending.items():
        if isinstance(order, Ask) and order.who == PERSON:
            asked.append(order.question)
        asked += state.absent.get(number, ())
    return asked


def _blocks(order: Pending) -> bool:
    """Whether nothing else is decided before this order is answered."""
    return type(order) is Consult or (type(order) is Ask and order.index is None)  # records have no subclasses


def waits_for_people(state: State) -> bool:
    """Whether nothing goes on but the thinking of people: that time is nobody's work."""
    return bool(state.pending) and all(map(_is_asked, state.pending.values()))


def _is_asked(order: Pending) -> bool:
    if type(order) is Ask:
        return order.who == PERSON
    return type(order) is CallTool and order.effect == "terminal"  # a tool that asks them


def _think(state: State) -> Think:
    turn = state.facts.iteration
    attempt = state.attempts + 1 if state.is_turn_open else 1
    turn = turn if state.is_turn_open else turn + 1
    beside = _beside(state)
    shown = state.shown
    size = _size_after(shown, state.transcript) + beside
    think = Think(
        turn=turn,
        attempt=attempt,
        size=size,
        beside=beside,
        transcript=state.transcript,
        view=state.view,
        shown=shown,
    )
    if state.closing is not None:  # the tools stay in the request, whose beginning is then the same as before
        return replace(think, tool_choice="none", is_last=True)
    return think


def _size_after(shown: Transcript, recorded: Transcript) -> int:
    """The bytes of what is shown, and of what was recorded since."""
    if recorded.is_extension_of(shown):
        return recorded.size
    return shown.size + sum(map(size_of, recorded.since(shown.position)))


def _beside(state: State) -> int:
    """The bytes of what the harness says at the end of the next request."""
    if state.is_turn_open:
        return bytes_of(state.harness or "")
    size = 0
    for feedback in state.told:
        size += bytes_of(feedback.content)
    return size


ABORTS: dict[str, Outcome] = {
    "signal": Outcome("interrupted", "signal"),
    "user": Outcome("cancelled", "user"),
    "parent": Outcome("cancelled", "parent"),
}


def _failed(state: State) -> Outcome:
    failure = state.failure
    assert failure is not None
    if failure.category == "context_overflow":
        return Outcome("error", "context_overflow", failure=failure)
    return Outcome("provider_error", failure.category, failure=failure)


def running(state: State) -> list[CallTool]:
    """The calls of the batch that are in flight."""
    return [order for order in state.pending.values() if isinstance(order, CallTool)]


def _next_act(plan: Plan, state: State) -> Act | None:
    """The next call that may start: observations together, everything else alone and in emitted order.

    Those that are put off start nothing, so they need not wait for the ones that run.
    """
    for index in state.facts.deferred:
        if state.batch[index].is_open:
            return act_of(state.batch[index], index)
    act = act_of(state.batch[state.decided], state.decided)
    in_flight = running(state)
    if in_flight and (
        len(in_flight) >= plan.max_concurrent_tools
        or not _is_concurrent(plan, act.call.name)
        or not all(_is_concurrent(plan, order.call.name) for order in in_flight)
    ):
        return None
    return act


def act_of(slot: Slot, index: int) -> Act:
    """The proposal to run a call that was admitted."""
    assert slot.arguments is not None
    return Act(call=slot.call, index=index, arguments=slot.arguments, repaired=slot.repaired)


def _is_concurrent(plan: Plan, name: str) -> bool:
    tool = plan.tools[name]
    return tool.is_concurrent or tool.effect in CONCURRENT_EFFECTS
