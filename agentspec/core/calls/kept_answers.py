"""kept_answers: answers that are given again instead of making a call: a bounded store with a time to live."""

from __future__ import annotations

from msgspec.structs import replace

from agentspec.core.messages import ToolResult
from agentspec.core.record import Record

TTL = 600.0
ENTRIES = 256


class Kept(Record, frozen=True):
    """Results by key with the time at which they came; the oldest first."""

    answers: dict[str, tuple[float, ToolResult]] = {}

    def get(self, key: str, now: float, ttl: float) -> ToolResult | None:
        """The answer of this key, unless it is too old."""
        found = self.answers.get(key)
        return None if found is None or now - found[0] > ttl else found[1]

    def put(self, key: str, result: ToolResult, now: float, entries: int) -> Kept:
        """With one more answer; the oldest is forgotten where there are too many."""
        answers = {name: answer for name, answer in self.answers.items() if name != key}
        answers[key] = (now, result)
        while len(answers) > entries:
            del answers[next(iter(answers))]
        return replace(self, answers=answers)
