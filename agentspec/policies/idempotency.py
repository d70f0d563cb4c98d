"""idempotency: a repeated call gets the answer of the first, and is not made again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

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
from agentspec.errors import ExpressionError
from agentspec.expressions.places import PLACES
from agentspec.expressions.template import parse_template
from agentspec.spec.settings import Settings


class Idempotency(Policy[Kept], frozen=True):
    """Keeps the answers of calls that may change something; a failed call may be made again."""

    stage: ClassVar = Stage.CONSENT
    number: ClassVar = NUMBER
    claims: ClassVar = (f"{PLACE}.idempotency",)
    hears: ClassVar = (ToolReturned,)
    reviews: ClassVar = (Act,)

    plans: Mapping[str, ToolPlan]
    layer: Layer
    key: Any

    @classmethod
    def configure_all(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> tuple[Self, ...]:
        layers = layers_of(settings, "idempotency") if tools else ()
        return tuple(cls(plans=tools, layer=layer, key=_key_of(layer)) for layer in layers)

    @property
    def nth(self) -> int:
        return self.layer.nth

    def start(self) -> Kept:
        return Kept()

    def _key(self, name: str, arguments: Mapping[str, Any]) -> str | None:
        """What makes two calls the same; None where the author's own key can't be made of this one."""
        if self.key is None:
            return call_key(name, dict(arguments))
        try:
            return f"{name} {self.key.render({'args': dict(arguments)})}"
        except ExpressionError:
            return None

    def observe(self, memory: Kept, event: Event | Notice, facts: Facts) -> Kept:
        if not isinstance(event, ToolReturned) or event.call.name not in self.plans or not event.result.ok:
            return memory
        plan = self.plans[event.call.name]
        key = self._key(plan.name, event.result.arguments or {})
        if key is None or plan.effect in ("none", "read") or not self.layer.is_about(plan):
            return memory
        return memory.put(key, event.result, facts.now, int(self.layer.says.get("entries", ENTRIES)))

    def review(self, memory: Kept, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Act) or not memory.answers:
            return PASS
        plan = self.plans[proposal.call.name]
        key = self._key(plan.name, proposal.arguments)
        kept = None if key is None else memory.get(key, facts.now, float(self.layer.says.get("ttl", TTL)))
        if kept is None:
            return PASS
        acts, problem = self.layer.acts_on(plan, proposal.arguments, facts)
        if problem:
            return denied("middleware", f"`{self.layer.place}.when` could not be evaluated: {problem}")
        return Supply(kept.text, kept.data, kept.artifact, by=self.layer.place) if acts else PASS


def _key_of(layer: Layer) -> Any:
    said = layer.says.get("key")
    return None if said is None else parse_template(str(said)).compile(PLACES["tools.template"])
