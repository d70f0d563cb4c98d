"""wrap_up: before a bound ends a run, let it answer from what it knows. Once, and whatever the answer, the end stands.

What last words may use is kept for them by the limits; whether they fit is decided there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from agentspec.core.events import Event
from agentspec.core.facts import Facts
from agentspec.core.formats.contract import form_of
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import End, Proposal
from agentspec.core.rulings import PASS, Grant, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import wording
from agentspec.spec.settings import Settings

# The bounds that leave a run able to speak; a provider that fails, or tools that do, have nothing to add.
BOUNDS = frozenset(
    ("max_iterations", "wall_clock", "working_time", "tokens", "cost_usd", "tool_calls", "provider_calls")
)


class WrapUp(Policy[bool], frozen=True):
    """One last turn without tools. Memory: whether it was granted."""

    stage: ClassVar = Stage.CLOSE
    number: ClassVar = 20
    claims: ClassVar = ("execution.wrap_up",)
    hears: ClassVar = (Ruled,)
    reviews: ClassVar = (End,)

    words: str

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        written: Any = settings.get("execution.wrap_up")
        if written is False:
            return None
        words = written.get("instructions") if isinstance(written, Mapping) else None
        form = form_of(settings)
        return cls(words="\n\n".join(part for part in (words or wording(settings, "budget.wrap_up"), form) if part))

    def start(self) -> bool:
        return False

    def observe(self, memory: bool, event: Event | Notice, facts: Facts) -> bool:  # noqa: ARG002 - the shape
        return memory or (isinstance(event, Ruled) and event.policy == "wrap_up")

    def review(self, memory: bool, proposal: Proposal, facts: Facts) -> Ruling:
        if memory or not isinstance(proposal, End) or not facts.left.keeps_last_words:
            return PASS
        outcome = proposal.outcome
        return Grant(self.words) if outcome.status == "budget_exhausted" and outcome.reason in BOUNDS else PASS
