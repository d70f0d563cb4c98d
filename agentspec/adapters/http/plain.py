"""plain: the head of an ordinary answer, read in one look.

It never decides what is doubtful: whatever it does not take for certain is left to h11, which reads it from its start.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_HEAD = 65536
# A status line of HTTP/1.1 and headers in printable ASCII, in one piece (RFC 9112, 4 and 5). Answers without a body by
# their status (1xx, 204, 304) and redirects are no ordinary ones.
ORDINARY = re.compile(rb"HTTP/1\.1 (200|4\d\d|5\d\d) [ -~]*\r\n((?:[A-Za-z0-9-]+:[ -~]*\r\n)+)\r\n")
FIELD = re.compile(r"([^:]+): *([^\r]*)\r\n")
LENGTH = re.compile(r"[0-9]{1,15}")
LEFT_TO_H11 = frozenset(("transfer-encoding", "upgrade", "trailer"))


class Head(NamedTuple):
    """The status and the headers; names in lower case, repeated headers joined by `, ` (RFC 9110, 5.3)."""

    status: int
    headers: dict[str, str]


class Malformed(Exception):
    """The server does not speak HTTP/1.1, or not correctly; the text says what was wrong."""


class Cut(Exception):
    """The connection ended in the middle of the response."""


class Plain(NamedTuple):
    """An ordinary head, where the body begins behind it, and how long that is."""

    head: Head
    end: int
    length: int


def plain_head(data: bytes) -> Plain | None:
    """The head that `data` begins with, where it is whole and ordinary and the server keeps the connection.

    >>> plain_head(b"HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\nhi").length
    2
    >>> plain_head(b"HTTP/1.1 200 OK\\r\\ntransfer-encoding: chunked\\r\\n\\r\\n") is None
    True
    """
    found = ORDINARY.match(data, 0, MAX_HEAD)
    if found is None:
        return None
    fields = FIELD.findall(found[2].decode("ascii"))
    headers = {name.lower(): value.rstrip(" ") for name, value in fields}
    if len(headers) < len(fields) or not LEFT_TO_H11.isdisjoint(headers):
        return None
    length = headers.get("content-length", "")
    if not LENGTH.fullmatch(length) or headers.get("connection", "keep-alive") != "keep-alive":
        return None
    return Plain(Head(int(found[1]), headers), found.end(), int(length))
