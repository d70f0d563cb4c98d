"""received: what comes back over a connection, to the reader of its protocol while it comes.

Nothing is waited for beyond the end of an answer, and no more of a stream is read than was asked for.
"""

from __future__ import annotations

from agentspec.adapters.http.connection import HttpError, Response
from agentspec.adapters.models.wires.body import BLANK, last_events, looks_like_events, read_body, take_events
from agentspec.adapters.models.wires.draft import Cut
from agentspec.adapters.models.wires.lines import LineParser
from agentspec.adapters.models.wires.pieces import TooLarge
from agentspec.adapters.models.wires.sse import SseParser
from agentspec.adapters.models.wires.wire import Reader

LINES = "application/x-ndjson"
STREAMS = ("text/event-stream", LINES)


async def read_answer(response: Response, reader: Reader, patience: float, *, kind: str, most: int) -> None:
    """Read a body, as a stream where it is one: the first bytes tell it better than headers do.

    `patience` is how long a stream may take for its last words once its finish reason has come; a body that is no
    stream may have `most` bytes. Raises `TooLarge`.
    """
    first = b""
    while not first.strip(BLANK):
        data = await response.chunk()
        if not data:
            if kind in STREAMS:
                raise Cut
            break
        first += data
    is_events = looks_like_events(first)
    if is_events or kind == LINES:
        await _read_stream(first, response, reader, patience, SseParser() if is_events else LineParser())
        return
    body = bytearray(first)
    while data := await response.chunk():
        response.progress()
        body += data
        if len(body) > most:
            raise TooLarge(most)
    del first, data
    read_body(bytes(body), reader)


async def _read_stream(
    data: bytes, response: Response, reader: Reader, patience: float, parser: SseParser | LineParser
) -> None:
    """Read until the terminal marker: `[DONE]`, or a finish reason and then the end. Raises `Cut` without one."""
    try:
        while data:
            taken = take_events(parser.feed(data), reader)
            if taken.is_done:
                response.discard()
                break
            if taken.is_real:
                response.progress()
                if reader.draft.finish is not None:
                    response.hurry(patience)
            if reader.draft.runs_on:
                reader.draft.stop_here()
                break
            data = await response.chunk()
        if not reader.draft.is_done:
            take_events(last_events(parser), reader)
    except HttpError:
        if reader.draft.finish is None:
            raise
    reader.end()
