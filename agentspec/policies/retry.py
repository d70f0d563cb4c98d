"""retry: ask the model again after a passing fault, later and later, and never for a fault that stays.

Waiting is an order to the clock; its length is drawn from the run's id, so that a replay waits the same.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Answered, Event, ModelFailed, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.messages import Failure
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.proposals import End, Proposal
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Hold, Refuse, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings
from agentspec.spec.values import parse_duration


class Attempts(Record, frozen=True):
    """Failures in a row of the open call, and whether the wait after the last one is over."""

    failures: int = 0
    has_waited: bool = False


class Retry(Policy[Attempts], frozen=True):
    """Which faults of a model call are tried again: connection, timeout, 408, 409, 425, 429, 5xx, a cut stream."""

    stage: ClassVar = Stage.LIMIT
    number: ClassVar = 30
    claims: ClassVar = tuple(f"model.retry.{name}" for name in ("max_attempts", "base", "max", "max_wait", "jitter"))
    hears: ClassVar = (ModelFailed, ModelReplied, Answered)
    reviews: ClassVar = (End,)

    max_attempts: int = 3
    base: float = 0.5
    max: float = 30.0
    max_wait: float = 120.0
    jitter: bool = True

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        written: Any = settings.get("model.retry")
        if written is False:
            return None
        given = dict(written) if isinstance(written, Mapping) else {}
        for name in ("base", "max", "max_wait"):
            if isinstance(given.get(name), str):
                given[name] = parse_duration(given[name])
        return cls(**given)

    def start(self) -> Attempts:
        return Attempts()

    def observe(self, memory: Attempts, event: Event | Notice, facts: Facts) -> Attempts:  # noqa: ARG002 - the shape
        match event:
            case ModelFailed():
                return Attempts(failures=memory.failures + 1)
            case ModelReplied():
                return Attempts()
            case Answered(who="clock"):
                return replace(memory, has_waited=True)
            case _:
                return memory

    def review(self, memory: Attempts, proposal: Proposal, facts: Facts) -> Ruling:
        failure = proposal.outcome.failure if isinstance(proposal, End) else None
        if failure is None or not failure.retryable:
            return PASS
        if failure.retry_after is not None and failure.retry_after > self.max_wait:
            return self._too_far(proposal, failure, failure.retry_after)
        if memory.failures >= self.max_attempts:
            return PASS
        if memory.has_waited:
            return Refuse("the model is asked again after a passing fault")
        wait = self._wait(memory.failures, facts.run_id)
        return Hold("clock", wait if failure.retry_after is None else failure.retry_after)

    def _too_far(self, proposal: Proposal, failure: Failure, wait: float) -> Ruling:
        """A far reset time is no passing fault: the end says for how long, and which key allows how much."""
        if not isinstance(proposal, End):
            return PASS
        told = f"the server asks to wait {_told(wait)}, and `model.retry.max_wait` allows {_told(self.max_wait)}"
        explained = replace(failure, message=f"{failure.message}; {told}")
        return Rewrite(replace(proposal, outcome=replace(proposal.outcome, failure=explained)))

    def _wait(self, failures: int, run_id: str) -> float:
        """Exponential back-off with full jitter, the draw taken from the run's id and the count."""
        wait = min(self.max, self.base * 2.0 ** (failures - 1))
        if not self.jitter:
            return wait
        digest = hashlib.sha256(f"{run_id}/{failures}".encode()).digest()
        return round(wait * (0.5 + int.from_bytes(digest[:4]) / 2**33), 3)


def _told(seconds: float) -> str:
    """A duration for people, in one unit.

    >>> _told(90), _told(5400), _told(1e9)
    ('90 s', '90 min', '11574 days')
    """
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{math.floor(seconds / size)} {unit}"
    return f"{seconds:g} s"
