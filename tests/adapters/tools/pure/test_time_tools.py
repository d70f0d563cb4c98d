"""The helpers of `time` reckon as calendars and clocks do, in any zone, and refuse in words what is no time."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.tools.kit import Setting
from agentspec.adapters.tools.kits import make_kit
from agentspec.ports import Invocation
from tests.adapters.tools.calling import call, refusal, value


async def now(at, **arguments):
    _, tool = make_kit("time", {}, Setting(Path()))["now"]
    return await tool.call(Invocation(name="now", call_id="c", arguments=arguments, key="k", at=at))


async def test_now_is_the_time_of_the_call():
    output = await now(1_774_756_800.9, zone="Europe/Berlin")

    assert output.text == "2026-03-29T06:00:00+02:00 (Sunday)"
    assert output.data == {
        "time": "2026-03-29T06:00:00+02:00",
        "date": "2026-03-29",
        "weekday": "Sunday",
        "unix": 1_774_756_800,
    }
    assert (await now(0)).text == "1970-01-01T00:00:00Z (Thursday)"
    assert (await now(0, zone="Atlantis/Capital")).error.message.startswith("unknown time zone `Atlantis/Capital`")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"date": "2026-01-31", "months": 1}, "2026-02-28"),
        ({"date": "2024-02-29", "years": 1}, "2025-02-28"),
        ({"date": "2026-01-31", "months": -2, "days": 1}, "2025-12-01"),
        ({"date": "2026-12-31", "weeks": 1}, "2027-01-07"),
        ({"date": "2026-01-31", "hours": 36}, "2026-02-01T12:00:00"),
        ({"date": "2026-01-30", "business_days": 1}, "2026-02-02"),
        ({"date": "2026-02-01", "business_days": -1}, "2026-01-30"),
        ({"date": "20260131", "days": 0}, "2026-01-31"),
        ({"date": "2026-01-31T23:59:59Z", "seconds": 1}, "2026-02-01T00:00:00Z"),
        ({"date": "2026-01-31T10:00:00+05:30", "days": 1}, "2026-02-01T10:00:00+05:30"),
        # The clocks of Berlin go forward at 02:00 on 29 March 2026 and back at 03:00 on 25 October.
        ({"date": "2026-03-28T12:00", "zone": "Europe/Berlin", "days": 1}, "2026-03-29T12:00:00+02:00"),
        ({"date": "2026-03-28T12:00", "zone": "Europe/Berlin", "hours": 24}, "2026-03-29T13:00:00+02:00"),
        ({"date": "2026-03-28T02:30", "zone": "Europe/Berlin", "days": 1}, "2026-03-29T03:30:00+02:00"),
        ({"date": "2026-10-25T01:30", "zone": "Europe/Berlin", "hours": 2}, "2026-10-25T02:30:00+01:00"),
    ],
)
async def test_adding_to_a_time(arguments, expected):
    assert await value("time", "date_add", **arguments) == expected


@pytest.mark.parametrize(
    ("start", "end", "words", "days", "business", "seconds"),
    [
        ("2025-11-30", "2027-01-31", "1 year, 2 months, 1 day (427 days, 305 business days)", 427, 305, 36_892_800),
        ("2026-01-31", "2026-02-28", "1 month (28 days, 20 business days)", 28, 20, 2_419_200),
        ("2026-02-01", "2026-01-31", "-1 day (-1 days, 0 business days)", -1, 0, -86_400),
        ("2026-01-31", "2026-01-31", "no time (0 days, 0 business days)", 0, 0, 0),
        ("2026-01-30T22:00Z", "2026-01-31T01:30+02:00", "1:30:00 (0 days, 0 business days)", 0, 0, 5400),
        ("2026-01-31", "2026-02-02T12:00Z", "2 days, 12:00:00 (2 days, 0 business days)", 2, 0, 216_000),
    ],
)
async def test_what_lies_between_two_times(start, end, words, days, business, seconds):
    output = await call("time", "date_diff", start=start, end=end)

    assert output.text == words
    assert (output.data["days"], output.data["business_days"], output.data["seconds"]) == (days, business, seconds)


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        (
            "date_info",
            {"date": "2024-12-30"},
            {
                "weekday": "Monday",
                "day_of_year": 365,
                "week": "2025-W01",
                "quarter": 4,
                "days_in_month": 31,
                "leap_year": True,
            },
        ),
        ("convert_zone", {"time": "2026-07-01T12:00Z", "to": "Asia/Tokyo"}, "2026-07-01T21:00:00+09:00"),
        ("convert_zone", {"time": "2026-07-01T12:00", "to": "UTC", "zone": "-03:30"}, "2026-07-01T15:30:00Z"),
        (
            "format_time",
            {"time": "2026-01-31", "pattern": "%A, %d %B %Y (%a %b %y, %j, %V)"},
            "Saturday, 31 January 2026 (Sat Jan 26, 031, 05)",
        ),
        ("format_time", {"time": "2026-01-31T00:05:09.5", "pattern": "%I:%M:%S.%f %p %%"}, "12:05:09.500000 AM %"),
        ("format_time", {"time": "1970-01-02T00:00Z", "pattern": "%s %z"}, "86400 +0000"),
        ("parse_time", {"text": "31.01.2026", "pattern": "%d.%m.%Y"}, "2026-01-31"),
        ("parse_time", {"text": "Jan 5 26 1:07 PM", "pattern": "%b %d %y %I:%M %p"}, "2026-01-05T13:07:00"),
        (
            "parse_time",
            {"text": "5/7/26 9:00", "pattern": "%d/%m/%y %H:%M", "zone": "Europe/Paris"},
            "2026-07-05T09:00:00+02:00",
        ),
        ("parse_time", {"text": "0", "pattern": "unix"}, "1970-01-01T00:00:00Z"),
        ("parse_time", {"text": "86400.5", "pattern": "unix", "zone": "+01:00"}, "1970-01-02T01:00:00.500000+01:00"),
    ],
)
async def test_a_helper_gives(name, arguments, expected):
    assert await value("time", name, **arguments) == expected


NO_DAY = "is no day or time; write `2026-01-31` or `2026-01-31T08:05:00+01:00`"
RANGE = "the result lies outside of the years 1 to 9999"


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("date_add", {"date": "31.01.2026"}, f"`31.01.2026` {NO_DAY}"),
        ("date_add", {"date": "2026-02-29"}, f"`2026-02-29` {NO_DAY}"),
        ("date_add", {"date": ""}, f"`` {NO_DAY}"),
        ("date_add", {"date": "9999-12-31", "days": 1}, RANGE),
        ("date_add", {"date": "0001-01-01", "months": -1}, RANGE),
        ("date_add", {"date": "2026-01-01", "years": 10**13}, RANGE),
        ("date_add", {"date": "2026-01-01", "weeks": 10**12}, RANGE),
        ("date_add", {"date": "2026-01-01", "hours": 10**12}, RANGE),
        ("date_add", {"date": "9999-12-31T23:30Z", "hours": 1}, RANGE),
        ("date_add", {"date": "9999-12-31T23:30", "zone": "-02:00"}, RANGE),
        ("date_add", {"date": "2026-01-01", "business_days": 10_001}, "at most 10000 business days are counted"),
        ("date_add", {"date": "9999-12-31", "business_days": 9}, RANGE),
        (
            "date_diff",
            {"start": "2026-01-01T00:00", "end": "2026-01-01T00:00Z"},
            "only one of the times has an offset: give both one, or a `zone` for the other",
        ),
        (
            "convert_zone",
            {"time": "2026-01-01T00:00", "to": "UTC"},
            "the time has no offset: write one, such as `Z` or `+02:00`, or give the `zone` that it is in",
        ),
        (
            "convert_zone",
            {"time": "2026-01-01T00:00Z", "to": "berlin"},
            "unknown time zone `berlin`; did you mean `Europe/Berlin`?",
        ),
        (
            "convert_zone",
            {"time": "2026-01-01T00:00Z", "to": "../../etc/passwd"},
            "unknown time zone `../../etc/passwd`; write it as `Europe/Berlin`, `UTC` or `+02:00`",
        ),
        (
            "convert_zone",
            {"time": "2026-01-01T00:00Z", "to": "+25:00"},
            "unknown time zone `+25:00`; write it as `Europe/Berlin`, `UTC` or `+02:00`",
        ),
        ("parse_time", {"text": "32.01.2026", "pattern": "%d.%m.%Y"}, "`32.01.2026` does not fit `%d.%m.%Y`"),
        (
            "parse_time",
            {"text": "1e99", "pattern": "unix"},
            "`1e99` is no number of seconds between the years 1 and 9999",
        ),
        (
            "format_time",
            {"time": "2026-01-31T00:00", "pattern": "%s"},
            "`%s` counts seconds since 1970 in UTC: give the time an offset, or a `zone`",
        ),
        (
            "format_time",
            {"time": "2026-01-31", "pattern": "%c"},
            "unknown code `%c`; known: %Y %y %m %B %b %d %j %A %a %u %G %V %H %I %p %M %S %f %z %Z %s %%",
        ),
        (
            "format_time",
            {"time": "2026-01-31", "pattern": "a" * 201},
            "the pattern has 201 characters; at most 200 are taken",
        ),
    ],
)
async def test_what_is_no_time_is_refused_in_words(name, arguments, words):
    assert await refusal("time", name, **arguments) == words


DATES = st.dates(date(1900, 1, 1), date(2200, 12, 31))


@given(DATES, DATES)
async def test_the_years_months_and_days_between_lead_from_one_date_to_the_other(one, other):
    start, end = sorted((one, other))

    found = await value("time", "date_diff", start=str(start), end=str(end))
    parts = {"years": found["years"], "months": found["months"], "days": found["rest_days"]}

    assert found["days"] == (end - start).days
    assert await value("time", "date_add", date=str(start), **parts) == str(end)


@given(DATES, st.integers(-300, 300))
async def test_business_days_are_counted_one_by_one(start, count):
    day, left = start, abs(count)
    while left:
        day += timedelta(days=1 if count > 0 else -1)
        left -= day.weekday() < 5

    assert await value("time", "date_add", date=str(start), business_days=count) == str(day)


@given(
    st.datetimes(datetime(1980, 1, 1), datetime(2036, 1, 1)),  # noqa: DTZ001 - zones are put on below
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC", "-03:30"]),
)
async def test_a_time_is_the_same_moment_in_every_zone(naive, zone):
    moment = naive.replace(microsecond=0, tzinfo=UTC)

    there = await value("time", "convert_zone", time=moment.isoformat(), to=zone)
    written = await value("time", "format_time", time=there, pattern="%Y-%m-%d %H:%M:%S %z")
    back = await value("time", "parse_time", text=written, pattern="%Y-%m-%d %H:%M:%S %z")

    assert datetime.fromisoformat(there) == moment
    assert datetime.fromisoformat(back) == moment
