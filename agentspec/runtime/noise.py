"""noise: characters inside a word that people don't see: sequences for terminals, unseen characters, line ends. Pure.

Told to compare texts with and without them; nothing is taken out for good here.
"""

from __future__ import annotations

import re
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
_QUIET_BYTES = bytes((*range(9), *range(0x0A, 0x1B), 0x7F))
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


def noisy_pattern(forms: Iterable[str], noise: str = NOISE) -> str:
    """A pattern that finds forms with noise between their characters.

    >>> bool(re.search(noisy_pattern(["geheim"]), "ge\\x1b[1mhe\\nim"))
    True
    """
    return "|".join(f"{noise}*".join(map(re.escape, form)) for form in forms)


class Tail(NamedTuple):
    """The end of a text without its noise. `settled` is where noise that isn't finished begins, in the text itself."""

    quiet: str
    spans: tuple[tuple[int, int], ...]
    settled: int

    def place(self, at: int) -> int:
        """Where the character of `quiet` at a place stands in the text."""
        for start, end in self.spans:
            if start > at:
                break
            at += end - start
        return at


def tail_of(text: str, longest: int) -> tuple[int, Tail]:
    """The end of a text in which a word of so many characters can have begun, and how much stands before it."""
    window = text[-ROOM * longest :]
    if "\n" not in window and not _RARE.search(window):
        return len(text) - len(window), Tail(window, (), len(window))
    unfinished = UNFINISHED.search(window) if "\x1b" in window else None
    settled = len(window) if unfinished is None else unfinished.start()
    spans = tuple((found.start(), found.end()) for found in _NOISE.finditer(window, 0, settled))
    return len(text) - len(window), Tail(_NOISE.sub("", window[:settled]), spans, settled)


@cache
def noise_of_bytes() -> str:
    """The pattern of noise for bytes of UTF-8, as text of one character a byte."""
    unseen = "|".join(
        re.escape(chr(code).encode().decode("latin-1"))
        for first, last in _ranges(UNSEEN)
        for code in range(first, last + 1)
    )
    return rf"(?:{SEQUENCE}|[\n{CONTROL}]|{unseen})"


def _ranges(characters: str) -> Iterable[tuple[int, int]]:
    return ((ord(found[1]), ord(found[2] or found[1])) for found in re.finditer(r"(.)(?:-(.))?", characters))


@cache
def _noise_in_bytes() -> re.Pattern[bytes]:
    return re.compile(noise_of_bytes().encode("latin-1"))
