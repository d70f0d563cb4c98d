"""parse: one HTTP/1.1 response out of bytes, as they come. h11 reads all that is not plain; what can't be read is
`Malformed`.

No I/O and no time in here. Sizes are bounded before anything is stored.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import h11

from agentspec.adapters.http.plain import MAX_HEAD, Head, plain_head

MAX_UNPACKED = 16 << 20  # bytes that one piece may unpack to: a few kilobytes of zeros unpack to anything
# h11 has to be told of a request before it reads the answer; what is really sent is `http`'s matter.
ASKED = h11.Request(method="POST", target="/", headers=[("host", "-"), ("content-length", "0")])
ASKED_WHOLE = h11.EndOfMessage()


# What h11 says, in the words of this project.
WORDS = {
    "status line": "the answer does not begin with an HTTP status line",
    "chunk header": "a chunk has no size",
    "conflicting Content-Length": "it has two lengths that differ",
    "Content-Length": "its content-length is no number",
    "Transfer-Encoding": "it uses a transfer encoding that nobody asked for",
}


class Malformed(Exception):
    """The server does not speak HTTP/1.1, or not correctly; the text says what was wrong."""


class Cut(Exception):
    """The connection ended in the middle of the response."""


class Incoming:
    """One response while it comes in: give it bytes, and take from it a `Head`, then pieces of the body."""

    def __init__(self) -> None:
        self._reader: h11.Connection | None = None
        self._left: int | None = None  # bytes of a plain answer that are still to come
        self._is_closed = False
        self._says_more = False
        self.is_whole = False

    def feed(self, data: bytes) -> Iterator[Head | bytes]:
        """What can be read with `data` added; `b""` is the end of the connection.

        Raises `Malformed`, and `Cut` where the connection ends too early.
        """
        self._is_closed = not data
        if self._reader is None and self._left is None:
            plain = plain_head(data)
            if plain is None:
                self._reader = _asked()
            else:
                yield plain.head
                self._left, data = plain.length, data[plain.end :]
        if self._reader is None:
            yield from self._feed_plain(data)
        else:
            yield from self._feed(self._reader, data)

    def _feed_plain(self, data: bytes) -> Iterator[bytes]:
        left = self._left or 0
        if self._is_closed and left:
            raise Cut
        content = data[:left]
        self._left = left - len(content)
        self._says_more = len(data) > left
        self.is_whole = not self._left
        if content:
            yield content

    def _feed(self, reader: h11.Connection, data: bytes) -> Iterator[Head | bytes]:
        try:
            reader.receive_data(data)
            while not self.is_whole:
                event = reader.next_event()
                match event:
                    case h11.NEED_DATA:
                        return
                    case h11.Response():
                        yield Head(event.status_code, _joined(event.headers))
                    case h11.Data():
                        yield bytes(event.data)
                    case h11.EndOfMessage():
                        self.is_whole = True
                    case h11.ConnectionClosed():
                        raise Cut
                    case _:
                        continue  # `100 Continue` and its like
        except h11.RemoteProtocolError as problem:
            if not data:
                raise Cut from problem
            raise Malformed(_words(problem)) from problem

    @property
    def keeps_alive(self) -> bool:
        """Whether the server will read another request here, and has said nothing more than it was asked."""
        if self._is_closed or self._reader is None:
            return self.is_whole and not self._is_closed and not self._says_more
        return self._reader.their_state is h11.DONE and not self._reader.trailing_data[0]


def _asked() -> h11.Connection:
    """A reader that waits for the answer to a request."""
    reader = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
    reader.send(ASKED)
    reader.send(ASKED_WHOLE)
    return reader


def _joined(headers: h11._headers.Headers) -> dict[str, str]:
    joined: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined


def _words(problem: h11.RemoteProtocolError) -> str:
    if problem.error_status_hint == 431:
        return f"its headers are longer than {MAX_HEAD} bytes"
    text = str(problem)
    return next((words for sign, words in WORDS.items() if sign in text), f"it breaks a rule of HTTP ({text[:80]})")


class Inflate:
    """Undoes gzip and deflate, which some gateways send though nobody asked."""

    __slots__ = ("_limit", "_stream")

    def __init__(self, limit: int) -> None:
        self._stream = zlib.decompressobj(wbits=47)  # 32 + 15: a gzip or a zlib head, whichever comes
        self._limit = limit

    def feed(self, data: bytes) -> bytes:
        """The plain bytes; more than the limit in one go is refused rather than unpacked."""
        try:
            plain = self._stream.decompress(data, min(self._limit, MAX_UNPACKED) + 1)
        except zlib.error:
            raise Malformed("its compressed body is damaged") from None
        if len(plain) > min(self._limit, MAX_UNPACKED):
            raise Malformed(f"a piece of its body unpacks to more than {min(self._limit, MAX_UNPACKED)} bytes")
        return plain

    @property
    def complete(self) -> bool:
        return self._stream.eof


def inflater(head: Head, limit: int) -> Inflate | None:
    """What unpacks the body after `head`, or None where it is plain."""
    coding = head.headers.get("content-encoding", "identity").lower()
    if coding in ("identity", ""):
        return None
    if coding in ("gzip", "x-gzip", "deflate"):
        return Inflate(limit)
    raise Malformed(f"it uses the content encoding `{coding[:40]}`, which was not asked for")
