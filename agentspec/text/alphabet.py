"""alphabet: letters of other alphabets that look like Latin ones, named where nobody sees what is wrong with a word."""

from __future__ import annotations


def look_alikes(written: str, meant: str) -> str:
    """What to add to a suggestion that looks like the word itself: `; its 3rd letter …`, or nothing.

    >>> look_alikes("re\u0430d", "read")
    '; the letter `\u0430` is U+0430, not `a`'
    >>> look_alikes("raed", "read")
    ''
    """
    if written.isascii() or len(written) != len(meant):
        return ""
    others = [(own, other) for own, other in zip(written, meant, strict=True) if own.lower() != other.lower()]
    if not others or not all(ord(own) > 127 and other.isascii() for own, other in others):
        return ""
    own, other = others[0]
    return f"; the letter `{own}` is U+{ord(own):04X}, not `{other}`"
