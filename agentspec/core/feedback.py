"""feedback: choose what the harness tells the model, out of all that policies want told."""

from __future__ import annotations

from agentspec.core.rulings import Feedback


def compose(told: tuple[Feedback, ...]) -> list[Feedback]:
    """The candidates that survive, in order: empty ones are dropped, equal contents are said once.

    >>> compose((Feedback("nudge", "Go on."), Feedback("veto", "Go on."), Feedback("note", " ")))[0].kind
    'nudge'
    """
    kept: dict[str, Feedback] = {}
    for feedback in told:
        if feedback.content.strip():
            kept.setdefault(feedback.content, feedback)
    return list(kept.values())
