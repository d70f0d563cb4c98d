"""wants: the one thing that a run wants next, as a short function of its state. Decides nothing: policies do."""

from __future__ import annotations

from agentspec.core.orders import Ask, Outcome
from agentspec.core.plan import Plan
from agentspec.core.proposals import Act, End, Proposal, Take, Think
from agentspec.core.state import Slot, State

CONCURRENT_EFFECTS = frozenset(("none", "read"))


def wants(plan: Plan, state: State) -> Proposal | None:
    """The one thing that the run wants next, or None while it waits or when it is over."""
    if state.outcome is not None:
        return None
    if state.abort is not None:
        return End(ABORTS[state.abort])
    if any(isinstance(order, Ask) for order in state.pending.values()):
        return None
    if state.failure is not None:
        return End(_failed(state))
    if state.reply is not None:
        return Take(state.reply)
    act = _next_act(plan, state)
    if act is not None:
        return act
    if state.pending:
        return None
    if state.ending is not None:
        return End(state.ending)
    if state.is_turn_open:
        return Think(turn=state.facts.iteration, attempt=state.attempts + 1)
    return Think(turn=state.facts.iteration + 1)


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


def _next_act(plan: Plan, state: State) -> Act | None:
    """The next call that may start: observations together, everything else alone and in emitted order."""
    running = [slot for slot in state.batch if slot.order is not None and slot.result is None]
    for index, slot in enumerate(state.batch):
        if slot.order is not None or slot.result is not None:
            continue
        if not running:
            return Act(call=slot.call, index=index, is_cut=state.was_cut)
        if len(running) >= plan.max_concurrent_tools or not _is_concurrent(plan, slot):
            return None
        if all(_is_concurrent(plan, other) for other in running):
            return Act(call=slot.call, index=index, is_cut=state.was_cut)
        return None
    return None


def _is_concurrent(plan: Plan, slot: Slot) -> bool:
    tool = plan.tools.get(slot.call.name)
    return tool is None or tool.is_concurrent or tool.effect in CONCURRENT_EFFECTS
