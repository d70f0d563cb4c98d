"""values: durations and sizes, with their units, and nothing that only looks like them."""

from __future__ import annotations

import pytest

from agentspec.spec.values import parse_duration, parse_size, split_quantity


@pytest.mark.parametrize(
    ("text", "seconds"), [("250ms", 0.25), ("30s", 30.0), ("5m", 300.0), ("2h", 7200.0), ("1d", 86400.0), ("1.5h", 5400.0), ("0s", 0.0)]
)  # fmt: skip
def test_a_duration_is_seconds(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    ("text", "size"), [("1B", 1), ("64KiB", 65536), ("10MB", 10_000_000), ("1kB", 1000), ("1.5KiB", 1536), ("2GiB", 2147483648)]
)  # fmt: skip
def test_a_size_is_bytes(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "s", "30", "30 s", "-30s", "+3s", "3S", "1h30m", "1e3s", "３０s", "30s\n", "٣s"])
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(ValueError, match="not a duration"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["64", "64kib", "64K", "1.0001B", "10 MB"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(ValueError, match="not a"):
        parse_size(text)


def test_a_quantity_is_split_even_where_its_unit_is_unknown():
    assert [split_quantity(text) for text in ("3days", "3 days", "3", "x3", "3 da ys")] == [
        ("3", "days"),
        ("3", "days"),
        ("3", ""),
        None,
        None,
    ]
