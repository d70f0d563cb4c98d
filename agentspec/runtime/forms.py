"""forms: the forms that a secret takes in text: as it is, percent-encoded, escaped as in JSON. Pure.

Decides nothing: what is a secret, and what becomes of it, is said elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

MARKS = frozenset("\"'\\/")  # characters that a backslash alone escapes
HEX = frozenset("0123456789abcdefABCDEF")


def forms_of(secret: str) -> Iterator[str]:
    """The secret itself, and its percent-encoded forms.

    >>> sorted(set(forms_of("a key/1")))
    ['a key/1', 'a%20key%2F1', 'a%20key/1', 'a+key%2F1']
    """
    yield secret
    yield quote(secret, safe="/", errors="replace")
    yield quote(secret, safe="", errors="replace")
    yield quote_plus(secret, errors="replace")


def escaped_pattern(secrets: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds the secrets with any of their characters escaped, once or several times over.

    >>> bool(escaped_pattern(["a/b"]).search(r"\\u0061\\/b"))
    True
    """
    return re.compile("|".join("".join(map(_character, secret)) for secret in secrets))


def _character(character: str) -> str:
    plain = re.escape(character)
    units = character.encode("utf-16-be", "surrogatepass").hex()
    unicode = "".join(rf"\\+u(?i:{units[at : at + 4]})" for at in range(0, len(units), 4))
    marked = rf"|\\+{plain}" if character in MARKS else ""
    return f"(?:{plain}|{unicode}{marked})"


def begins_at(text: str, at: int, secret: str) -> bool:
    """Whether what stands from `at` to the end of `text` may be the beginning of `secret`, escaped or not."""
    for character in secret:
        if at == len(text):
            return True
        if text[at] == character and character != "\\":
            at += 1
            continue
        if text[at] != "\\":
            return False
        while at < len(text) and text[at] == "\\":
            at += 1
        if at == len(text):
            return True
        if text[at] == "u" and HEX.issuperset(code := text[at + 1 : at + 5]):
            if len(code) < 4:
                return True
            if chr(int(code, 16)) != character:
                return False
            at += 5
        elif text[at] == character and character in MARKS:
            at += 1
        else:
            return character == "\\"
    return False
