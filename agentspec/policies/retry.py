"""retry: ask the model again after a passing fault, later and later, and never for a fault that stays.

Waiting is an order to the clock; its length is drawn from the run's id, so that a replay waits the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Answered, Event, ModelFailed, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.messages import Failure
from agentspec.core.models.patience import Patience, patience_of
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import End, Proposal
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Hold, Refuse, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings


class Attempts(Record, frozen=True):
    """Failures in a row of the open call, and whether the wait after the last one is over."""

    failures: int = 0
    has_waited: bool = False


FRESH = Attempts()


class Retry(Policy[Attempts], frozen=True):
    """Which faults of a model call are tried again: connection, timeout, 408, 409, 425, 429, 5xx, a cut stream."""

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 30
    claims: ClassVar = tuple(f"model.retry.{name}" for name in ("max_attempts", "base", "max", "max_wait", "jitter"))
    hears: ClassVar = (ModelFailed, ModelReplied, Answered, Ruled)
    reviews: ClassVar = (End,)

    patience: Patience

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        patience = patience_of(settings)
        return None if patience is None else cls(patience=patience)

    def start(self) -> Attempts:
        return Attempts()

    def observe(self, memory: Attempts, event: Event | Notice, facts: Facts) -> Attempts:  # noqa: ARG002 - the shape
        match event:
            case ModelFailed():
                return Attempts(failures=memory.failures + 1)
            case ModelReplied():
                return memory if memory == FRESH else FRESH
            case Ruled(policy="fallback", ruling=Refuse()):  # another model is asked, which has failed at nothing yet
                return FRESH
            case Answered(who="clock"):
                return replace(memory, has_waited=True)
            case _:
                return memory

    def review(self, memory: Attempts, proposal: Proposal, facts: Facts) -> Ruling:
        failure = proposal.outcome.failure if isinstance(proposal, End) else None
        if failure is None or not failure.retryable:
            return PASS
        if self.patience.is_too_far(failure):
            return self._too_far(proposal, failure)
        wait = self.patience.wait(failure, memory.failures, facts.run_id)
        if wait is None:
            return PASS
        if memory.has_waited:
            return Refuse("the model is asked again after a passing fault")
        return Hold("clock", wait)

    def _too_far(self, proposal: Proposal, failure: Failure) -> Ruling:
        """A far reset time is no passing fault: the end says for how long, and which key allows how much."""
        if not isinstance(proposal, End) or failure.retry_after is None:
            return PASS
        allowed = _told(self.patience.max_wait)
        told = f"the server asks to wait {_told(failure.retry_after)}, and `model.retry.max_wait` allows {allowed}"
        explained = replace(failure, message=f"{failure.message}; {told}")
        return Rewrite(replace(proposal, outcome=replace(proposal.outcome, failure=explained)))


def _told(seconds: float) -> str:
    """A duration for people, in one unit.

    >>> _told(90), _told(5400), _told(1e9)
    ('90 s', '90 min', '11574 days')
    """
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{math.floor(seconds / size)} {unit}"
    return f"{seconds:g} s"
