"""http_parse: one HTTP/1.1 response out of bytes, as they come (RFC 9112).

No I/O and no time in here. What a server may get wrong ends in `Malformed`, never in a guess: a length that does not
parse, two lengths that differ, a chunk without its size. Sizes are bounded before anything is stored.
"""

from __future__ import annotations

import zlib
from typing import NamedTuple, Protocol

MAX_HEAD = 65536
MAX_CHUNK_LINE = 4096
HEX = b"0123456789abcdefABCDEF"


class Malformed(Exception):
    """The server does not speak HTTP/1.1, or not correctly; the text says what was wrong."""


class Head(NamedTuple):
    """Status line and headers; names in lower case, repeated headers joined by `, ` (RFC 9110, 5.3)."""

    status: int
    version: str
    headers: dict[str, str]

    @property
    def keeps_alive(self) -> bool:
        """Whether the server promised to read another request on this connection."""
        connection = self.headers.get("connection", "").lower()
        return "close" not in connection and (self.version == "HTTP/1.1" or "keep-alive" in connection)


def find_head(buffer: bytearray) -> int:
    """The length of a complete head at the start of `buffer`, with its empty line; 0 while it is incomplete."""
    end = buffer.find(b"\r\n\r\n")
    if end >= 0:
        return end + 4
    end = buffer.find(b"\n\n")
    if end >= 0:
        return end + 2
    if len(buffer) > MAX_HEAD:
        raise Malformed(f"its headers are longer than {MAX_HEAD} bytes")
    return 0


def parse_head(block: bytes) -> Head:
    """Read a head that `find_head` found."""
    if len(block) > MAX_HEAD:
        raise Malformed(f"its headers are longer than {MAX_HEAD} bytes")
    lines = block.decode("latin-1").split("\n")
    version, _, rest = lines[0].strip().partition(" ")
    code = rest[:3]
    if not version.startswith("HTTP/1.") or not (code.isascii() and code.isdigit() and len(code) == 3):
        raise Malformed("the answer does not begin with an HTTP status line")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if not colon:
            continue
        name, value = name.strip().lower(), value.strip()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return Head(int(code), version, headers)


class Body(Protocol):
    """Where one kind of body ends. `done` is true after the last byte; then nothing more may be fed."""

    done: bool
    spare: bytes

    def feed(self, data: bytes) -> bytes:
        """The content in `data`; what comes after the end is kept in `spare`."""
        ...

    def end_is_whole(self) -> bool:
        """Whether the body is complete if the connection ends here."""
        ...


class Sized:
    """A body of a length that was told."""

    __slots__ = ("done", "left", "spare")

    def __init__(self, length: int) -> None:
        self.left = length
        self.done = length == 0
        self.spare = b""

    def feed(self, data: bytes) -> bytes:
        if len(data) > self.left:
            data, self.spare = data[: self.left], data[self.left :]
        self.left -= len(data)
        self.done = self.left == 0
        return data

    def end_is_whole(self) -> bool:
        return self.done


class UntilClose:
    """A body that ends with the connection."""

    __slots__ = ("done", "spare")

    def __init__(self) -> None:
        self.done = False
        self.spare = b""

    def feed(self, data: bytes) -> bytes:
        return data

    def end_is_whole(self) -> bool:
        return True


class Chunked:
    """A body in chunks, each with its size before it (RFC 9112, 7.1)."""

    __slots__ = ("_buffer", "_left", "_trailer", "done", "spare")

    def __init__(self) -> None:
        self.done = False
        self.spare = b""
        self._buffer = b""
        self._left = 0  # bytes that are missing of the current chunk, with the line end after it
        self._trailer = False

    def feed(self, data: bytes) -> bytes:
        if self._buffer:
            data, self._buffer = self._buffer + data, b""
        content: list[bytes] = []
        position = 0
        while position < len(data) and not self.done:
            if self._left:
                piece = data[position : position + self._left]
                position += len(piece)
                content.append(piece[: max(0, self._left - 2)])
                self._left -= len(piece)
                continue
            end = data.find(b"\n", position)
            if end < 0:
                self._keep(data[position:])
                break
            self._line(data[position:end].strip())
            position = end + 1
        if self.done:
            self.spare = data[position:]
        return content[0] if len(content) == 1 else b"".join(content)

    def _keep(self, part: bytes) -> None:
        if len(part) > MAX_CHUNK_LINE:
            raise Malformed("a chunk has no size")
        self._buffer = part

    def _line(self, line: bytes) -> None:
        if self._trailer:
            self.done = not line
            return
        digits = line.partition(b";")[0].strip()
        if not 0 < len(digits) <= 16 or digits.strip(HEX):  # `int` would take `0x5`, `-5` and `1_0` too
            raise Malformed("a chunk has no size")
        size = int(digits, 16)
        if size:
            self._left = size + 2
        else:
            self._trailer = True

    def end_is_whole(self) -> bool:
        return self.done


def body_of(head: Head) -> Body:
    """How the body after `head` ends (RFC 9112, 6.3)."""
    if head.status in (204, 304):
        return Sized(0)
    coding = head.headers.get("transfer-encoding", "").lower()
    if coding:
        if coding != "chunked":
            raise Malformed(f"it uses the transfer encoding `{coding[:40]}`")
        return Chunked()
    told = head.headers.get("content-length")
    if told is None:
        return UntilClose()
    lengths = {part.strip() for part in told.split(",")}
    length = lengths.pop()
    if lengths or not (length.isascii() and length.isdigit()) or len(length) > 15:
        raise Malformed("its content-length is no number")
    return Sized(int(length))


class Inflate:
    """Undoes gzip and deflate, which some gateways send though nobody asked."""

    __slots__ = ("_limit", "_stream")

    def __init__(self, limit: int) -> None:
        self._stream = zlib.decompressobj(wbits=47)  # 32 + 15: a gzip or a zlib head, whichever comes
        self._limit = limit

    def feed(self, data: bytes) -> bytes:
        """The plain bytes; more than the limit in one go is refused rather than unpacked."""
        try:
            plain = self._stream.decompress(data, self._limit + 1)
        except zlib.error:
            raise Malformed("its compressed body is damaged") from None
        if len(plain) > self._limit:
            raise Malformed(f"its body unpacks to more than {self._limit} bytes")
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
