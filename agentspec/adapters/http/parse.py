"""parse: one HTTP/1.1 response out of bytes, as they come. h11 reads all that is not plain; what can't be read is
`Malformed`.

No I/O and no time in here. Sizes are bounded before anything is stored.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Protocol

from agentspec.adapters.http.plain import Cut, Head, Malformed, plain_head

MAX_UNPACKED = 16 << 20  # bytes that one piece may unpack to: a few kilobytes of zeros unpack to anything


class Reader(Protocol):
    """Who reads an answer that is not plain."""

    @property
    def is_whole(self) -> bool: ...

    @property
    def keeps_alive(self) -> bool: ...

    def feed(self, data: bytes) -> Iterator[Head | bytes]: ...


class Incoming:
    """One response while it comes in: give it bytes, and take from it a `Head`, then pieces of the body."""

    def __init__(self) -> None:
        self._reader: Reader | None = None
        self._left: int | None = None  # bytes of a plain answer that are still to come
        self._is_closed = False
        self._says_more = False

    @property
    def is_whole(self) -> bool:
        """Whether the end of the response has come."""
        return self._left == 0 if self._reader is None else self._reader.is_whole

    def feed(self, data: bytes) -> Iterator[Head | bytes]:
        """What can be read with `data` added; `b""` is the end of the connection.

        Raises `Malformed`, and `Cut` where the connection ends too early.
        """
        self._is_closed = not data
        if self._reader is None and self._left is None:
            plain = plain_head(data)
            if plain is None:
                self._reader = _any_answer()
            else:
                yield plain.head
                self._left, data = plain.length, data[plain.end :]
        yield from self._feed_plain(data) if self._reader is None else self._reader.feed(data)

    def _feed_plain(self, data: bytes) -> Iterator[bytes]:
        left = self._left or 0
        if self._is_closed and left:
            raise Cut
        content = data[:left]
        self._left = left - len(content)
        self._says_more = len(data) > left
        if content:
            yield content

    @property
    def keeps_alive(self) -> bool:
        """Whether the server will read another request here, and has said nothing more than it was asked."""
        if self._is_closed or self._reader is None:
            return self.is_whole and not self._is_closed and not self._says_more
        return self._reader.keeps_alive


def _any_answer() -> Reader:
    from agentspec.adapters.http.any_answer import AnyAnswer  # noqa: PLC0415 - h11 takes as long as a small answer

    return AnyAnswer()


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
