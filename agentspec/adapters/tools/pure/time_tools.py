"""time_tools: the toolkit `time`: what day it is, and reckoning with days and times.

Only `now` knows the time: that of its call. Everything else is a function of its arguments.
"""

from __future__ import annotations

from calendar import isleap, monthrange
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from agentspec.adapters.tools.kit import KitTool, Offered, Setting, offer
from agentspec.adapters.tools.pure.moments import (
    DAYS,
    Moment,
    add_business_days,
    add_calendar,
    add_span,
    business_days,
    months_between,
    out_of_range,
    read_moment,
    read_zone,
)
from agentspec.adapters.tools.pure.pure import Pure, PureTool, Shown, Unfit, parameter
from agentspec.adapters.tools.pure.time_codes import parse_written, write_time
from agentspec.ports import Invocation, Output

MOST = 10**12  # of any unit that is added: whatever is larger leaves the calendar


class NowTool:
    """The time of the call, which the invocation brings."""

    async def call(self, invocation: Invocation) -> Output:
        at = datetime.fromtimestamp(int(invocation.at), tz=UTC)
        return await PureTool(lambda zone="UTC": now(at, zone)).call(invocation)

    async def close(self) -> None: ...


def now(at: datetime, zone: str) -> Shown:
    here = Moment(at.astimezone(read_zone(zone)))
    weekday = DAYS[here.at.weekday()]
    data = {"time": str(here), "date": here.at.date().isoformat(), "weekday": weekday, "unix": int(at.timestamp())}
    return Shown(f"{here} ({weekday})", data)


def date_add(date: str, zone: str | None = None, **amounts: int) -> str:
    if any(abs(amount) > MOST for amount in amounts.values()):
        raise out_of_range()
    moment = read_moment(date, zone)
    months = amounts.get("years", 0) * 12 + amounts.get("months", 0)
    days = amounts.get("weeks", 0) * 7 + amounts.get("days", 0)
    moment = add_calendar(moment, months=months, days=days)
    if amounts.get("business_days"):
        moment = add_business_days(moment, amounts["business_days"])
    seconds = amounts.get("hours", 0) * 3600 + amounts.get("minutes", 0) * 60 + amounts.get("seconds", 0)
    if not seconds:
        return str(moment)
    if abs(seconds) > MOST:
        raise out_of_range()
    return str(add_span(moment, timedelta(seconds=seconds)))


