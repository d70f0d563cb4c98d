"""sse: server-sent events out of bytes, as they come.

Source: WHATWG HTML, 9.2 Server-sent events. Lines end with LF, CRLF or CR, wherever the network cuts; a character that
is cut in two is whole again before anyone decodes it, since events are handed out as bytes. No decoding in here.
"""

from __future__ import annotations

from typing import NamedTuple

from agentspec.adapters.models.wires.pieces import TooLarge
from agentspec.ports.models import MAX_ANSWER

MAX_EVENT = MAX_ANSWER
BOM = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """One event: `name` is empty where none was given; several data lines are joined by LF."""

    name: bytes
    data: bytes


class SseParser:
    """Feed it bytes, it gives events.

    >>> SseParser().feed(b'data: {"a":1}\\n\\n')
    [Event(name=b'', data=b'{"a":1}')]
    """

    __slots__ = ("_after_cr", "_at_start", "_data", "_held", "_name", "_size", "_tail")

    def __init__(self) -> None:
        self._tail: list[bytes] = []  # pieces of a line whose end has not come
        self._size = 0
        self._after_cr = False
        self._at_start = True
        self._data: list[bytes] = []
        self._held = 0  # bytes of `_data`
        self._name = b""

    def feed(self, data: bytes) -> list[Event]:
        """The events that `data` completes. Raises `TooLarge`."""
        if not data:
            return []  # nothing has come: what was seen last stays the last
        if self._after_cr or b"\r" in data:
            data = self._with_line_feeds(data)
        if b"\n" not in data:
            self._keep(data)
            return []
        if self._tail:
            self._tail.append(data)
            data = b"".join(self._tail)
            self._tail.clear()
        if self._at_start:
            data = data.removeprefix(BOM)
            self._at_start = False
        lines = data.split(b"\n")
        last = lines.pop()
        self._size = 0
        self._keep(last)
        events: list[Event] = []
        for line in lines:
            self._line(line, events)
        return events

    def rest(self) -> list[Event]:
        """What stands at the end of the stream without the empty line that should follow it."""
        lines = b"".join(self._tail).split(b"\n")
        self._tail.clear()
        if self._at_start:
            lines[0] = lines[0].removeprefix(BOM)
        events: list[Event] = []
        for line in (*lines, b""):
            self._line(line, events)
        return events

    def _with_line_feeds(self, data: bytes) -> bytes:
        if self._after_cr and data[:1] == b"\n":
            data = data[1:]
        self._after_cr = data.endswith(b"\r")
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _keep(self, data: bytes) -> None:
        if not data:
            return
        self._size += len(data)
        if self._size > MAX_EVENT:
            raise TooLarge(MAX_EVENT)
        self._tail.append(data)

    def _line(self, line: bytes, events: list[Event]) -> None:
        if line.startswith(b"data:"):
            self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            self._held += len(line)
            if self._held > MAX_EVENT:
                raise TooLarge(MAX_EVENT)
        elif not line:
            if self._data:
                events.append(Event(self._name, self._data[0] if len(self._data) == 1 else b"\n".join(self._data)))
                self._data = []
                self._held = 0
            self._name = b""
        elif line.startswith(b"event:"):
            self._name = line[6:].strip()
        elif line == b"data":
            self._data.append(b"")
