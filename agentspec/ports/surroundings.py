"""surroundings: time, and whoever answers a policy's question. No code."""

from __future__ import annotations

from typing import Any, Protocol


class Respondent(Protocol):
    """Someone who answers a policy's question and is no model: a command, the workspace, a hook, a person."""

    async def answer(self, question: Any) -> Any:
        """The answer as plain JSON values. What goes wrong in the world is an answer too, never an exception."""
        ...


class Clock(Protocol):
    """Time, from outside: `now` is seconds since the epoch, `elapsed` never goes backwards."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def elapsed(self) -> float:
        """Seconds since some moment; never goes backwards."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Come back after so many seconds."""
        ...