def date_diff(start: str, end: str, zone: str | None = None) -> Shown:
    first, last = _pair(read_moment(start, zone), read_moment(end, zone))
    span = last - first
    earlier, later = sorted((first, last))
    months, rest = months_between(earlier, later)
    data = {
        "days": span.days if span >= timedelta(0) else -(-span).days,
        "seconds": int(span.total_seconds()),
        "business_days": business_days(first.date(), last.date()),
        "years": months // 12,
        "months": months % 12,
        "rest_days": rest.days,
        "is_negative": span < timedelta(0),
    }
    parts = [_many(months // 12, "year"), _many(months % 12, "month"), _many(rest.days, "day")]
    clock = timedelta(seconds=rest.seconds)
    words = ", ".join([part for part in parts if part] + ([str(clock)] if clock else [])) or "no time"
    sign = "-" if data["is_negative"] else ""
    return Shown(f"{sign}{words} ({data['days']} days, {data['business_days']} business days)", data)


def _pair(start: Moment, end: Moment) -> tuple[datetime, datetime]:
    """Both in one zone; a day is its midnight, in the zone of the other."""
    first, last = start.at, end.at
    if first.tzinfo is None and last.tzinfo is not None and start.is_day:
        first = first.replace(tzinfo=last.tzinfo)
    if last.tzinfo is None and first.tzinfo is not None and end.is_day:
        last = last.replace(tzinfo=first.tzinfo)
    if (first.tzinfo is None) != (last.tzinfo is None):
        raise Unfit("only one of the times has an offset: give both one, or a `zone` for the other")
    return (first, last) if first.tzinfo is None else (first.astimezone(UTC), last.astimezone(UTC))


def _many(count: int, unit: str) -> str:
    return "" if not count else f"1 {unit}" if count == 1 else f"{count} {unit}s"


def date_info(date: str) -> Shown:
    at = read_moment(date).at
    week = at.isocalendar()
    data = {
        "weekday": DAYS[at.weekday()],
        "day_of_year": at.timetuple().tm_yday,
        "week": f"{week.year}-W{week.week:02}",
        "quarter": (at.month + 2) // 3,
        "days_in_month": monthrange(at.year, at.month)[1],
        "leap_year": isleap(at.year),
    }
    return Shown("\n".join(f"{name}: {value}" for name, value in data.items()), data)


def convert_zone(time: str, to: str, zone: str | None = None) -> str:
    moment = read_moment(time, zone)
    if moment.is_day or moment.at.tzinfo is None:
        raise Unfit("the time has no offset: write one, such as `Z` or `+02:00`, or give the `zone` that it is in")
    try:
        return str(Moment(moment.at.astimezone(read_zone(to))))
    except OverflowError:
        raise out_of_range() from None


def format_time(time: str, pattern: str, zone: str | None = None) -> str:
    return write_time(read_moment(time, zone), pattern)


def parse_time(text: str, pattern: str, zone: str | None = None) -> str:
    return str(parse_written(text, pattern, zone))


_DATE = parameter("string", "A day (`2026-01-31`) or a time (`2026-01-31T08:05:00+01:00`).")
_ZONE = parameter("string?", "The time zone of a time that names none, such as `Europe/Berlin`.")
_UNITS = ("years", "months", "weeks", "days", "business_days", "hours", "minutes", "seconds")
_NOW = "Tell the current date and time."
TOOLS: dict[str, Pure] = {
    "date_add": Pure(
        "Add to a day or a time, or take away with negative numbers. A day that a month lacks becomes its last one.",
        {"date": _DATE, "zone": _ZONE, **{unit: parameter("integer?", f"How many {unit}.") for unit in _UNITS}},
        date_add,
    ),
    "date_diff": Pure(
        "Tell how long it is from one day or time to another: days, business days, years and months, seconds.",
        {"start": _DATE, "end": _DATE, "zone": _ZONE},
        date_diff,
    ),
    "date_info": Pure(
        "Tell the weekday, the ISO week, the day of the year, the quarter and the length of the month of a day.",
        {"date": _DATE},
        date_info,
    ),
    "convert_zone": Pure(
        "Tell what time it is in another time zone.",
        {"time": _DATE, "to": parameter("string", "The zone that is wanted, such as `Asia/Tokyo`."), "zone": _ZONE},
        convert_zone,
    ),
    "format_time": Pure(
        "Write a day or a time in a pattern of `strftime`.",
        {"time": _DATE, "pattern": parameter("string", "Such as `%A, %d %B %Y` or `%s` (seconds)."), "zone": _ZONE},
        format_time,
    ),
    "parse_time": Pure(
        "Read a day or a time that is written in a pattern of `strptime`; answers ISO 8601.",
        {
            "text": parameter("string", "The text, such as `31.01.2026`."),
            "pattern": parameter("string", "Such as `%d.%m.%Y`, or `unix` for seconds since 1970."),
            "zone": _ZONE,
        },
        parse_time,
    ),
}


def toolkit(options: Mapping[str, Any], setting: Setting) -> Offered:
    """The tools of `time`."""
    zone = {"zone": parameter("string?", "Where, such as `Europe/Berlin`; UTC if not given.")}
    made = [KitTool("now", _NOW, zone, NowTool(), is_concurrent=True)]
    made += [
        KitTool(name, tool.description, tool.parameters, PureTool(tool.function), is_concurrent=True)
        for name, tool in TOOLS.items()
    ]
    return offer("time", made, options, setting)
