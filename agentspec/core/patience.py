"""patience: how often, and after which wait, a model is asked again after a passing fault.

Pure: a wait is drawn from the run's id, so that a replay waits the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from agentspec.core.events import Consulted
from agentspec.core.messages import Failure
from agentspec.core.record import Record
from agentspec.spec.settings import Settings
from agentspec.spec.values import parse_duration


class Patience(Record, frozen=True):
    """What `model.retry` says; times are in seconds."""

    max_attempts: int = 3
    base: float = 0.5
    max: float = 30.0
    max_wait: float = 120.0
    jitter: bool = True

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


class Tries(Record, frozen=True):
    """How often one question has met a passing fault in a row, when it was first asked, and the wait that is due.

    All tries of a question and the waits between them share the time that the question has.
    """

    faults: int = 0
    began: float | None = None
    wait: float | None = None

    def again(self, event: Consulted, patience: Patience | None, timeout: float, run_id: str) -> Tries | None:
        """The tries after one more fault, with the wait before the next; None where none comes, or none in time."""
        if patience is None or event.failure is None:
            return None
        faults = self.faults + 1
        began = event.at - event.ms / 1000 if self.began is None else self.began
        wait = patience.wait(event.failure, faults, run_id)
        if wait is None or event.at + wait >= began + timeout:
            return None
        return Tries(faults, began, wait)

    def waited(self) -> Tries:
        """The wait is over."""
        return Tries(self.faults, self.began)

    def left(self, timeout: float, now: float) -> float:
        """The seconds of `timeout` that are left for the next try."""
        return timeout if self.began is None else max(0.0, self.began + timeout - now)
