"""cap: keep a text within a number of bytes, head and tail, and say what was left out.

The result never passes the cap, marker included, and never holds half a character.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_SURROGATE = re.compile("[\ud800-\udfff]")
READ_OUTPUT = "read_output"  # the tool that reads on in a text that was cut
_CHUNK = 1024 * 1024  # characters that are encoded at once only to be counted


class Capped(NamedTuple):
    """A text within its cap; `full_bytes` is the UTF-8 size of the whole, cut or not."""

    text: str
    truncated: bool
    full_bytes: int


def encodable(text: str) -> str:
    """The same text with surrogate pairs joined and U+FFFD for lone surrogates; any other text as it is."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def byte_size(text: str) -> int:
    """The UTF-8 size of a text, without a second copy of a large one."""
    if text.isascii():
        return len(text)
    return sum(len(text[start : start + _CHUNK].encode()) for start in range(0, len(text), _CHUNK))


def cap(text: str, max_bytes: int, artifact: str | None = None, *, full_bytes: int = 0) -> Capped:
    """Cut `text` to at most `max_bytes` of UTF-8: whole lines of its head and tail with a marker between.

    `artifact` is the id under which the whole can be read. `full_bytes` is the true size where `text` is itself only
    head and tail of an output that was too large to hold.

    >>> cap("short", 64)
    Capped(text='short', truncated=False, full_bytes=5)
    """
    text = encodable(text)
    size = byte_size(text)
    whole = max(size, full_bytes)
    if size <= max_bytes and whole == size:
        return Capped(text, truncated=False, full_bytes=size)
    marker = _marker(whole, max_bytes, artifact)
    room = max_bytes - len(marker.encode())
    # Less than a line of each end tells nothing: where the cap is that small, the marker stands alone.
    head = _head(text, room // 2)
    tail = _tail(text, room - len(head.encode()), len(head))
    return Capped(head + marker + tail, truncated=True, full_bytes=whole)


def _marker(whole: int, max_bytes: int, artifact: str | None) -> str:
    """The longest wording that leaves something of the text, or else what fits."""
    rest = f'; read the rest with `{READ_OUTPUT}(artifact="{artifact}")`' if artifact else ""
    wordings = (
        f"\n[… cut: {whole} bytes in all, about {max(0, whole - max_bytes)} left out here{rest} …]\n",
        f"\n[… cut: {whole} bytes in all{', artifact ' + artifact if artifact else ''} …]\n",
        f"[… {whole} bytes]",
        "[…]",
        "…",
    )
    for wording in wordings:
        if len(wording.encode()) * 2 <= max_bytes:
            return wording
    return next((wording for wording in wordings if len(wording.encode()) <= max_bytes), "")


def _head(text: str, room: int) -> str:
    """At most `room` bytes from the start, ending with a whole line unless that loses more than half."""
    kept = text[: max(0, room)].encode()[: max(0, room)].decode("utf-8", "ignore")
    line = kept.rfind("\n") + 1
    return kept[:line] if line * 2 > len(kept) else kept


def _tail(text: str, room: int, start: int) -> str:
    """At most `room` bytes from the end, but not from before `start`, beginning with a whole line if it can."""
    if room <= 0:
        return ""
    kept = text[max(start, len(text) - room) :].encode()[-room:].decode("utf-8", "ignore")
    line = kept.find("\n") + 1
    return kept[line:] if line * 2 < len(kept) else kept
