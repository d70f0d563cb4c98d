"""retry_after: how long a server says that its caller is to wait, in all the forms in which servers say it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

STEPS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
STEP = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
# Of a limit that is used up: the header with what is left of it, and the one that says when it is whole again.
LIMITS = tuple(
    (f"{family}{left}", f"{family}{reset}")
    for family, pairs in {
        "x-ratelimit-": (("remaining-requests", "reset-requests"), ("remaining-tokens", "reset-tokens")),
        "anthropic-ratelimit-": tuple(
            (f"{what}-remaining", f"{what}-reset") for what in ("requests", "tokens", "input-tokens", "output-tokens")
        ),
    }.items()
    for left, reset in pairs
)


def read_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait: `retry-after-ms`, or `retry-after` in seconds or as a date (RFC 9110, 10.2.3).

    Without one of these, until the last of the limits that are used up is whole again (`x-ratelimit-…`). Dates are
    counted from the server's own `date`, so that a wrong clock here does not matter. A negative or unreadable value
    says nothing; an absurdly large one is handed on, since it tells that retrying is pointless.

    >>> read_retry_after({"retry-after": "2"}, 0.0)
    2.0
    >>> read_retry_after({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m30s"}, 0.0)
    90.0
    """
    in_ms = seconds_of(headers.get("retry-after-ms", ""))
    if in_ms is not None:
        return in_ms / 1000
    told = headers.get("retry-after", "")
    if told:
        return _wait(told, headers, now)
    resets = [_wait(headers.get(reset, ""), headers, now) for left, reset in LIMITS if headers.get(left) == "0"]
    return max((reset for reset in resets if reset is not None), default=None)


def seconds_of(text: str) -> float | None:
    """A number that may be a time to wait; None where it is none.

    >>> seconds_of("1.5"), seconds_of("-1"), seconds_of("inf")
    (1.5, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _wait(told: str, headers: Mapping[str, str], now: float) -> float | None:
    """Seconds of a number, of steps such as `6m0s`, or until a date."""
    steps = STEP.findall(told) if STEP.sub("", told) == "" else []
    seconds = sum(float(count) * STEPS[step] for count, step in steps) if steps else seconds_of(told)
    if seconds is not None or not told:
        return seconds
    at = _date(told)
    if at is None:
        return None
    since = _date(headers.get("date", ""))
    return max(0.0, math.ceil(at - (now if since is None else since)))


def _date(text: str) -> float | None:
    if text[:4].isdigit():  # 2027-01-01T00:00:10Z
        from datetime import datetime  # noqa: PLC0415 - as below

        try:
            return datetime.fromisoformat(text).timestamp()
        except ValueError:
            return None
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  (20 ms, for a header that is rare)

    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
