"""consent_layer: a person agrees to each call of the tools that a layer `consent` is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from agentspec.core.calls import consent
from agentspec.core.calls.consent import Consents
from agentspec.core.calls.denials import denied
from agentspec.core.calls.layers import NUMBER, PLACE, Layer, layers_of
from agentspec.core.events import Answered, Event
from agentspec.core.facts import Facts
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnSettled
from agentspec.core.proposals import Act, Proposal
from agentspec.core.rulings import PASS, Hold, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

AUTO = ("read", "search", "fetch", "think")


class ConsentLayer(Policy[Consents], frozen=True):
    """Kinds of work in `auto` need nobody's consent."""

    stage: ClassVar = Stage.CONSENT
    number: ClassVar = NUMBER
    claims: ClassVar = (f"{PLACE}.consent",)
    hears: ClassVar = (Ruled, Answered, TurnSettled)
    reviews: ClassVar = (Act,)
    announces: ClassVar = True

    plans: Mapping[str, ToolPlan]
    layer: Layer
    expires: float | None

    @classmethod
    def configure_all(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> tuple[Self, ...]:
        expires = settings.seconds(consent.EXPIRES)
        layers = layers_of(settings, "consent") if tools else ()
        return tuple(cls(plans=tools, layer=layer, expires=expires) for layer in layers)

    @property
    def nth(self) -> int:
        return self.layer.nth

    def start(self) -> Consents:
        return Consents()

    def observe(self, memory: Consents, event: Event | Notice, facts: Facts) -> Consents:  # noqa: ARG002 - the shape
        match event:  # another layer of this kind asks for itself
            case Ruled(ruling=Hold(question={"rule": rule})) | Answered(question={"rule": rule}) if (
                rule != self.layer.place
            ):
                return memory
            case _:
                return consent.observe(memory, event, "consent_layer")

    def review(self, memory: Consents, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Act):
            return PASS
        plan = self.plans[proposal.call.name]
        if plan.does in self.layer.says.get("auto", AUTO):
            return PASS
        acts, problem = self.layer.acts_on(plan, proposal.arguments, facts)
        if problem:
            return denied("middleware", f"`{self.layer.place}.when` could not be evaluated: {problem}")
        if not acts:
            return PASS
        reason = str(self.layer.says.get("prompt") or "")
        until = consent.until(self.expires, facts.now)
        hold = consent.question(proposal, rule=self.layer.place, reason=reason, effect=plan.effect, until=until)
        return consent.rule_on(memory, proposal, hold)

    def notes(self, before: Consents, after: Consents) -> tuple[Note, ...]:
        return consent.notes(before, after)
