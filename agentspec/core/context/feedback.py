"""feedback: choose what the harness tells the model, out of all that policies want told.

What survives stands at the very end of the next request and nowhere else; nothing of it enters the transcript.
"""

from __future__ import annotations

from typing import NamedTuple

from agentspec.core.record import Record
from agentspec.core.rulings import Feedback

STEPS_KEPT = 32  # next steps that are remembered as given


class Given(Record, frozen=True):
    """The next steps that were told while nothing new happened; `knowledge` names what was known then."""

    knowledge: int = 0
    steps: tuple[str, ...] = ()


class Composed(NamedTuple):
    """What is told, what is not and why, and what is remembered of it."""

    kept: tuple[Feedback, ...]
    suppressed: tuple[tuple[Feedback, str], ...]
    given: Given


def compose(told: tuple[Feedback, ...], given: Given = Given(), knowledge: int = 0) -> Composed:  # noqa: B008 - frozen
    """The candidates that survive, in order.

    Empty ones are dropped, and a `next_step` that was given already while nothing new happened; equal contents are
    said once; where one says that the run stops, none says how to go on.

    >>> compose((Feedback("nudge", "Go on."), Feedback("veto", "Go on."), Feedback("note", " "))).kept[0].kind
    'nudge'
    """
    steps = given.steps if given.knowledge == knowledge else ()
    kept: list[Feedback] = []
    suppressed: list[tuple[Feedback, str]] = []
    stops = any(feedback.action == "stop" and feedback.content.strip() for feedback in told)
    for feedback in told:
        why = _why_not(feedback, kept, steps, stops=stops)
        if why is None:
            kept.append(feedback)
        else:
            suppressed.append((feedback, why))
    new = tuple(feedback.next_step for feedback in kept if feedback.next_step)
    return Composed(tuple(kept), tuple(suppressed), Given(knowledge, (*steps, *new)[-STEPS_KEPT:]))


def _why_not(feedback: Feedback, kept: list[Feedback], steps: tuple[str, ...], *, stops: bool) -> str | None:
    if not feedback.content.strip():
        return "empty"
    if feedback.next_step and feedback.next_step in steps:
        return "already given"
    if any(other.content == feedback.content for other in kept):
        return "said already"
    if stops and feedback.action == "continue":
        return "the run stops"
    return None
