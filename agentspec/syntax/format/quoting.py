"""quoting: a string between double quotes, with JSON's escapes (RFC 8259, section 7), as both spellings read it.

What could steer a terminal, or is taken for a line end or for nothing at all by some reader, is never written raw.
"""

from __future__ import annotations

import json
import re

# Control characters, line ends of old, byte-order marks, what is no character, and marks that turn text around.
_HIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\xa0\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\U000e0000-\U0010ffff]"
)
# What no text may hold that stands in the file line by line: it would not be read, or a line would end where none ends.
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def double_quoted(text: str, *, wide: bool) -> str:
    """The text in double quotes. `wide` has YAML's escape for what JSON writes as two halves."""
    return hidden_escaped(json.dumps(text, ensure_ascii=False), wide=wide)


def hidden_escaped(written: str, *, wide: bool) -> str:
    """What stands between quotes already, with escapes for all that does not show; line ends outside stay."""
    return _HIDDEN.sub(lambda found: _escape(ord(found[0]), wide=wide), written)


def _escape(number: int, *, wide: bool) -> str:
    return f"\\U{number:08X}" if number > 0xFFFF and wide else json.dumps(chr(number))[1:-1]


def needs_escapes(text: str) -> bool:
    """Whether a text holds what can be written between double quotes only, and there as an escape."""
    return "\n" in text or _HIDDEN.search(text) is not None


def is_writable(text: str) -> bool:
    """Whether a text, of several lines or one, may stand in the file as it is."""
    return _UNWRITABLE.search(text) is None
