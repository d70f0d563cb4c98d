"""resume: fold a journal again, and find out what was in flight when it ended.

Nothing here acts: finished calls come from the journal and are never made again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from agentspec.core.events import Event, ToolReturned
from agentspec.core.messages import ToolError, ToolResult
from agentspec.core.orders import AnyOrder, Ask, CallModel, CallTool, Consult, Finish, Note, Pending
from agentspec.core.plan import Plan
from agentspec.core.state import State
from agentspec.core.step import initial, step
from agentspec.errors import JournalError, ReplayDiverged
from agentspec.ports import JournalRecord
from agentspec.runtime.journal import decode, steps
from agentspec.runtime.stream import Stream
from agentspec.runtime.tally import Tally

FAILED = "the run stopped while this call was in flight; it is taken as failed"
UNKNOWN = (
    "the run stopped while this call was in flight: it may have acted or not. "
    "Look at the state before you decide to make it again."
)


def fold(plan: Plan, records: list[JournalRecord], tally: Tally | None = None, stream: Stream | None = None) -> State:
    """The state that a journal's records lead to. Raises `JournalError` where they can't be folded.

    What was decided then must be decided now, or the state would not be the run's: another version may decide
    otherwise, and words may differ, but not calls and their numbers.
    """
    state = initial(plan)
    made: list[AnyOrder] = []
    for record in records:
        body = decode(record)
        if tally is not None:
            tally.take(body)
        if stream is not None:
            stream.publish(body, record.at)
        if isinstance(body, Event):
            _require_nothing_left(made, record)
            state, orders = step(plan, state, body)
            made = [order for order in orders if not isinstance(order, Note)]
        elif not isinstance(body, Note) and (not made or _decision(body) != _decision(made.pop(0))):
            raise _decided_otherwise(record)
    if not records:
        raise JournalError("the journal is empty: the run never started")
    return state


def decisions(orders: Iterable[AnyOrder]) -> tuple[tuple[Any, ...], ...]:
    """What orders ask for, without their words: calls and their numbers, who is asked, how the run ends."""
    return tuple(_decision(order) for order in orders if not isinstance(order, Note))


def _decision(order: AnyOrder) -> tuple[Any, ...]:
    match order:
        case CallTool():
            return CallTool, order.id, order.call, order.arguments
        case CallModel():
            return CallModel, order.id, order.turn, order.attempt, order.length
        case Ask():
            return Ask, order.id, order.who
        case Consult():
            return Consult, order.id, order.asker
        case Finish():
            return Finish, order.outcome.status, order.outcome.reason
        case _:
            return (order,)


def _require_nothing_left(made: list[AnyOrder], record: JournalRecord) -> None:
    if made:
        raise _decided_otherwise(record)


def _decided_otherwise(record: JournalRecord) -> JournalError:
    return JournalError(
        f"record {record.seq} of the journal (`{record.kind}`) is not what this version decides there: "
        "use the version that wrote it; `agentspec replay` shows the difference"
    )


def compare(plan: Plan, records: list[JournalRecord], view: Callable[[tuple[AnyOrder, ...]], object] = tuple) -> int:
    """Fold a journal again and compare its orders with those that are made now; the number of steps compared.

    `view` is what of the orders is compared: all of them, or their `decisions` where another version wrote them.
    Raises `ReplayDiverged` with both sides at the first difference.
    """
    state = initial(plan)
    count = 0
    for event, journaled in steps(records):
        count += 1
        state, made = step(plan, state, event)
        if view(made) != view(journaled):
            raise ReplayDiverged(f"step {count} ({type(event).__name__}): the journal holds {journaled}, now {made}")
    return count


def in_flight(state: State, *, rerun: bool = False) -> tuple[list[Pending], list[CallTool]]:
    """The orders without an answer: those that may be given again, and the calls that must not.

    A call may be repeated where it only reads or is declared idempotent; with `rerun` somebody has said that any may.
    """
    again: list[Pending] = []
    lost: list[CallTool] = []
    for order in state.pending.values():
        if isinstance(order, CallTool) and order.repeat == "once" and not rerun:
            lost.append(order)
        else:
            again.append(order)
    return again, lost


def settle(order: CallTool, at: float, *, assume_failed: bool = False) -> ToolReturned:
    """The event that answers a lost call without making it again."""
    text = FAILED if assume_failed else UNKNOWN
    result = ToolResult(
        name=order.call.name,
        call_id=order.call.id,
        status="error" if assume_failed else "unknown_outcome",
        text=f"ERROR: {text}",
        arguments=order.arguments,
        error=ToolError(category="assumed_failed" if assume_failed else "unknown_outcome", message=text),
        effect=order.effect,
    )
    return ToolReturned(at=at, order=order.id, call=order.call, result=result)
