"""paused: a provider that stops in the middle of its own work goes on in the next turn; what it did is kept.

It is no answer and no fault, so nothing is said to the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from agentspec.core.facts import Facts
from agentspec.core.policy import Policy, Stage
from agentspec.core.proposals import Proposal, Take
from agentspec.core.rulings import PASS, Refuse, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings


class Paused(Policy[None], frozen=True):
    """Keeps a reply that is paused, and lets the run go on."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 5
    reviews: ClassVar = (Take,)

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:  # noqa: ARG003 - the shape
        return cls()

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Take) or proposal.is_last or proposal.reply.finish != "pause":
            return PASS
        is_at_work = bool(proposal.reply.provider_calls)
        return Refuse("the provider has paused its own work", reply="keep") if is_at_work else PASS
