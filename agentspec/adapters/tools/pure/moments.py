"""moments: dates and times as they are written, in time zones, and the calendar between them. No clock in here.

Written as ISO 8601 has it; a day alone stays a day. Years to days count on the calendar and the clock on the wall,
hours to seconds on a clock that never stops. A wall time that a zone leaves out is moved by as much as the zone moves.
"""

from __future__ import annotations

import re
import zoneinfo
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import NamedTuple

from agentspec.adapters.tools.pure.pure import Unfit
from agentspec.text.suggest import nearest

MOST_BUSINESS_DAYS = 10_000
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?")
_DAY = re.compile(r"\d{4}-?(?:\d{2}-?\d{2}|W\d{2}-?\d)")


class Moment(NamedTuple):
    """A time, or with `is_day` a whole day (then `at` is its midnight, without a zone)."""

    at: datetime
    is_day: bool = False

    def __str__(self) -> str:
        if self.is_day:
            return self.at.date().isoformat()
        text = self.at.isoformat()
        return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def read_zone(name: str) -> tzinfo:
    """A zone by its name (`Europe/Berlin`), `UTC`, or an offset (`+02:00`). Raises `Unfit`."""
    if name.upper() in ("UTC", "Z", "GMT"):
        return UTC
    found = _OFFSET.fullmatch(name)
    if found is not None and int(found[2]) < 24 and int(found[3] or 0) < 60:
        offset = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
        return timezone(-offset if found[1] == "-" else offset)
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        known = zoneinfo.available_timezones()
        city = name.strip().replace(" ", "_").lower()
        near = sorted(zone for zone in known if zone.lower() == city or zone.lower().endswith(f"/{city}"))
        near = near or nearest(name, known)
        way = f"did you mean `{near[0]}`?" if near else "write it as `Europe/Berlin`, `UTC` or `+02:00`"
        raise Unfit(f"unknown time zone `{name[:60]}`; {way}") from None


def read_moment(text: str, zone: str | None = None) -> Moment:
    """A day or a time, in `zone` where it names none. Raises `Unfit`."""
    written = text.strip()
    try:
        at = datetime.fromisoformat(written)
    except ValueError:
        raise Unfit(f"`{text[:60]}` is no day or time; write `2026-01-31` or `2026-01-31T08:05:00+01:00`") from None
    if _DAY.fullmatch(written):
        return Moment(at, is_day=True)
    return Moment(in_zone(at, read_zone(zone)) if zone is not None and at.tzinfo is None else at)


def in_zone(at: datetime, zone: tzinfo) -> datetime:
    """A wall time in a zone; one that the zone leaves out is moved to one that exists."""
    try:
        return at.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
    except (OverflowError, ValueError):
        raise out_of_range() from None


def out_of_range() -> Unfit:
    return Unfit("the result lies outside of the years 1 to 9999")


def add_calendar(moment: Moment, *, months: int, days: int) -> Moment:
    """Months first; a day that the month lacks becomes its last one."""
    at = moment.at
    count = at.year * 12 + at.month - 1 + months
    year, month = count // 12, count % 12 + 1
    try:
        last = monthrange(year, month)[1]
        moved = at.replace(year=year, month=month, day=min(at.day, last)) + timedelta(days=days)
    except (OverflowError, ValueError):
        raise out_of_range() from None
    return moment._replace(at=in_zone(moved, at.tzinfo) if at.tzinfo is not None else moved)


def add_span(moment: Moment, span: timedelta) -> Moment:
    """So many seconds later, whatever the clocks on the wall do meanwhile."""
    at = moment.at
    try:
        return Moment(at + span if at.tzinfo is None else (at.astimezone(UTC) + span).astimezone(at.tzinfo))
    except OverflowError:
        raise out_of_range() from None


def add_business_days(moment: Moment, count: int) -> Moment:
    """Monday to Friday; no holidays are known."""
    if abs(count) > MOST_BUSINESS_DAYS:
        raise Unfit(f"at most {MOST_BUSINESS_DAYS} business days are counted")
    step, left = (1 if count > 0 else -1), abs(count)
    day = moment.at.date()
    try:
        while left:
            day += timedelta(days=step)
            left -= day.weekday() < 5
    except OverflowError:
        raise out_of_range() from None
    moved = moment.at.replace(year=day.year, month=day.month, day=day.day)
    return moment._replace(at=in_zone(moved, moved.tzinfo) if moved.tzinfo is not None else moved)


def business_days(start: date, end: date) -> int:
    """Mondays to Fridays from `start` up to before `end`."""
    if end < start:
        return -business_days(end, start)
    weeks, rest = divmod((end - start).days, 7)
    return weeks * 5 + sum((start.weekday() + day) % 7 < 5 for day in range(rest))


def months_between(start: datetime, end: datetime) -> tuple[int, timedelta]:
    """Whole months from `start` to a later `end`, and what is left."""
    months = (end.year - start.year) * 12 + end.month - start.month
    while True:
        passed = add_calendar(Moment(start.replace(tzinfo=None)), months=months, days=0).at
        if passed <= end.replace(tzinfo=None):
            return months, end.replace(tzinfo=None) - passed
        months -= 1
