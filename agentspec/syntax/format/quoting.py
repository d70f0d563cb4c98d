"""quoting: a string between double quotes, with JSON's escapes (RFC 8259, section 7), as both spellings read it.

What nobody sees, or what steers a terminal, is never written raw there; joiners are, since emoji are made with them.
"""

from __future__ import annotations

import json
import re

from agentspec.text.visible import BIDI, CONTROL, HIDDEN, JOINERS

_ESCAPED = re.compile(f"(?![{''.join(sorted(JOINERS))}])[{CONTROL}{HIDDEN}\t]")
# What no text may hold that stands in the file line by line: it would not be read, a line would end where none ends, or
# the text would read otherwise than it runs.
_UNWRITABLE = re.compile(rf"[{CONTROL}\x85\u2028\u2029\ufeff{''.join(sorted(BIDI))}]")


def double_quoted(text: str, *, wide: bool) -> str:
    """The text in double quotes. `wide` has YAML's escape for what JSON writes as two halves."""
    return hidden_escaped(json.dumps(text, ensure_ascii=False), wide=wide)


def hidden_escaped(written: str, *, wide: bool) -> str:
    """What stands between quotes already, with escapes for all that does not show; line ends outside stay."""
    return _ESCAPED.sub(lambda found: _escape(ord(found[0]), wide=wide), written)


def _escape(number: int, *, wide: bool) -> str:
    return f"\\U{number:08X}" if number > 0xFFFF and wide else json.dumps(chr(number))[1:-1]


def needs_escapes(text: str) -> bool:
    """Whether a text holds what can be written between double quotes only, and there as an escape."""
    return "\n" in text or _ESCAPED.search(text) is not None


def is_writable(text: str) -> bool:
    """Whether a text, of several lines or one, may stand in the file as it is."""
    return _UNWRITABLE.search(text) is None
