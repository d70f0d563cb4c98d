"""What a model says, in no protocol's words, and what a protocol has to have to say it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

MODEL = "m-1"
ID = "msg_1"
ABSENT = type("Absent", (), {"__repr__": lambda _: "ABSENT"})()  # a field that is left out; named alike everywhere


class Call(NamedTuple):
    """One call of a tool."""

    id: str
    name: str
    arguments: dict[str, Any]


class Counts(NamedTuple):
    """The tokens that a server tells, true or not; `ABSENT` is left out."""

    prompt: Any = 90
    cached: Any = 60
    output: Any = 28
    reasoning: Any = 8


class Said(NamedTuple):
    """An answer. `reason` is one of `REASONS`, or a word as it goes out; `usage` None where the server tells none."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    thought: str = ""
    reason: Any = "stop"
    usage: Counts | None = Counts()


class Speaker(Protocol):
    """One protocol, as its servers speak it."""

    provider: str
    paths: tuple[str, str]  # of whole answers and of streams
    reasons: Mapping[str, Any]
    is_lines: bool  # whether a stream is lines of JSON instead of server-sent events

    def whole(self, said: Said) -> dict[str, Any]:
        """The body of an answer that does not stream."""
        ...

    def opening(self, said: Said, size: int = 4) -> Iterator[dict[str, Any]]:
        """The events before the one that says why the answer is over; texts in pieces of so many characters."""
        ...

    def closing(self, said: Said) -> Iterator[dict[str, Any]]:
        """The events that end it; with the first of them the answer is whole."""
        ...

    def refusal(self, status: int, message: str) -> dict[str, Any]:
        """The body of an error."""
        ...


def fields_of(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not ABSENT}


def pieces_of(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def reason_of(speaker: Speaker, said: Said) -> Any:
    return speaker.reasons.get(said.reason, said.reason) if isinstance(said.reason, str) else said.reason
