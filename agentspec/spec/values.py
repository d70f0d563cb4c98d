"""values: what the words and numbers of a spec mean: durations, sizes and the patterns of names.

No pydantic and no tree here: the structural check, the models and the runtime all read values through these functions.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

DURATION_UNITS: Final[dict[str, float]] = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
SIZE_UNITS: Final[dict[str, int]] = {
    "B": 1,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
UNITS: Final[dict[str, tuple[str, ...]]] = {"duration": tuple(DURATION_UNITS), "size": tuple(SIZE_UNITS)}

# Words that people write for a unit; what is not here is looked for by its spelling.
UNIT_WORDS: Final[dict[str, dict[str, str]]] = {
    "duration": {
        **dict.fromkeys(("msec", "msecs", "millis", "millisecond", "milliseconds"), "ms"),
        **dict.fromkeys(("S", "sec", "secs", "second", "seconds"), "s"),
        **dict.fromkeys(("M", "min", "mins", "minute", "minutes"), "m"),
        **dict.fromkeys(("H", "hr", "hrs", "hour", "hours"), "h"),
        **dict.fromkeys(("D", "day", "days"), "d"),
    },
    "size": {
        **dict.fromkeys(("b", "byte", "bytes", "Bytes"), "B"),
        **dict.fromkeys(("k", "K", "kb", "Kb"), "KB"),
        **dict.fromkeys(("m", "M", "mb", "Mb"), "MB"),
        **dict.fromkeys(("g", "G", "gb", "Gb"), "GB"),
        **dict.fromkeys(("ki", "Ki", "kib", "Kib", "kiB"), "KiB"),
        **dict.fromkeys(("mi", "Mi", "mib", "Mib", "miB"), "MiB"),
        **dict.fromkeys(("gi", "Gi", "gib", "Gib", "giB"), "GiB"),
    },
}

TYPES: Final = ("string", "integer", "number", "boolean", "object", "any")
OTHER_TYPES: Final[dict[str, str]] = {
    **dict.fromkeys(("str", "text", "varchar"), "string"),
    **dict.fromkeys(("int", "long"), "integer"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("dict", "map", "mapping", "record", "json"), "object"),
    **dict.fromkeys(("list", "array"), "any[]"),
}

Measure = Literal["duration", "size"]
_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?)[ \t]*([A-Za-zµ]*)")


class Quantity(NamedTuple):
    """A number and what stands behind it: `30s` is `30` and `s`. The unit may be empty or unknown."""

    number: str
    unit: str


def split_quantity(text: str) -> Quantity | None:
    """The number and the unit of a text, or None where it isn't a number with at most a word behind it.

    >>> split_quantity("3days")
    Quantity(number='3', unit='days')
    """
    match = _QUANTITY.fullmatch(text)
    return None if match is None else Quantity(match[1], match[2])


def is_quantity(text: str, measure: Measure) -> bool:
    """Whether a text is a number directly followed by a known unit of that measure."""
    quantity = split_quantity(text)
    return quantity is not None and quantity.unit in UNITS[measure] and text == quantity.number + quantity.unit


def parse_duration(text: str) -> float:
    """The seconds of a duration such as `250ms`, `30s`, `5m` or `2h`.

    Raises `ValueError` for anything else; a bare number is not a duration, since nobody can see its unit.

    >>> parse_duration("250ms")
    0.25
    """
    quantity = split_quantity(text)
    if quantity is None or not is_quantity(text, "duration"):
        raise ValueError(f"`{text}` is not a duration such as `30s`")
    return float(quantity.number) * DURATION_UNITS[quantity.unit]


def parse_size(text: str) -> int:
    """The bytes of a size such as `64KiB` (1024 bytes each) or `10MB` (1 000 000 bytes each).

    Raises `ValueError` for anything else, also for a part of a byte.

    >>> parse_size("64KiB")
    65536
    """
    quantity = split_quantity(text)
    if quantity is None or not is_quantity(text, "size"):
        raise ValueError(f"`{text}` is not a size such as `64KiB`")
    size = float(quantity.number) * SIZE_UNITS[quantity.unit]
    if not size.is_integer():
        raise ValueError(f"`{text}` is not a whole number of bytes")
    return int(size)


def is_pattern(text: str) -> bool:
    """Whether a text is a regular expression of RE2, which never backtracks: no look-around, no back-references."""
    import re2  # noqa: PLC0415 - a shared library, loaded only where patterns are written

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(text, options)
    except re2.error:
        return False
    return True


def is_full_schema(value: object) -> bool:
    """Whether a tool's parameters are `{schema: …}` alone with a JSON Schema of an object, not types by name."""
    full = value.get("schema") if isinstance(value, dict) and len(value) == 1 else None
    return isinstance(full, dict) and ("properties" in full or full.get("type") == "object")
