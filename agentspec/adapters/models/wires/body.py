"""body: the bytes of an answer, a JSON object or a stream of events, to the reader of their protocol.

No network and no time in here. What a body is shows in its first bytes; its content type may say anything.
"""

from __future__ import annotations

from typing import NamedTuple

from agentspec.adapters.models.wires.draft import Complained, Unreadable, decode_json
from agentspec.adapters.models.wires.lines import LineParser
from agentspec.adapters.models.wires.sse import Event, SseParser
from agentspec.adapters.models.wires.wire import Reader

DONE = b"[DONE]"
BOM = b"\xef\xbb\xbf"
BLANK = BOM + b" \t\r\n"
FIELDS = (b"data", b"event", b"id", b"retry", b":")
LONGEST = max(map(len, FIELDS))


def looks_like_events(start: bytes) -> bool:
    """Whether a body that begins like this is a stream of events, whatever its content type says."""
    start = start.lstrip(BLANK)
    return start.startswith(FIELDS) or (0 < len(start) < LONGEST and any(field.startswith(start) for field in FIELDS))


def read_body(body: bytes, reader: Reader) -> None:
    """Read a whole body, a JSON object or a stream. Raises `Unreadable`, `Complained` or `Cut`."""
    start = body.lstrip(BLANK)[:16]
    if not start:
        raise Unreadable("its body is empty")
    if start.startswith(b"<"):
        raise Unreadable("it is an HTML page; is `base_url` right?", may_pass=False)
    if not looks_like_events(start):
        reader.add_whole(decode_json(body.removeprefix(BOM)))
        return
    parser = SseParser()
    if not take_events(parser.feed(body), reader).is_done:
        take_events(last_events(parser), reader)
    reader.end()


class Taken(NamedTuple):
    """What some events of a stream brought: the terminal marker, anything real."""

    is_done: bool
    is_real: bool


def take_events(events: list[Event], reader: Reader) -> Taken:
    """Read events of a stream up to its terminal marker. Raises `Unreadable` or `Complained`."""
    real = False
    for name, data in events:
        if data.strip() == DONE:
            reader.draft.is_done = True
            return Taken(is_done=True, is_real=True)
        if not data or data.isspace():
            continue
        decoded = decode_json(data)
        if name == b"error" and not (isinstance(decoded, dict) and decoded.get("error")):
            raise Complained({"error": decoded})
        real |= reader.add_event(name, decoded)
        if reader.draft.is_done:
            return Taken(is_done=True, is_real=real)
    return Taken(is_done=False, is_real=real)


def last_events(parser: SseParser | LineParser) -> list[Event]:
    """What stands at the end of a body without the empty line after it; nothing, where it was cut."""
    events = parser.rest()
    try:
        for event in events:
            if event.data.strip() != DONE:
                decode_json(event.data)
    except Unreadable:
        return []
    return events
