"""visible: characters that nobody sees or that steer a terminal, told from text and shown as escapes.

What comes out of `visible` may go to a terminal whatever came in.
"""

from __future__ import annotations

import json
import re
from functools import cache

# Trojan Source (CVE-2021-42574): text that reads otherwise than it runs.
BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")  # parts of emoji, and of words in many scripts
HIDDEN = (
    r"\x85\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
CONTROL = r"\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff"


@cache
def _hidden() -> re.Pattern[str]:
    return re.compile(f"[{HIDDEN}]")


@cache
def _unprintable() -> re.Pattern[str]:
    return re.compile(f"[{CONTROL}{HIDDEN}]")


@cache
def _steering() -> re.Pattern[str]:
    return re.compile("[" + CONTROL.replace(r"\x0b-\x1f", r"\x0b\x0c\x0e-\x1f") + "".join(sorted(BIDI)) + "]")


def has_hidden(text: str) -> bool:
    """Whether a text holds any character that nobody sees: zero-width, bidirectional, tags, odd line ends."""
    return not text.isascii() and _hidden().search(text) is not None


def hidden_in(text: str) -> list[str]:
    """Those characters, in order."""
    return [] if text.isascii() else _hidden().findall(text)


def visible(text: str) -> str:
    """The text with every character that is unseen or steers a terminal as an escape; tabs and line ends stay.

    >>> visible("a\\x1b[31m\\u202e")
    'a\\\\x1b[31m\\\\u202e'
    """
    return _unprintable().sub(_escape, text)


def harmless(text: str) -> str:
    """The text with escapes only for what steers a terminal; whatever else is unseen may belong to the content."""
    return _steering().sub(_escape, text)


def one_line(text: str) -> str:
    """As `visible`, with line ends as escapes too: what tells of one event is one line."""
    return visible(text).replace("\n", "\\n")


def plain_json(text: str) -> str:
    """A JSON text with every character that is unseen or steers a terminal as a JSON escape; its value is the same.

    >>> plain_json('{"a": "\u202e\x9b é"}')
    '{"a": "\\\\u202e\\\\u009b é"}'
    """
    return _unprintable().sub(lambda found: json.dumps(found.group())[1:-1], text)


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    before = found.string[found.start() - 1 : found.start()]
    if character in JOINERS and before and not before.isascii():
        return character  # inside an emoji or a word, where it changes what is seen
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
