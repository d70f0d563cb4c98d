"""lifecycle: which messages may come when: `initialize` first and once, behind `shutdown` none but `exit`.

Source: LSP 3.17, *Lifecycle Messages*.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from lsprotocol.types import EXIT, INITIALIZE, SHUTDOWN

State = Literal["new", "ready", "over"]
NEXT: dict[tuple[State, str], State] = {("new", INITIALIZE): "ready", ("ready", SHUTDOWN): "over"}


class Refusal(NamedTuple):
    """Why a message is not taken: a code of JSON-RPC 2.0 (5.1) or of LSP 3.17 (*ErrorCodes*), and a sentence."""

    code: int
    sentence: str


INVALID_REQUEST = -32600
TOO_EARLY = Refusal(-32002, f"`{INITIALIZE}` has to come first")
TWICE = Refusal(INVALID_REQUEST, f"`{INITIALIZE}` comes only once")
TOO_LATE = Refusal(INVALID_REQUEST, f"nothing but `{EXIT}` follows `{SHUTDOWN}`")


class Lifecycle:
    """How far a client has come."""

    def __init__(self) -> None:
        self._state: State = "new"

    @property
    def is_ready(self) -> bool:
        """Whether the client may be told something."""
        return self._state == "ready"

    @property
    def is_over(self) -> bool:
        """Whether the client has said `shutdown`."""
        return self._state == "over"

    def refusal(self, method: str) -> Refusal | None:
        """Why a message may not come now; None where it may."""
        match self._state:
            case "new":
                return None if method == INITIALIZE else TOO_EARLY
            case "ready":
                return TWICE if method == INITIALIZE else None
            case "over":
                return TOO_LATE

    def take(self, method: str) -> None:
        """A message was taken."""
        self._state = NEXT.get((self._state, method), self._state)
