"""tokens: about how many tokens a text has, from what its characters are. Pure, and the same everywhere.

No vocabulary is asked. What a model's own tokenizer makes of a text is learned from the usage that its provider reports
(`core.context.counted`); this only has to weigh prose, code, data and other scripts truly against each other.
"""

from __future__ import annotations

from collections.abc import Iterable


def _classes() -> bytes:
    """The kind of each byte of UTF-8: of an ASCII character, or of the first byte of another one."""
    kinds: Iterable[tuple[int, int, str]] = (
        (0x00, 0x7F, "."),  # punctuation and signs
        (0x80, 0xFF, "s"),  # symbols, and bytes that begin no character
        (ord("a"), ord("z"), "a"),
        (ord("A"), ord("Z"), "A"),
        (ord("0"), ord("9"), "0"),
        (ord("\t"), ord("\t"), " "),
        (ord("\n"), ord("\n"), "\n"),
        (ord("\r"), ord("\r"), " "),
        (ord(" "), ord(" "), " "),
        (0xC2, 0xCA, "l"),  # Latin with marks
        (0xCB, 0xDF, "g"),  # Greek, Cyrillic, Hebrew, Arabic
        (0xE0, 0xE1, "i"),  # scripts of India and South-East Asia
        (0xE3, 0xE3, "k"),  # kana
        (0xE4, 0xE9, "c"),  # Chinese characters
        (0xEA, 0xED, "h"),  # Hangul
        (0xEE, 0xEF, "p"),  # full-width punctuation
        (0xF0, 0xF4, "e"),  # emoji
    )
    table = bytearray(256)
    for first, last, kind in kinds:
        table[first : last + 1] = kind.encode() * (last + 1 - first)
    return bytes(table)


KINDS = _classes()
CONTINUING = bytes(range(0x80, 0xC0))  # every byte of a character but its first
# Tokens for each kind of character, and for each pair: mostly where a word begins. Fitted by least squares to the
# vocabulary o200k_base, on prose and code of several languages, JSON, logs, tables and emoji.
ASCII: tuple[tuple[bytes, float], ...] = (
    *((b"a", 0.09), (b"A", 0.19), (b"0", 0.24), (b"\n", 0.65)),
    *((b" a", 0.60), (b" A", 0.64), (b".A", 1.55), (b"aA", 1.54), (b"0a", 1.70)),
    *((b" 0", 2.74), (b".0", 1.91), (b"..", 0.30), (b" .", 1.05), (b"a.", 1.27)),
)
OTHER: tuple[tuple[bytes, float], ...] = (
    *((b"l", 1.21), (b"g", 0.38), (b"i", 0.60), (b"k", 0.72), (b"c", 0.75), (b"h", 0.79)),
    *((b"p", 1.0), (b"s", 1.5), (b"e", 1.90)),
)


def tokens_of(text: str) -> float:
    """About how many tokens a text has.

    >>> round(tokens_of("The quick brown fox jumps over the lazy dog.")), tokens_of("")
    (10, 0.0)
    """
    kinds = b" " + text.encode("utf-8", "surrogatepass").translate(KINDS, CONTINUING)
    count = kinds.count
    tokens = 0.0
    for kind, weight in ASCII:
        tokens += count(kind) * weight
    if not text.isascii():
        for kind, weight in OTHER:
            tokens += count(kind) * weight
    return tokens
