"""vetoes: what every gate of completion shares: how a veto is worded and counted, and when there were too many.

A gate never accepts on behalf of another: who has nothing against an end passes it on.
"""

from __future__ import annotations

from typing import Any

from agentspec.core.facts import Facts
from agentspec.core.orders import Outcome
from agentspec.core.rulings import Feedback, Refuse, Ruling, Stop
from agentspec.spec.prompts import built_in

MOST_VETOES = 20  # of all gates together, in one run
UNASKED = ("interrupted", "cancelled", "suspended")  # ends before which nobody is asked any more


def veto(
    facts: Facts,
    words: str,
    *,
    source: str,
    verdict: str = "",
    category: str = "",
    place: str | None = None,
    escalates: bool = False,
) -> Ruling:
    """Send the run back to work with these words; when it was sent back too often, end it unverified.

    `place` is the rule of the spec that speaks, else all of `execution.SOURCE` does.

    The words have no `next_step`: they are said as often as a veto is given, since a request that ends with the
    model's own answer and nothing after it would only bring that answer again.

    >>> veto(Facts(), "Run the tests.", source="verify_completion").reason
    'Run the tests.'
    >>> veto(Facts(vetoes=20), "Again.", source="verify_completion").outcome.reason
    'verify_attempts_exhausted'
    """
    said = words.strip() or built_in("gate.veto")
    if facts.vetoes >= MOST_VETOES:
        detail = f"{facts.vetoes} vetoes; the next one would say: {said}"
        return unverified("verify_attempts_exhausted", detail, place or f"execution.{source}")
    return Refuse(
        said, verdict=verdict, category=category, escalates=escalates, tell=Feedback("veto", said, source=source)
    )


def decision_of(judge: str, refusal: Refuse, facts: Facts) -> dict[str, Any]:
    """What the event stream hears of a veto that no model gave (`judge_decision`)."""
    return {"judge": judge, "turn": facts.iteration, "verdict": "continue", "detail": refusal.reason}


def unverified(reason: str, detail: str, place: str | None = None) -> Stop:
    """End the run with an answer that nobody has confirmed; `place` is the bound or rule of the spec that says so."""
    return Stop(Outcome("completion_unverified", reason, place=place, detail=detail))
