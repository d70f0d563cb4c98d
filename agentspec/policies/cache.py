"""cache: answers of tools that only read are given again for a while, as long as nothing was changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from agentspec.core.calls.canonical import call_key
from agentspec.core.calls.denials import denied
from agentspec.core.calls.kept_answers import ENTRIES, TTL, Kept
from agentspec.core.calls.layers import NUMBER, PLACE, Layer, layers_of
from agentspec.core.events import Event, ToolReturned
from agentspec.core.facts import Facts
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.proposals import Act, Proposal
from agentspec.core.rulings import PASS, Ruling, Supply
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

READS = ("none", "read")


class Cache(Policy[Kept], frozen=True):
    """Whatever may change something makes all that was kept worthless."""

    stage: ClassVar = Stage.CONSENT
    number: ClassVar = NUMBER
    claims: ClassVar = (f"{PLACE}.cache",)
    hears: ClassVar = (ToolReturned,)
    reviews: ClassVar = (Act,)

    plans: Mapping[str, ToolPlan]
    layer: Layer

    @classmethod
    def configure_all(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> tuple[Self, ...]:
        return tuple(cls(plans=tools, layer=layer) for layer in layers_of(settings, "cache")) if tools else ()

    @property
    def nth(self) -> int:
        return self.layer.nth

    def start(self) -> Kept:
        return Kept()

    def observe(self, memory: Kept, event: Event | Notice, facts: Facts) -> Kept:
        if not isinstance(event, ToolReturned) or event.call.name not in self.plans:
            return memory
        plan = self.plans[event.call.name]
        if plan.effect not in READS:
            return Kept() if memory.answers else memory
        if not event.result.ok or not self.layer.is_about(plan):
            return memory
        key = call_key(plan.name, event.result.arguments)
        return memory.put(key, event.result, facts.now, int(self.layer.says.get("entries", ENTRIES)))

    def review(self, memory: Kept, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Act) or not memory.answers:
            return PASS
        plan = self.plans[proposal.call.name]
        if plan.effect not in READS:
            return PASS
        acts, problem = self.layer.acts_on(plan, proposal.arguments, facts)
        if problem:
            return denied("middleware", f"`{self.layer.place}.when` could not be evaluated: {problem}")
        kept = memory.get(call_key(plan.name, proposal.arguments), facts.now, float(self.layer.says.get("ttl", TTL)))
        return PASS if kept is None or not acts else Supply(kept.text, kept.data, kept.artifact, by=self.layer.place)
