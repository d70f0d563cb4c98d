"""dry_run: answer calls without carrying them out, and say so in the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from agentspec.core.calls.denials import denied
from agentspec.core.calls.layers import PLACE, Layer, layers_of
from agentspec.core.facts import Facts
from agentspec.core.policy import Policy, Stage
from agentspec.core.proposals import Act, Proposal
from agentspec.core.rulings import PASS, Ruling, Supply
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

WORDS = "Dry run: `{name}` was not carried out, and nothing was changed. Go on as if it had succeeded."


class DryRun(Policy[None], frozen=True):
    """The first layer that is about a call answers it."""

    stage: ClassVar = Stage.CONSENT
    number: ClassVar = 40
    claims: ClassVar = (f"{PLACE}.dry_run",)
    reviews: ClassVar = (Act,)

    plans: Mapping[str, ToolPlan]
    layers: tuple[Layer, ...]

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        layers = layers_of(settings, "dry_run")
        return cls(plans=tools, layers=layers) if layers and tools else None

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Act):
            return PASS
        plan = self.plans[proposal.call.name]
        for layer in self.layers:
            acts, problem = layer.acts_on(plan, proposal.arguments, facts)
            if problem:
                return denied("middleware", f"`{layer.place}.when` could not be evaluated: {problem}")
            if acts:
                return Supply(str(layer.says.get("message") or WORDS.format(name=plan.name)))
        return PASS
