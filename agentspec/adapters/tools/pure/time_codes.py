"""time_codes: times in the words of a pattern (`%d.%m.%Y`), the same on every machine whatever its language is."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from agentspec.adapters.tools.pure.moments import DAYS, MONTHS, Moment, in_zone, read_zone
from agentspec.adapters.tools.pure.pure import Unfit

MOST_PATTERN = 200
_CODE = re.compile(r"%(.?)", re.DOTALL)


def _offset(at: datetime) -> str:
    return at.strftime("%z")


WRITE: dict[str, Callable[[datetime], str]] = {
    "Y": lambda at: f"{at.year:04}",
    "y": lambda at: f"{at.year % 100:02}",
    "m": lambda at: f"{at.month:02}",
    "B": lambda at: MONTHS[at.month - 1],
    "b": lambda at: MONTHS[at.month - 1][:3],
    "d": lambda at: f"{at.day:02}",
    "j": lambda at: f"{at.timetuple().tm_yday:03}",
    "A": lambda at: DAYS[at.weekday()],
    "a": lambda at: DAYS[at.weekday()][:3],
    "u": lambda at: str(at.isoweekday()),
    "G": lambda at: f"{at.isocalendar().year:04}",
    "V": lambda at: f"{at.isocalendar().week:02}",
    "H": lambda at: f"{at.hour:02}",
    "I": lambda at: f"{at.hour % 12 or 12:02}",
    "p": lambda at: "AM" if at.hour < 12 else "PM",
    "M": lambda at: f"{at.minute:02}",
    "S": lambda at: f"{at.second:02}",
    "f": lambda at: f"{at.microsecond:06}",
    "z": _offset,
    "Z": lambda at: at.tzname() or "",
    "s": lambda at: str(int(at.timestamp())),
    "%": lambda _: "%",
}
READ = frozenset("YymBbdjAaHIpMSfz%GVu")


def _known(pattern: str, codes: str) -> None:
    if len(pattern) > MOST_PATTERN:
        raise Unfit(f"the pattern has {len(pattern)} characters; at most {MOST_PATTERN} are taken")
    for code in _CODE.findall(pattern):
        if code not in codes or not code:
            raise Unfit(f"unknown code `%{code}`; known: {' '.join(f'%{one}' for one in codes)}")


def write_time(moment: Moment, pattern: str) -> str:
    """The time in a pattern of `strftime`. Raises `Unfit` for codes that differ between machines."""
    _known(pattern, "".join(WRITE))
    if moment.at.tzinfo is None and "%s" in pattern.replace("%%", ""):
        raise Unfit("`%s` counts seconds since 1970 in UTC: give the time an offset, or a `zone`")
    return _CODE.sub(lambda found: WRITE[found[1]](moment.at), pattern)


def parse_written(text: str, pattern: str, zone: str | None) -> Moment:
    """The time that a text holds in a pattern of `strptime`, or with `unix` in seconds since 1970."""
    if pattern == "unix":
        return Moment(_from_unix(text).astimezone(read_zone(zone or "UTC")))
    _known(pattern, "".join(code for code in WRITE if code in READ))
    try:
        at = datetime.strptime(text.strip(), pattern)  # noqa: DTZ007 - a text without a zone is a time without one
    except ValueError:
        raise Unfit(f"`{text[:60]}` does not fit `{pattern}`") from None
    if not set(_CODE.findall(pattern)) & set("HIMSfzp"):
        return Moment(at, is_day=True)
    return Moment(in_zone(at, read_zone(zone)) if zone is not None and at.tzinfo is None else at)


def _from_unix(text: str) -> datetime:
    try:
        return datetime.fromtimestamp(float(text), tz=UTC)
    except (ValueError, OverflowError, OSError):
        raise Unfit(f"`{text[:60]}` is no number of seconds between the years 1 and 9999") from None
