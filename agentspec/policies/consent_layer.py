"""consent_layer: a person agrees to each call of the tools that a layer `consent` is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from agentspec.core.calls import consent
from agentspec.core.calls.consent import Consents
from agentspec.core.calls.denials import denied
from agentspec.core.calls.layers import PLACE, Layer, layers_of
from agentspec.core.events import Answered, Event
from agentspec.core.facts import Facts
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnSettled
from agentspec.core.proposals import Act, Proposal
from agentspec.core.rulings import PASS, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

AUTO = ("read", "search", "fetch", "think")


class ConsentLayer(Policy[Consents], frozen=True):
    """Kinds of work in `auto` need nobody's consent."""

    stage: ClassVar = Stage.CONSENT
    number: ClassVar = 70
    claims: ClassVar = (f"{PLACE}.consent",)
    hears: ClassVar = (Ruled, Answered, TurnSettled)
    reviews: ClassVar = (Act,)
    announces: ClassVar = True

    plans: Mapping[str, ToolPlan]
    layers: tuple[Layer, ...]

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        layers = layers_of(settings, "consent")
        return cls(plans=tools, layers=layers) if layers and tools else None

    def start(self) -> Consents:
        return Consents()

    def observe(self, memory: Consents, event: Event | Notice, facts: Facts) -> Consents:  # noqa: ARG002 - the shape
        return consent.observe(memory, event, "consent_layer")

    def review(self, memory: Consents, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Act):
            return PASS
        plan = self.plans[proposal.call.name]
        for layer in self.layers:
            if plan.does in layer.says.get("auto", AUTO):
                continue
            acts, problem = layer.acts_on(plan, proposal.arguments, facts)
            if problem:
                return denied("middleware", f"`{layer.place}.when` could not be evaluated: {problem}")
            if acts:
                reason = str(layer.says.get("prompt") or "")
                hold = consent.question(proposal, rule=layer.place, reason=reason, effect=plan.effect)
                return consent.rule_on(memory, proposal, hold)
        return PASS

    def notes(self, before: Consents, after: Consents) -> tuple[Note, ...]:
        return consent.notes(before, after)
