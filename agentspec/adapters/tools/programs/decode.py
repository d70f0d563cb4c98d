"""decode: the text of bytes that a program printed or a file holds, or a description where it is none."""

from __future__ import annotations

import re
from typing import NamedTuple

from agentspec.adapters.tools.programs.capture import Captured

_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x7fELF", "ELF program"),
    (b"SQLite format 3\0", "SQLite database"),
)
_CONTROL = re.compile(rb"[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE = 64 * 1024
_LINE = 4096  # bytes of a cut line that are given up


class Decoded(NamedTuple):
    """Text, or for binary data its description; `replaced` counts what was not UTF-8."""

    text: str
    is_binary: bool = False
    replaced: int = 0


def is_binary(sample: bytes) -> bool:
    """Whether a beginning of some data is no text: a NUL, or more than a tenth control characters or broken UTF-8."""
    if is_utf16(sample):
        return _as_utf16(sample) is None
    if b"\0" in sample:
        return True
    strange = len(_CONTROL.findall(sample)) + sample.decode("utf-8", "replace").count("\ufffd")
    return strange * 10 > len(sample)


def decode(data: bytes, *, size: int = 0) -> Decoded:
    """UTF-8 with a byte-order mark dropped, UTF-16 where its mark says so; what is broken becomes U+FFFD.

    `size` is that of the whole where `data` is only a part.
    """
    if is_binary(data[:_SAMPLE]):
        return Decoded(describe(data, "output", size or len(data)), is_binary=True)
    if is_utf16(data) and (text := _as_utf16(data)) is not None:
        return Decoded(text)
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return Decoded(data.decode())
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        return Decoded(text, replaced=text.count("\ufffd"))


def decode_captured(captured: Captured) -> Decoded:
    """The text of a stream, with a line in the place of what was not kept of its middle."""
    if captured.is_whole:
        return decode(captured.head)
    first, last = _whole_lines(captured)
    head = decode(first, size=captured.size)
    if head.is_binary:
        return head
    tail = last.decode("utf-8", "replace")
    missing = captured.size - len(first) - len(last)
    seam = f"\n[… {missing} bytes left out here …]\n"
    return Decoded(head.text + seam + tail, replaced=head.replaced + tail.count("\ufffd"))


def _whole_lines(captured: Captured) -> tuple[bytes, bytes]:
    """Both ends without a line that was cut: half of it might be half a key, which nobody would recognise as one."""
    head, tail = _whole_end(captured.head), _whole_start(captured.tail)
    end, start = head.rfind(b"\n") + 1, tail.find(b"\n") + 1
    return head[: end if len(head) - end < _LINE else None], tail[start if start < _LINE else 0 :]


def _as_utf16(data: bytes) -> str | None:
    try:
        return data[: len(data) // 2 * 2].decode("utf-16")
    except UnicodeDecodeError:
        return None


def is_utf16(sample: bytes) -> bool:
    """Whether a beginning of some data says by its byte-order mark that it is UTF-16."""
    return sample.startswith((b"\xff\xfe", b"\xfe\xff"))


def describe(data: bytes, noun: str, size: int) -> str:
    """What binary data of `size` bytes is, from its beginning."""
    kind = next((kind for start, kind in _KINDS if data.startswith(start)), "")
    begins = data[:8].hex(" ")
    return f"(binary {noun}, not shown: {size} bytes{', ' + kind if kind else ''}, begins {begins})"


def _whole_end(data: bytes) -> bytes:
    """Without a last character that was cut."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        length = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return data[:-back] if length > back else data
    return data


def _whole_start(data: bytes) -> bytes:
    """Without the rest of a character that began before."""
    start = 0
    while start < min(3, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:]
