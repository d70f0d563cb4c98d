"""What a server may do in its own way, in every protocol: the answer is the same as without it."""

from __future__ import annotations

import gzip

from tests.adapters.models.faults import GZIP, HELLO, Send, events_of, kind, sends, text, whole, whole_stream
from tests.servers.loopback import CLOSE, RESET, STALL, Script, chunk, response
from tests.servers.openai_speakers import Chat
from tests.servers.said import Speaker
from tests.servers.speakers import Generate, frame, frames, head


def sliced(speaker: Speaker, end: bytes) -> bytes:
    return whole_stream(speaker).replace(b"\n", end)


def stopped(speaker: Speaker) -> bytes:
    """A stream up to its reason, with usage."""
    begun, ended = frames(speaker, HELLO)
    return b"".join([*begun, *([ended[1], ended[0]] if isinstance(speaker, Chat) else ended[:1])])


def between(speaker: Speaker, extra: bytes) -> Script:
    """A stream with something else between its events."""
    return sends(b"".join(part for each in events_of(speaker) for part in (extra, each)), speaker)


def only_events(send: Send) -> Send:
    """Something that only server-sent events have."""
    return lambda speaker: sends(whole_stream(speaker), speaker) if speaker.is_lines else send(speaker)


HARMLESS: dict[str, Send] = {
    "events in one piece": lambda speaker: sends(whole_stream(speaker), speaker),
    "one event a chunk": lambda speaker: [
        head(speaker), *map(chunk, events_of(speaker)), chunk(b"")
    ],
    "a byte at a time": lambda speaker: [
        head(speaker), *(chunk(bytes([byte])) for byte in whole_stream(speaker)), chunk(b"")
    ],
    "lines that end with CRLF": lambda speaker: sends(sliced(speaker, b"\r\n"), speaker),
    "lines that end with CR": only_events(lambda speaker: sends(sliced(speaker, b"\r"), speaker)),
    "empty lines between": lambda speaker: between(speaker, b"\n\n"),
    "comments between events": only_events(lambda speaker: between(speaker, b": ping\n\n")),
    "no space after data": only_events(
        lambda speaker: sends(whole_stream(speaker).replace(b"data: ", b"data:"), speaker)
    ),
    "no names of events": only_events(
        lambda speaker: sends(
            b"".join(line + b"\n" for line in whole_stream(speaker).split(b"\n") if not line.startswith(b"event:")),
            speaker,
        )
    ),
    "ids and times to retry": only_events(
        lambda speaker: sends(whole_stream(speaker).replace(b"data: {", b"id: 7\nretry: 10\ndata: {"), speaker)
    ),
    "data in several lines": only_events(
        lambda speaker: sends(whole_stream(speaker).replace(b', "', b', \ndata: "'), speaker)
    ),
    "a byte-order mark": lambda speaker: sends(b"\xef\xbb\xbf" + whole_stream(speaker), speaker),
    "a byte-order mark over chunks": lambda speaker: [
        head(speaker), chunk(b"\xef"), chunk(b"\xbb"), chunk(b"\xbf" + whole_stream(speaker)), chunk(b"")
    ],
    "the end twice": lambda speaker: sends(whole_stream(speaker) + b"".join(frames(speaker, HELLO)[1]), speaker),
    "an answer after the end": lambda speaker: sends(
        whole_stream(speaker) * (1 if isinstance(speaker, Generate) else 2), speaker  # its streams have no last word
    ),
    "a reason and no end": lambda speaker: sends(stopped(speaker), speaker),
    "a reason and then a cut": lambda speaker: [head(speaker) + chunk(stopped(speaker)), RESET],
    "a reason and then silence": lambda speaker: [head(speaker) + chunk(stopped(speaker)), STALL],
    "an end and then silence": lambda speaker: [head(speaker) + chunk(whole_stream(speaker)), STALL],
    "an end without its last line end": lambda speaker: sends(whole_stream(speaker).rstrip(b"\n"), speaker),
    "unknown events": lambda speaker: between(speaker, frame(speaker, {"type": "news", "n": 1, "object": "news"})),
    "events that are no objects": lambda speaker: between(
        speaker, b"".join(frame(speaker, each) for each in (None, 7, [], "x"))
    ),
    "usage that comes alone": lambda speaker: between(speaker, frame(speaker, {"usage": None, "usageMetadata": None})),
    "a body until the connection closes": lambda speaker: [
        b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\n\r\n" % kind(speaker)["content-type"].encode() + whole_stream(speaker),
        CLOSE,
    ],
    "HTTP 1.0": lambda speaker: [
        b"HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n" + text(speaker).encode(), CLOSE
    ],
    "early hints first": lambda speaker: [b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + whole(speaker)],
    "gzip": lambda speaker: [response(gzip.compress(text(speaker).encode()), headers=GZIP)],
    "gzip in a stream": lambda speaker: [
        response(gzip.compress(whole_stream(speaker)), headers=GZIP | kind(speaker))
    ],
    "a stream without its content type": only_events(
        lambda speaker: [response(whole_stream(speaker), headers={"content-type": "text/plain"})]
    ),
    "JSON where a stream was asked for": lambda speaker: [whole(speaker)],
    "JSON that calls itself a stream": lambda speaker: [response(speaker.whole(HELLO), headers=kind(speaker))],
    "blank lines before the JSON": lambda speaker: [response(b"\n\n  \n" + text(speaker).encode())],
    "JSON with a byte-order mark": lambda speaker: [response(b"\xef\xbb\xbf" + text(speaker).encode())],
    "trailers after the last chunk": lambda speaker: [
        head(speaker) + chunk(whole_stream(speaker)) + b"0\r\nx-checksum: 1\r\n\r\n"
    ],
    "a megabyte of a line": lambda speaker: sends(
        frame(speaker, {"type": "news", "padding": "x" * (1 << 20)}) + whole_stream(speaker), speaker
    ),
    "fields that nobody knows": lambda speaker: [response({**speaker.whole(HELLO), "new": {"a": [1]}, "x": None})],
}  # fmt: skip
