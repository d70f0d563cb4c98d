"""pieces: a text that comes in very many small pieces, within a limit and without an object for each of them."""

from __future__ import annotations

from agentspec.ports.models import MAX_ANSWER

FOLDED = 1024  # so many pieces become one


class TooLarge(Exception):
    """An answer holds more than it may; the text says how much that is."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the answer is larger than {limit / (1 << 20):g} MiB")


class Room:
    """How much an answer may still hold, in characters of all of its texts together."""

    __slots__ = ("left", "limit")

    def __init__(self, limit: int = MAX_ANSWER) -> None:
        self.limit = limit
        self.left = limit

    def take(self, size: int) -> None:
        """Raises `TooLarge`."""
        self.left -= size
        if self.left < 0:
            raise TooLarge(self.limit)


class Pieces:
    """A text while it comes in.

    >>> pieces = Pieces(Room())
    >>> pieces.add("a")
    >>> pieces.add("b")
    >>> str(pieces), bool(pieces), pieces.size
    ('ab', True, 2)
    """

    __slots__ = ("_folded", "_loose", "_room", "size")

    def __init__(self, room: Room) -> None:
        self._room = room
        self._folded: list[str] = []
        self._loose: list[str] = []
        self.size = 0

    def add(self, piece: str) -> None:
        """Raises `TooLarge`."""
        self._room.take(len(piece))
        self.size += len(piece)
        self._loose.append(piece)
        if len(self._loose) == FOLDED:
            self._folded.append("".join(self._loose))
            self._loose.clear()

    def __bool__(self) -> bool:
        return bool(self._folded or self._loose)

    def __str__(self) -> str:
        return "".join((*self._folded, *self._loose)) if self.size else ""
