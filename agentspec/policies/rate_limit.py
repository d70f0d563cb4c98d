"""rate_limit: let so many calls run, in the whole run or in each stretch of time, and refuse the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.calls.denials import denied
from agentspec.core.calls.layers import PLACE, Layer, layers_of
from agentspec.core.events import Event, ToolReturned
from agentspec.core.facts import Facts
from agentspec.core.policy import Admitted, Notice, Policy, Ruled, Stage, TurnSettled
from agentspec.core.proposals import Act, Proposal
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Hold, Refuse, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings


class Counted(Record, frozen=True):
    """When calls came back, by layer, and those of this reply that may still come: places in it, with their tools."""

    times: dict[str, tuple[float, ...]] = {}
    batch: tuple[tuple[int, str], ...] = ()


class RateLimit(Policy[Counted], frozen=True):
    """Counts the calls that ran; those that no other gate let through cost nothing."""

    stage: ClassVar = Stage.CONSENT
    number: ClassVar = 60
    claims: ClassVar = (f"{PLACE}.rate_limit",)
    hears: ClassVar = (Admitted, ToolReturned, Ruled, TurnSettled)
    reviews: ClassVar = (Act,)

    plans: Mapping[str, ToolPlan]
    layers: tuple[Layer, ...]

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        layers = layers_of(settings, "rate_limit")
        return cls(plans=tools, layers=layers) if layers and tools else None

    def start(self) -> Counted:
        return Counted()

    def observe(self, memory: Counted, event: Event | Notice, facts: Facts) -> Counted:
        match event:
            case Admitted(calls=calls):
                return replace(memory, batch=tuple((act.index, act.call.name) for act in calls))
            case Ruled(proposal=Act(index=index), ruling=ruling) if not isinstance(ruling, Hold):
                return replace(memory, batch=tuple(each for each in memory.batch if each[0] != index))
            case ToolReturned(call=call):
                return self._returned(memory, call.name, facts.now)
            case TurnSettled():
                return replace(memory, batch=())
            case _:
                return memory

    def _returned(self, memory: Counted, name: str, now: float) -> Counted:
        plan = self.plans.get(name)
        if plan is None:
            return memory
        times = {
            layer.place: (*memory.times.get(layer.place, ()), now)[-_most(layer) :]
            for layer in self.layers
            if layer.is_about(plan) and _most(layer)
        }
        at = next((each for each in memory.batch if each[1] == name), None)
        return replace(memory, times=memory.times | times, batch=tuple(each for each in memory.batch if each != at))

    def review(self, memory: Counted, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Act):
            return PASS
        plan = self.plans[proposal.call.name]
        for layer in self.layers:
            acts, problem = layer.acts_on(plan, proposal.arguments, facts)
            if problem:
                return denied("middleware", f"`{layer.place}.when` could not be evaluated: {problem}")
            if acts and self._used(memory, layer, proposal.index, facts.now) >= _most(layer):
                return _refusal(layer)
        return PASS

    def _used(self, memory: Counted, layer: Layer, index: int, now: float) -> int:
        """The calls that count now: those that ran, and those of this reply that go before."""
        per = layer.says.get("per")
        ran = [at for at in memory.times.get(layer.place, ()) if per is None or now - at < float(per)]
        before = [name for at, name in memory.batch if at < index and layer.is_about(self.plans[name])]
        return len(ran) + len(before)


def _most(layer: Layer) -> int:
    return int(layer.says["max_calls"])


def _refusal(layer: Layer) -> Refuse:
    per = layer.says.get("per")
    what = f"{_most(layer)} calls in the run" if per is None else f"{_most(layer)} calls in {float(per):g} s"
    if per is None:
        return denied("rate limit", f"`{layer.place}` lets through {what}")
    return Refuse(f"refused by the rate limit: `{layer.place}` lets through {what}. Try again later.", retryable=True)
