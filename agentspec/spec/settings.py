"""settings: the effective values of a spec, asked by path. Read by policies, by `link` and by the shell."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from agentspec.spec.values import parse_duration, parse_size


@lru_cache(maxsize=1024)
def _steps(path: str) -> tuple[str, ...]:
    return tuple(path.split("."))


class Settings:
    """A spec's effective values (`effective.effective`: defaults filled in, units read), asked by dotted path.

    >>> Settings({"execution": {"max_iterations": 3}}).whole("execution.max_iterations")
    3
    """

    def __init__(self, values: Mapping[str, Any], project: str = "") -> None:
        self.values = values
        self.project = project  # the folder that relative paths begin at

    def get(self, path: str) -> Any:
        """The value at a path, or None where there is none."""
        value: Any = self.values
        for step in _steps(path):
            if value is None or (type(value) is not dict and not isinstance(value, Mapping)):
                return None
            value = value.get(step)
        return value

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
