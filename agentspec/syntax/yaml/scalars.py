"""scalars: what a plain YAML scalar means, by the core schema of YAML 1.2.2, 10.3.2.

Never YAML 1.1: `no`, `1:30`, `1_000` and dates are strings, `012` is twelve. `.inf` and `.nan` have no value here.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from agentspec.syntax.limits import MAX_DIGITS
from agentspec.syntax.tree import Plain

CONSTANTS: dict[str, Plain] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
NOT_FINITE = frozenset(
    [sign + word for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")] + [".nan", ".NaN", ".NAN"]
)
NUMBER_STARTS = frozenset("0123456789+-.")


class Valueless(NamedTuple):
    """A number that the tree cannot hold, and why."""

    reason: str


@cache
def _number() -> re.Pattern[str]:
    return re.compile(
        r"(?P<decimal>[-+]?[0-9]+)|0o(?P<octal>[0-7]+)|0x(?P<hexadecimal>[0-9a-fA-F]+)"
        r"|(?P<real>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
    )


def resolve(text: str) -> Plain | Valueless:
    """The value of a plain scalar.

    >>> resolve("no"), resolve("012"), resolve("0o17"), resolve("1e3"), resolve("")
    ('no', 12, 15, 1000.0, None)
    """
    if text in CONSTANTS:
        return CONSTANTS[text]
    if text[0] not in NUMBER_STARTS:
        return text
    if text in NOT_FINITE:
        return Valueless("is not a finite number")
    return _resolve_number(text)


def _resolve_number(text: str) -> Plain | Valueless:
    found = _number().fullmatch(text)
    if found is None:
        return text
    if len(text) > MAX_DIGITS:
        return Valueless(f"is a number of more than {MAX_DIGITS} digits")
    digits = found.group(found.lastgroup or 0)
    match found.lastgroup:
        case "decimal":
            return int(digits)
        case "octal":
            return int(digits, 8)
        case "hexadecimal":
            return int(digits, 16)
    value = float(digits)
    return Valueless("is too large for a number") if value in (float("inf"), float("-inf")) else value


def has_leading_zero(text: str) -> bool:
    """Whether a plain integer is written as YAML 1.1 writes octal numbers (`012`)."""
    digits = text.lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits.isdigit()


def is_text(text: str) -> bool:
    """Whether a plain scalar is a string to every reader of YAML 1.2, so that it needs no quotes."""
    return isinstance(resolve(text), str)
