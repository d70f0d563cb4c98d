"""forms: the forms that a secret takes in text: as it is, encoded, escaped as in JSON. Pure.

Decides nothing: what is a secret, and what becomes of it, is said elsewhere.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote, quote_plus

NAMED = {"\n": "n", "\r": "r", "\t": "t"}  # characters that JSON escapes by a letter
MARKS = frozenset("\"'\\/")  # characters that a backslash alone escapes
_URL_SAFE = str.maketrans("+/", "-_")
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


def encoded_forms(secret: str) -> Iterator[str]:
    """What programs make of a secret that they are given: hexadecimal, base64, every character in percent, reversed.

    Of base64 only what does not depend on what stands before and after.

    >>> list(encoded_forms("geheim-0"))[:2], list(encoded_forms("geheim-0"))[4]
    (['67656865696d2d30', '67656865696D2D30'], 'Z2VoZWltLT')
    """
    raw = secret.encode("utf-8", "surrogateescape")
    yield raw.hex()
    yield raw.hex().upper()
    yield "".join(f"%{byte:02X}" for byte in raw)
    yield secret[::-1]
    for before in range(3):
        encoded = b64encode(bytes(before) + raw).decode("ascii")
        stable = encoded[-(-before * 8 // 6) : (before + len(raw)) * 8 // 6]
        yield stable
        yield stable.translate(_URL_SAFE)


def escaped_pattern(secrets: Iterable[str], plain: Callable[[str], str] = str) -> str:
    """A pattern that finds the secrets with any of their characters escaped, once or several times over.

    `plain` says how a character that is not escaped looks.

    >>> bool(re.search(escaped_pattern(["a/b"]), "\\\\u0061\\\\/b"))
    True
    """
    return "|".join("".join(_character(each, plain) for each in secret) for secret in secrets)


def _character(character: str, plain: Callable[[str], str]) -> str:
    as_it_is = re.escape(plain(character))
    units = character.encode("utf-16-be", "surrogatepass").hex()
    unicode = "".join(rf"\\+u(?i:{units[at : at + 4]})" for at in range(0, len(units), 4))
    name = NAMED.get(character, as_it_is if character in MARKS else "")
    marked = rf"|\\+{name}" if name else ""
    return f"(?:{as_it_is}|{unicode}{marked})"


def bare(text: str, plain: Callable[[str], str] = str) -> str:
    """A text as it is however often it was escaped as in JSON: without backslashes, line ends as letters. To compare.

    `plain` says how a character that is not escaped looks.

    >>> bare("ge\\\\u0068\\\\neim") == bare("geh\\neim")
    True
    """
    return _ESCAPE.sub(lambda found: plain(_character_of(found)), text).translate(_BARE)


_ESCAPE = re.compile(r"\\+u([dD][89abAB][0-9a-fA-F]{2})\\+u([dD][c-fC-F][0-9a-fA-F]{2})|\\+u([0-9a-fA-F]{4})")
_BARE = {ord("\\"): None, **{ord(character): letter for character, letter in NAMED.items()}}


def _character_of(found: re.Match[str]) -> str:
    units = bytes.fromhex(found[3] or found[1] + found[2])
    return units.decode("utf-16-be", "surrogatepass")


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
        elif text[at] == NAMED.get(character, character if character in MARKS else ""):
            at += 1
        else:
            return character == "\\"
    return False
