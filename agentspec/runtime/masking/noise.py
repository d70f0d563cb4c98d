"""noise: characters inside a word that people don't see: sequences for terminals, unseen characters, line ends. Pure.

Told to compare texts with and without them; nothing is taken out for good here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

UNSEEN = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff"
CONTROL = r"\x00-\x08\x0b-\x1a\x7f"
SEQUENCE = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z^_])"  # ECMA-48: CSI, OSC, C1
NOISE = rf"(?:{SEQUENCE}|[\n{CONTROL}{UNSEEN}])"
UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]{0,200}\x1b?)?\Z")
ROOM = 8  # how many times its length a word may have with noise inside
_NOISE = re.compile(NOISE)
# Without NUL, which stands between the letters of UTF-16.
_QUIET_BYTES = bytes((*range(1, 9), *range(0x0A, 0x1B), 0x7F))
_RARE_BYTES = (b"\x1b", *(bytes((lead,)) for lead in (0xC2, 0xCD, 0xD8, 0xE1, 0xE2, 0xEF)))  # begin what is unseen
_RARE = re.compile(rf"[\x1b{CONTROL}{UNSEEN}]")


def without_noise(text: str) -> str:
    """The text without noise; the very same one where there is none.

    >>> without_noise("ge\\x1b[1mhe\\nim")
    'geheim'
    """
    if not (text.isascii() and text.isprintable()) and _RARE.search(text):
        return _NOISE.sub("", text)
    if "\n" not in text:
        return text
    return text.replace("\n", "")


def bytes_without_noise(raw: bytes) -> bytes:
    """The same for bytes of UTF-8."""
    if any(byte in raw for byte in _RARE_BYTES):
        raw = _noise_in_bytes().sub(b"", raw)
    return raw.translate(None, _QUIET_BYTES)


class Places(NamedTuple):
    """Where the characters of a text without noise stood. `starts` are places before which noise was, `shifts` how much
    of it till there.
    """

    starts: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span of what is left, in the text itself."""
        return self.place(start), self.place(end - 1) + 1

    def place(self, at: int) -> int:
        """Where the character at a place stands in the text."""
        before = bisect_right(self.starts, at)
        return at + (self.shifts[before - 1] if before else 0)


def places_in(text: str) -> Places:
    """Where everything of a text stands that is no noise.

    >>> places_in("ge\\x1b[1mheim").place(2)
    6
    """
    return _left(found.span() for found in _NOISE.finditer(text))


def places_in_bytes(raw: bytes) -> Places:
    """The same for bytes of UTF-8."""
    return _left(found.span() for found in _noise_in_bytes().finditer(raw))


def _left(noise: Iterable[tuple[int, int]]) -> Places:
    starts: list[int] = []
    shifts: list[int] = []
    gone = 0
    for start, end in noise:
        starts.append(start - gone)
        gone += end - start
        shifts.append(gone)
    return Places(tuple(starts), tuple(shifts))


class Tail(NamedTuple):
    """The end of a text without its noise. `before` it stands so much; from `settled` on a sequence isn't finished."""

    quiet: str
    places: Places
    before: int
    settled: int


def tail_of(text: str, longest: int) -> Tail:
    """The end of a text in which a word of so many characters can have begun."""
    window = text[-ROOM * longest :]
    before = len(text) - len(window)
    if "\n" not in window and not _RARE.search(window):
        return Tail(window, Places(), before, len(window))
    unfinished = UNFINISHED.search(window) if "\x1b" in window else None
    settled = len(window) if unfinished is None else unfinished.start()
    return Tail(_NOISE.sub("", window[:settled]), places_in(window[:settled]), before, settled)


@cache
def _noise_in_bytes() -> re.Pattern[bytes]:
    unseen = "|".join(
        re.escape(chr(code).encode().decode("latin-1"))
        for first, last in _ranges(UNSEEN)
        for code in range(first, last + 1)
    )
    return re.compile(rf"(?:{SEQUENCE}|[\x01-\x08\n\x0b-\x1a\x7f]|{unseen})".encode("latin-1"))


def _ranges(characters: str) -> Iterable[tuple[int, int]]:
    return ((ord(found[1]), ord(found[2] or found[1])) for found in re.finditer(r"(.)(?:-(.))?", characters))
