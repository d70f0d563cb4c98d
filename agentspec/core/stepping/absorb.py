"""absorb: take a fact into the state, before anybody decides anything."""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from agentspec.core.context.view import View
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
    ToolsChanged,
    Unanswered,
    UserSaid,
)
from agentspec.core.messages import Message, SystemMessage, UserMessage
from agentspec.core.orders import Ask
from agentspec.core.proposals import End
from agentspec.core.stepping.in_progress import Stepping
from agentspec.core.stepping.wants import waits_for_people


def absorb(stepping: Stepping, event: AnyEvent) -> None:
    """What happened is from now on part of the state, and every policy that hears it has observed it."""
    state = stepping.state
    waited = max(0.0, event.at - state.facts.now) if type(event) is Resumed or waits_for_people(state) else 0.0
    state.facts = replace(state.facts, now=event.at, paused=state.facts.paused + waited)
    match event:
        case ToolReturned():
            stepping.settle_order(event.order, event.result)
        case ModelReplied() | ModelFailed() | Answered() | Consulted():
            _answered(stepping, event)
        case RunStarted():
            _begin(stepping, event)
        case Unanswered():
            state.absent = state.absent | {event.order: event.questions}
        case UserSaid():
            state.queue = (*state.queue, event.text)
        case ToolsChanged():
            pass  # whoever calls them knows; the transcript and the tools that it shows stay as they are
        case DeadlineReached():
            _run_out(stepping, event)
        case AbortRequested():
            stepping.cancel_all("interrupted", event.not_started)
            state.abort = event.by
        case Resumed():
            state.outcome = None
            state.abort = None
            state.absent = {}
            if event.message is not None:  # it goes into the next request; one that nobody answered is not repeated
                stepping.cancel_model_calls()
                state.queue = (*state.queue, event.message)
        case _:
            assert_never(event)
    stepping.tell_policies(event)
    stepping.close_batch()


def _answered(stepping: Stepping, event: ModelReplied | ModelFailed | Answered | Consulted) -> None:
    state, order = stepping.state, stepping.answered(event.order)
    match event:
        case ModelReplied():
            state.reply = event.reply
        case ModelFailed() if state.closing is not None:  # no last words, then
            state.ending = End(state.closing, answer=state.facts.text)
        case ModelFailed():
            state.failure = event.failure
        case _ if isinstance(order, Ask) and order.index is not None:
            stepping.wait_for_answer(order.index, None)
        case _:
            pass


def _begin(stepping: Stepping, event: RunStarted) -> None:
    task = next((message.text for message in reversed(event.opening) if isinstance(message, UserMessage)), "")
    stepping.set_facts(run_id=event.run_id, started=event.at, task=task)
    state = stepping.state
    for message in event.opening:
        state.transcript = state.transcript.append(message)
    state.view = View(fixed=_fixed(event.opening))


def _fixed(opening: tuple[Message, ...]) -> frozenset[int]:
    """The system texts that a run begins with, and its task, which is the last word before the model's."""
    leading = next((at for at, one in enumerate(opening) if not isinstance(one, SystemMessage)), len(opening))
    task = [at for at, one in enumerate(opening) if isinstance(one, UserMessage)][-1:]
    return frozenset((*range(leading), *task))


def _run_out(stepping: Stepping, event: DeadlineReached) -> None:
    """What is in flight is called back; a turn that still waited for its reply is given up."""
    state = stepping.state
    stepping.cancel_all(f"stopped: the limit `{event.limit}` was reached", event.not_started)
    if state.closing is not None:
        state.ending = End(state.closing, answer=state.facts.text)
    elif state.is_turn_open and not state.is_settled and not state.batch and state.ending is None:
        stepping.leave_turn()
