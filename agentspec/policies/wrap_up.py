"""wrap_up: before a bound ends a run, let it answer from what it knows. Once, and whatever the answer, the end stands.

What last words may use is kept for them by the limits; whether they fit is decided there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from agentspec.core.events import Event
from agentspec.core.facts import Facts
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import End, Proposal
from agentspec.core.rulings import PASS, Grant, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

# The bounds that leave a run able to speak; a provider that fails, or tools that do, have nothing to add.
BOUNDS = frozenset(
    ("max_iterations", "wall_clock", "working_time", "tokens", "cost_usd", "tool_calls", "provider_calls")
)
WORDS = (
    "This is your last turn: a limit of this run is reached, and no tool can be called any more. "
    "Give your final answer now from what you know. Say plainly what is not finished or not certain."
)
FORM = "The final answer is one JSON value, without a code fence and without a word around it."


class WrapUp(Policy[bool], frozen=True):
    """One last turn without tools. Memory: whether it was granted."""

    stage: ClassVar = Stage.CLOSE
    number: ClassVar = 20
    claims: ClassVar = ("execution.wrap_up",)
    hears: ClassVar = (Ruled,)
    reviews: ClassVar = (End,)

    words: str = WORDS

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        written: Any = settings.get("execution.wrap_up")
        if written is False:
            return None
        words = written.get("instructions") if isinstance(written, Mapping) else None
        form = _form_of(settings.get("execution.output"))
        return cls(words="\n\n".join(part for part in (words or WORDS, form) if part))

    def start(self) -> bool:
        return False

    def observe(self, memory: bool, event: Event | Notice, facts: Facts) -> bool:  # noqa: ARG002 - the shape
        return memory or (isinstance(event, Ruled) and event.policy == "wrap_up")

    def review(self, memory: bool, proposal: Proposal, facts: Facts) -> Ruling:
        if memory or not isinstance(proposal, End) or not facts.left.keeps_last_words:
            return PASS
        outcome = proposal.outcome
        return Grant(self.words) if outcome.status == "budget_exhausted" and outcome.reason in BOUNDS else PASS


def _form_of(output: Any) -> str:
    """What the last turn is told of the form that its answer owes; nothing where it may be any text."""
    if output is None or output == "text":
        return ""
    schema = output.get("schema") if isinstance(output, Mapping) else None
    return FORM if not schema else f"{FORM} It has to fit this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}"
