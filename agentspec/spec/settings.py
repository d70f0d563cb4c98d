"""settings: what a composed spec says about each key, with the default where it says nothing.

Read by policies and by `link`. A key that no model knows is a bug of the caller, not of the author.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentspec.spec.values import parse_duration, parse_size

_ABSENT = object()


class Settings:
    """A composed spec's plain values, asked by dotted path.

    >>> Settings({"execution": {"max_iterations": 3}}, lambda path: None).whole("execution.max_iterations")
    3
    """

    def __init__(self, values: Mapping[str, Any], default_of: Callable[[str], Any]) -> None:
        self.values = values
        self._default_of = default_of

    def written(self, path: str) -> Any:
        """What the spec says at a path, or None where it says nothing."""
        value: Any = self.values
        for step in path.split("."):
            value = value.get(step, _ABSENT) if isinstance(value, Mapping) else _ABSENT
            if value is _ABSENT:
                return None
        return value

    def get(self, path: str) -> Any:
        """What the spec says at a path, else the default."""
        value = self.written(path)
        return self._default_of(path) if value is None else value

    def whole(self, path: str) -> int | None:
        value = self.get(path)
        return int(value) if value is not None else None

    def number(self, path: str) -> float | None:
        value = self.get(path)
        return float(value) if value is not None else None

    def flag(self, path: str) -> bool:
        return self.get(path) is True

    def text(self, path: str) -> str | None:
        value = self.get(path)
        return str(value) if value is not None else None

    def seconds(self, path: str) -> float | None:
        """A duration in seconds."""
        value = self.get(path)
        return parse_duration(value) if isinstance(value, str) else value

    def size(self, path: str) -> int | None:
        """A size in bytes."""
        value = self.get(path)
        return parse_size(value) if isinstance(value, str) else value
