"""rate_limit: let so many calls run, in the whole run or in each stretch of time, and refuse the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.calls.denials import denied
from agentspec.core.calls.layers import NUMBER, PLACE, Layer, index_of, layers_of
from agentspec.core.events import Event, ToolReturned
from agentspec.core.facts import Facts
from agentspec.core.policy import Admitted, Notice, Policy, Ruled, Stage, TurnSettled
from agentspec.core.proposals import Act, Proposal
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Hold, Refuse, Ruling, Supply
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings


class Counted(Record, frozen=True):
    """When calls came back, and those of this reply that may still come: places in it, with their tools."""

    times: tuple[float, ...] = ()
    batch: tuple[tuple[int, str], ...] = ()


class RateLimit(Policy[Counted], frozen=True):
    """Counts the calls that ran, or that a layer within it answered; those that another gate refused cost nothing."""

    stage: ClassVar = Stage.CONSENT
    number: ClassVar = NUMBER
    claims: ClassVar = (f"{PLACE}.rate_limit",)
    hears: ClassVar = (Admitted, ToolReturned, Ruled, TurnSettled)
    reviews: ClassVar = (Act,)

    plans: Mapping[str, ToolPlan]
    layer: Layer

    @classmethod
    def configure_all(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> tuple[Self, ...]:
        return tuple(cls(plans=tools, layer=layer) for layer in layers_of(settings, "rate_limit")) if tools else ()

    @property
    def nth(self) -> int:
        return self.layer.nth

    def start(self) -> Counted:
        return Counted()

    def observe(self, memory: Counted, event: Event | Notice, facts: Facts) -> Counted:
        match event:
            case Admitted(calls=calls):
                return replace(memory, batch=tuple((act.index, act.call.name) for act in calls))
            case Ruled(proposal=Act(index=index, call=call), ruling=ruling) if not isinstance(ruling, Hold):
                is_within = isinstance(ruling, Supply) and index_of(ruling.by) > self.layer.nth
                memory = replace(memory, batch=tuple(each for each in memory.batch if each[0] != index))
                return self._counted(memory, call.name, facts.now) if is_within else memory
            case ToolReturned(call=call):
                at = next((each for each in memory.batch if each[1] == call.name), None)
                memory = replace(memory, batch=tuple(each for each in memory.batch if each != at))
                return self._counted(memory, call.name, facts.now)
            case TurnSettled():
                return replace(memory, batch=())
            case _:
                return memory

    def _counted(self, memory: Counted, name: str, now: float) -> Counted:
        plan = self.plans.get(name)
        if plan is None or not self.layer.is_about(plan) or not _most(self.layer):
            return memory
        return replace(memory, times=(*memory.times, now)[-_most(self.layer) :])

    def review(self, memory: Counted, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Act):
            return PASS
        acts, problem = self.layer.acts_on(self.plans[proposal.call.name], proposal.arguments, facts)
        if problem:
            return denied("middleware", f"`{self.layer.place}.when` could not be evaluated: {problem}")
        if acts and self._used(memory, proposal.index, facts.now) >= _most(self.layer):
            return _refusal(self.layer)
        return PASS

    def _used(self, memory: Counted, index: int, now: float) -> int:
        """The calls that count now: those that ran, and those of this reply that go before."""
        per = self.layer.says.get("per")
        ran = [at for at in memory.times if per is None or now - at < float(per)]
        before = [name for at, name in memory.batch if at < index and self.layer.is_about(self.plans[name])]
        return len(ran) + len(before)


def _most(layer: Layer) -> int:
    return int(layer.says["max_calls"])


def _refusal(layer: Layer) -> Refuse:
    per = layer.says.get("per")
    what = f"{_most(layer)} calls in the run" if per is None else f"{_most(layer)} calls in {float(per):g} s"
    if per is None:
        return denied("rate limit", f"`{layer.place}` lets through {what}")
    return Refuse(f"refused by the rate limit: `{layer.place}` lets through {what}. Try again later.", retryable=True)
