"""recent: a mapping that keeps what was put into it last, and forgets what is older.

A put copies the few newest entries and never the whole, so that remembering many costs what remembering few does.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from agentspec.core.record import Record

FRESH = 16  # entries that a put may copy; within so many of its bound a mapping may forget the oldest

Value = TypeVar("Value")


class Recent(Record, Generic[Value], frozen=True):
    """What was put last: never more than `most` entries, and at least the last `most - FRESH` of them. Immutable.

    >>> recent = Recent().put("a", 1, most=64).put("b", 2, most=64)
    >>> recent.get("a"), recent.get("c"), len(recent)
    (1, None, 2)
    """

    older: dict[str, Any] = {}
    fresh: dict[str, Any] = {}  # put last; they hide older ones of the same key

    def get(self, key: str) -> Value | None:
        found: Value | None = self.fresh.get(key)
        return self.older.get(key) if found is None else found

    def __getitem__(self, key: str) -> Value:
        found: Value = self.fresh[key] if key in self.fresh else self.older[key]
        return found

    def __contains__(self, key: object) -> bool:
        return key in self.fresh or key in self.older

    def __len__(self) -> int:
        return len(self.older.keys() | self.fresh.keys())

    def put(self, key: str, value: Value, *, most: int) -> Recent[Value]:
        """The mapping with this entry as its newest; `most` is larger than `FRESH`."""
        fresh = self.fresh.copy()
        fresh.pop(key, None)
        fresh[key] = value
        if len(fresh) < FRESH:
            return Recent(self.older, fresh)
        older = self.older.copy()
        for name in fresh:
            older.pop(name, None)
        older |= fresh
        for name in [*older][: max(0, len(older) - most + FRESH)]:
            del older[name]
        return Recent(older, {})
