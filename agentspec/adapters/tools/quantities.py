"""quantities: sizes and durations of a toolkit's options, as a spec writes them. The check has seen them before."""

from __future__ import annotations

import re

from agentspec.errors import SpecInvalid

_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)\Z")
_BYTES = {"B": 1, "KB": 1000, "MB": 1000**2, "GB": 1000**3, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def bytes_of(name: str, size: int | str) -> int:
    """The bytes of an option's size. Raises `SpecInvalid`.

    >>> bytes_of("max_inline", "48KiB")
    49152
    """
    return size if isinstance(size, int) else int(_measured(name, size, _BYTES, "a size such as `2KiB`"))


def seconds_of(name: str, period: float | str) -> float:
    """The seconds of an option's duration. Raises `SpecInvalid`.

    >>> seconds_of("background_after", "250ms")
    0.25
    """
    if not isinstance(period, str):
        return float(period)
    return _measured(name, period, SECONDS, "a duration such as `30s`")


def _measured(name: str, text: str, units: dict[str, float] | dict[str, int], form: str) -> float:
    found = _QUANTITY.match(text)
    if found is None or found[2] not in units:
        raise SpecInvalid(f"`{name}` is {form}, not `{text}`")
    return float(found[1]) * units[found[2]]
