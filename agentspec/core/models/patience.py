"""patience: how often, and after which wait, a model is asked again after a passing fault, and who is asked then.

Pure: a wait is drawn from the run's id, so that a replay waits the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from agentspec.core.events import Consulted
from agentspec.core.messages import Failure, FailureClass
from agentspec.core.record import Record
from agentspec.spec.judges_at import has_own_model
from agentspec.spec.routes import DEFAULT, fallbacks_of
from agentspec.spec.settings import Settings
from agentspec.spec.values import parse_duration

# Another model would be asked the same: a refusal is an answer, and what is too long is made shorter.
LASTING: frozenset[FailureClass] = frozenset(("content_filter", "context_overflow"))


class Patience(Record, frozen=True):
    """What `model.retry` says; times are in seconds. `stand_ins` are the routes that are asked in turn afterwards."""

    max_attempts: int = 3
    base: float = 0.5
    max: float = 30.0
    max_wait: float = 120.0
    jitter: bool = True
    stand_ins: tuple[int, ...] = ()

    def is_too_far(self, failure: Failure) -> bool:
        """Whether the server asks for a longer wait than the author allows."""
        return failure.retry_after is not None and failure.retry_after > self.max_wait

    def wait(self, failure: Failure, failures: int, run_id: str) -> float | None:
        """The seconds to wait after so many failures in a row, or None where nobody tries again.

        What the server says counts, else exponential back-off with the draw taken from the run's id and the count.

        >>> Patience(jitter=False).wait(Failure("server_error", "busy", retryable=True), 2, "r")
        1.0
        """
        if not failure.retryable or failures >= self.max_attempts or self.is_too_far(failure):
            return None
        if failure.retry_after is not None:
            return failure.retry_after
        wait = min(self.max, self.base * 2.0 ** (failures - 1))
        if not self.jitter:
            return wait
        digest = hashlib.sha256(f"{run_id}/{failures}".encode()).digest()
        return round(wait * (0.5 + int.from_bytes(digest[:4]) / 2**33), 3)


def patience_of(settings: Settings) -> Patience | None:
    """What a spec says of faults that pass, or None where nothing is tried again."""
    written: Any = settings.get("model.retry")
    if written is False:
        return None
    given = dict(written) if isinstance(written, Mapping) else {}
    for name in ("base", "max", "max_wait"):
        if isinstance(given.get(name), str):
            given[name] = parse_duration(given[name])
    return Patience(**given)


def patience_with(settings: Settings, asker: str) -> Patience:
    """The patience with the questions of `asker`: retries, then the models of `model.fallback`.

    A model of its own has those as stand-ins, too; the worker's does not stand in for itself.
    """
    own = has_own_model(settings, asker)
    stand_ins = tuple(each for each in fallbacks_of(settings.get("model")) if own or each != DEFAULT)
    return replace(patience_of(settings) or Patience(max_attempts=1), stand_ins=stand_ins)


class Tries(Record, frozen=True):
    """How often one question has met a passing fault in a row, when it was first asked, and the wait that is due.

    All tries of a question, of those who stand in as well, and the waits between them share the time that it has.
    `route` is the one that stands in, after those that have `failed`; `first` is why anybody has to.
    """

    faults: int = 0
    began: float | None = None
    wait: float | None = None
    route: int | None = None
    failed: tuple[int, ...] = ()
    first: Failure | None = None

    def again(self, event: Consulted, patience: Patience, timeout: float, run_id: str) -> Tries | None:
        """The tries after one more failure: a wait before the next, or another route; None where none is left, or no
        time.
        """
        failure = event.failure
        if failure is None:
            return None
        began = event.at - event.ms / 1000 if self.began is None else self.began
        wait = patience.wait(failure, self.faults + 1, run_id)
        if wait is not None and event.at + wait < began + timeout:
            return replace(self, faults=self.faults + 1, began=began, wait=wait)
        route = next((each for each in patience.stand_ins if each not in self.failed), None)
        if route is None or failure.category in LASTING or failure.limit or event.at >= began + timeout:
            return None
        return Tries(began=began, route=route, failed=(*self.failed, route), first=self.first or failure)

    def waited(self) -> Tries:
        """The wait is over."""
        return replace(self, wait=None)

    def left(self, timeout: float, now: float) -> float:
        """The seconds of `timeout` that are left for the next try."""
        return timeout if self.began is None else max(0.0, self.began + timeout - now)

    def ending(self, failure: Failure) -> Failure:
        """What is told where nobody is left to be asked: the first failure, with the newest behind it."""
        if self.faults:
            failure = replace(failure, message=f"{failure.message} (asked {self.faults + 1} times)")
        if self.first is None:
            return failure
        return replace(self.first, message=f"{self.first.message}; what stood in failed as well: {failure.message}")
