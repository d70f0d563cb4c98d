"""carry_out: what follows when no policy objects to a proposal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from agentspec.core.context.feedback import compose
from agentspec.core.context.view import told
from agentspec.core.facts import CompletionFacts, TurnFacts
from agentspec.core.messages import AssistantMessage, Reply
from agentspec.core.models.replies import was_cut
from agentspec.core.orders import CallModel, CallTool, Finish, Outcome
from agentspec.core.policy import TurnAnswered, TurnStarted
from agentspec.core.proposals import Act, Admit, Close, End, Proposal, Take, Think
from agentspec.core.rulings import Refuse
from agentspec.core.stepping.in_progress import Stepping
from agentspec.core.transcript import bytes_of
from agentspec.errors import InternalError

LAST_TRIES = 2  # model calls for last words: some models say nothing, or call a tool though none may be called
# What is told of a call that was meant and not made: the turn after it belongs to that call.
REPAIRS = ("lost_call", "missing_call", "fenced_call", "native_fallback")


def carry_out(stepping: Stepping, proposal: Proposal) -> None:
    FOLLOWS[type(proposal)](stepping, proposal)


def keep(stepping: Stepping, reply: Reply, why: str) -> None:
    """A reply that is no answer stays in the transcript; its calls are answered as not run, and the turn is over."""
    state = stepping.state
    _adopt(stepping, reply)
    for index in range(len(state.batch)):
        stepping.refuse_call(index, Refuse(f"not run: {why}", status="skipped"))
    if state.batch:
        stepping.close_batch()
    else:
        stepping.settle_turn([])


def finish(stepping: Stepping, outcome: Outcome) -> None:
    """End: what is in flight is cancelled, open calls are answered as not run.

    A run that is suspended only waits: its questions and its open calls stay as they are.
    """
    if outcome.status != "suspended":
        stepping.cancel_all(f"not run: the run ended ({outcome.reason})")
        stepping.close_batch()
    stepping.state.outcome = outcome
    stepping.orders.append(Finish(outcome=outcome))


def _think(stepping: Stepping, think: Think) -> None:
    state = stepping.state
    if not state.is_turn_open:
        _start_turn(stepping, think.turn)
    state.attempts += 1
    reshaped = _show(stepping, think)
    harness = state.harness
    if think.recited:
        harness = "\n\n".join(text for text in (*think.recited, harness) if text) or None
    size = state.shown.size + bytes_of(f"{harness or ''}{think.begun}")
    stepping.set_facts(request_bytes=size, shown=state.shown)
    order = CallModel(
        id=stepping.number(),
        turn=think.turn,
        attempt=state.attempts,
        length=len(state.transcript),
        harness=harness,
        tools=think.tools,
        max_output_tokens=think.max_output_tokens,
        tool_choice=think.tool_choice,
        format=think.format,
        is_constrained=think.is_constrained,
        options=think.options,
        allowed=think.allowed,
        reshaped=reshaped,
        route=think.route,
        is_mirrored=think.is_mirrored,
        begun=think.begun,
    )
    state.pending[order.id] = order
    stepping.orders.append(order)


def _show(stepping: Stepping, think: Think) -> tuple[str, ...]:
    """From now on the model is shown the transcript so far in this view. Gives who changed what it was shown before."""
    state = stepping.state
    if think.view is not state.view:
        for fields in told(think.view, state.view, state.shown.position):
            stepping.note("projected", turn=think.turn, **fields)
    state.transcript = think.transcript
    stepping.show(think.transcript, think.view)
    reshaped, state.reshaped = state.reshaped, ()
    return reshaped


def _start_turn(stepping: Stepping, turn: int) -> None:
    state = stepping.state
    state.is_turn_open = True
    state.attempts = 0
    stepping.set_facts(iteration=turn, completion=CompletionFacts(), text="", results=())
    stepping.note("turn_started", turn=turn)
    state.harness = _compose(stepping)
    stepping.tell_policies(TurnStarted(turn=turn))


def _compose(stepping: Stepping) -> str | None:
    """What the harness says in the turn that begins, out of the candidates so far."""
    state = stepping.state
    told, state.told = state.told, ()
    if not told:
        return None
    # A call that brought what it had brought before is nothing new.
    knowledge = state.facts.session.calls - state.facts.stall.repeated_tool_calls
    composed = compose(told, state.given, knowledge)
    state.given = composed.given
    stepping.note(
        "feedback_composed",
        kinds=[feedback.kind for feedback in composed.kept],
        sources=[feedback.source for feedback in composed.kept],
        suppressed=[{"kind": feedback.kind, "why": why} for feedback, why in composed.suppressed],
        turn_claimed_for_repair=any(feedback.kind in REPAIRS for feedback in composed.kept),
    )
    return "\n\n".join(feedback.content for feedback in composed.kept) or None


def _take(stepping: Stepping, take: Take) -> None:
    state, reply = stepping.state, take.reply
    if state.closing is not None:
        _take_last_words(stepping, reply, state.closing)
        return
    _adopt(stepping, reply)
    if reply.calls:
        return
    outcome = Outcome("done", "natural" if stepping.plan.loop_until_done else "completed")
    state.ending = End(outcome, answer=reply.text, is_gated=True)
    stepping.set_facts(completion=CompletionFacts(proposed=True))
    stepping.tell_policies(TurnAnswered(turn=state.facts.iteration))


def _take_last_words(stepping: Stepping, reply: Reply, outcome: Outcome) -> None:
    """No call of the last turn is run, and none enters the transcript; without a word of answer it is asked again."""
    state = stepping.state
    if not reply.text.strip() and state.attempts < LAST_TRIES:
        state.reply = None
        return
    _adopt(stepping, replace(reply, calls=()))
    outcome = replace(outcome, wrapped_up=bool(reply.text.strip()))
    state.ending = End(outcome, answer=reply.text)


def _adopt(stepping: Stepping, reply: Reply) -> None:
    """The reply is part of the transcript, and its calls are to be decided."""
    state = stepping.state
    state.reply = None
    state.was_cut = was_cut(reply)
    if reply.text or reply.calls or reply.raw or reply.provider_calls:
        message = AssistantMessage(
            text=reply.text,
            raw=reply.raw,
            calls=reply.calls,
            reasoning=reply.reasoning,
            extra=reply.extra,
            origin=reply.origin,
        )
        state.transcript = state.transcript.append(message)
    turn = TurnFacts(text_chars=len(reply.text), native_fallback_used=reply.is_from_text)
    stepping.set_facts(turn=turn, text=reply.text)
    stepping.take_calls(reply.calls)


def _admit(stepping: Stepping, admit: Admit) -> None:
    if admit.call.name not in stepping.plan.tools or admit.arguments is None:
        raise InternalError(f"a call of `{admit.call.name}` passed without its tool or arguments being looked at")
    stepping.admit(admit)


def _act(stepping: Stepping, act: Act) -> None:
    state = stepping.state
    tool = stepping.plan.tools[act.call.name]
    order = CallTool(
        id=stepping.number(),
        turn=state.facts.iteration,
        index=act.index,
        call=act.call,
        arguments=act.arguments,
        effect=tool.effect,
        repeat=tool.repeat,
        repaired=act.repaired,
    )
    state.pending[order.id] = order
    stepping.set_slot(act.index, replace(state.batch[act.index], order=order.id))
    stepping.set_facts(session=replace(state.facts.session, calls=state.facts.session.calls + 1))
    stepping.orders.append(order)


def _close(stepping: Stepping, _: Close) -> None:
    stepping.close_turn()


def _end(stepping: Stepping, end: End) -> None:
    finish(stepping, end.outcome)


FOLLOWS: dict[type[Proposal], Callable[[Stepping, Any], None]] = {
    Think: _think,
    Take: _take,
    Admit: _admit,
    Act: _act,
    Close: _close,
    End: _end,
}
