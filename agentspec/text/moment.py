"""moment: a time in words, the same everywhere: in UTC, to the second. No clock: the time comes from the caller."""

from __future__ import annotations

from datetime import UTC, datetime


def utc(seconds: float) -> str:
    """Seconds since the epoch as a date and a time.

    >>> utc(1.5)
    '1970-01-01 00:00:01 UTC'
    """
    return f"{datetime.fromtimestamp(seconds, tz=UTC):%Y-%m-%d %H:%M:%S} UTC"
