"""numbers: what other languages take for a number, as the DSL writes it. It reads no text of its own."""

from __future__ import annotations

import re
from typing import Final

_BASED: Final = re.compile(r"0(?:[xX][0-9A-Fa-f_]+|[oO][0-7_]+|[bB][01_]+)")
_DECIMAL: Final = re.compile(r"(?P<whole>[0-9][0-9_]*)?(?P<rest>\.[0-9_]*)?")


def number_meant(text: str) -> str | None:
    """The number that YAML, or a language to program in, reads in a text; None where it is none.

    >>> [number_meant(text) for text in ("0x1F", "+5", "-.5", "1_000", "5.", "v1", "1.2.0", "-")]
    ['31', '5', '-0.5', '1000', '5.0', None, None, None]
    """
    sign, plain = "-" * text.startswith("-"), text.lstrip("+-")
    if len(text) - len(plain) > 1 or not re.search("[0-9]", plain):
        return None
    try:
        if _BASED.fullmatch(plain):
            return f"{sign}{int(plain, 0)}"
    except ValueError:  # `0x_`, `1__0`
        return None
    found = _DECIMAL.fullmatch(plain)
    if found is None:
        return None
    whole, rest = (found["whole"] or "0").replace("_", ""), (found["rest"] or "").replace("_", "")
    return f"{sign}{whole}{f'{rest}0' if rest == '.' else rest}"
