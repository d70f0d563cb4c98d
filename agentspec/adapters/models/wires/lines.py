"""lines: JSON lines out of bytes, as they come: a stream of whole objects, each on a line of its own. No decoding."""

from __future__ import annotations

from agentspec.adapters.models.wires.pieces import TooLarge
from agentspec.adapters.models.wires.sse import BOM, MAX_EVENT, Event


class LineParser:
    """Feed it bytes, it gives lines, as the events of a stream.

    >>> LineParser().feed(b'{"a":1}\\n{"a"')
    [Event(name=b'', data=b'{"a":1}')]
    """

    __slots__ = ("_at_start", "_size", "_tail")

    def __init__(self) -> None:
        self._tail: list[bytes] = []  # pieces of a line whose end has not come
        self._size = 0
        self._at_start = True

    def feed(self, data: bytes) -> list[Event]:
        """The lines that `data` completes. Raises `TooLarge`."""
        self._tail.append(data)
        self._size += len(data)
        if b"\n" not in data:
            if self._size > MAX_EVENT:
                raise TooLarge(MAX_EVENT)
            return []
        *lines, last = self._joined().split(b"\n")
        self._tail, self._size = [last], len(last)
        return [Event(b"", line) for line in lines if line.strip()]

    def rest(self) -> list[Event]:
        """What stands at the end of the stream without the end of its line."""
        line = self._joined()
        self._tail = []
        return [Event(b"", line)] if line.strip() else []

    def _joined(self) -> bytes:
        data = b"".join(self._tail)
        if self._at_start:
            self._at_start = False
            return data.removeprefix(BOM)
        return data
