"""iteration_budget: stop a run when it has had its turns. A fixed cap; attempts within a turn do not count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from agentspec.core.events import Event
from agentspec.core.facts import BudgetFacts, Facts
from agentspec.core.orders import Outcome
from agentspec.core.policy import Notice, Policy, Stage, TurnStarted
from agentspec.core.proposals import Proposal, Think
from agentspec.core.rulings import PASS, Ruling, Stop
from agentspec.core.tools import ToolPlan
from agentspec.spec.defaults import ADAPTIVE_ITERATIONS, DEFAULT_ITERATIONS
from agentspec.spec.settings import Settings


class IterationBudget(Policy[int], frozen=True):
    """How many turns a run may take. Memory: the turns it has begun."""

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 20
    claims: ClassVar = (
        "execution.max_iterations",
        "execution.profile",
        "execution.iteration_budget.mode",
        "execution.iteration_budget.max",
    )
    hears: ClassVar = (TurnStarted,)
    reviews: ClassVar = (Think,)
    publishes: ClassVar = "budget"

    limit: int
    place: str

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:  # noqa: ARG003 - the shape
        budget: Any = settings.get("execution.iteration_budget")
        if isinstance(budget, Mapping) and "max" in budget:
            return cls(limit=budget["max"], place="execution.iteration_budget.max")
        if budget == "adaptive" or (isinstance(budget, Mapping) and budget.get("mode") == "adaptive"):
            return cls(limit=ADAPTIVE_ITERATIONS, place="execution.iteration_budget")
        limit = settings.whole("execution.max_iterations")
        return cls(limit=limit or DEFAULT_ITERATIONS, place="execution.max_iterations")

    def start(self) -> int:
        return 0

    def observe(self, memory: int, event: Event | Notice, facts: Facts) -> int:  # noqa: ARG002 - the shape
        return event.turn if isinstance(event, TurnStarted) else memory

    def review(self, memory: int, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if isinstance(proposal, Think) and proposal.turn > self.limit and not proposal.is_last:
            detail = f"{self.limit} turns"
            return Stop(Outcome("budget_exhausted", "max_iterations", place=self.place, detail=detail))
        return PASS

    def publish(self, memory: int) -> BudgetFacts:
        return BudgetFacts(current_limit=self.limit, max=self.limit, remaining=max(0, self.limit - memory))
