"""dry_run: answer calls without carrying them out, and say so in the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from agentspec.core.calls.denials import denied
from agentspec.core.calls.layers import NUMBER, PLACE, Layer, layers_of
from agentspec.core.facts import Facts
from agentspec.core.policy import Policy, Stage
from agentspec.core.proposals import Act, Proposal
from agentspec.core.rulings import PASS, Ruling, Supply
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

WORDS = "Dry run: `{name}` was not carried out, and nothing was changed. Go on as if it had succeeded."


class DryRun(Policy[None], frozen=True):
    """What it is about it answers, and nothing within it hears of the call."""

    stage: ClassVar = Stage.CONSENT
    number: ClassVar = NUMBER
    claims: ClassVar = (f"{PLACE}.dry_run",)
    reviews: ClassVar = (Act,)

    plans: Mapping[str, ToolPlan]
    layer: Layer

    @classmethod
    def configure_all(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> tuple[Self, ...]:
        return tuple(cls(plans=tools, layer=layer) for layer in layers_of(settings, "dry_run")) if tools else ()

    @property
    def nth(self) -> int:
        return self.layer.nth

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Act):
            return PASS
        plan = self.plans[proposal.call.name]
        acts, problem = self.layer.acts_on(plan, proposal.arguments, facts)
        if problem:
            return denied("middleware", f"`{self.layer.place}.when` could not be evaluated: {problem}")
        if not acts:
            return PASS
        return Supply(str(self.layer.says.get("message") or WORDS.format(name=plan.name)), by=self.layer.place)
