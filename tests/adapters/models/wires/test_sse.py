"""Server-sent events: every line end, every cut, nothing lost and nothing invented."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.models.wires.pieces import TooLarge
from agentspec.adapters.models.wires.sse import MAX_EVENT, Event, SseParser


def events_of(*parts):
    parser = SseParser()
    return [event for part in parts for event in parser.feed(part)] + parser.rest()


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_all_three_line_ends_of_the_standard_end_a_line(end):
    assert events_of(b"data: 1" + end + end + b"data: 2" + end + end) == [Event(b"", b"1"), Event(b"", b"2")]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        (b"data:1\n\n", [Event(b"", b"1")]),
        (b"data:  1\n\n", [Event(b"", b" 1")]),
        (b"data\n\n", [Event(b"", b"")]),
        (b"data: a\ndata: b\n\n", [Event(b"", b"a\nb")]),
        (b"event: error\ndata: x\n\n", [Event(b"error", b"x")]),
        (b"event: ping\n\ndata: x\n\n", [Event(b"", b"x")]),
        (b": comment\n\n:\n\ndata: x\n\n", [Event(b"", b"x")]),
        (b"id: 1\nretry: 5\nunknown: y\ndata: x\n\n", [Event(b"", b"x")]),
        (b"\xef\xbb\xbfdata: x\n\n", [Event(b"", b"x")]),
        (b"data: x", [Event(b"", b"x")]),
        (b"\n\n\n", []),
        (b"", []),
    ],
)
def test_fields_are_read_as_the_standard_says(text, events):
    assert events_of(text) == events


def test_a_byte_order_mark_later_on_is_data():
    assert events_of(b"data: 1\n\n\xef\xbb\xbfdata: 2\n\n") == [Event(b"", b"1")]


def test_an_event_is_given_out_as_soon_as_its_empty_line_is_there():
    parser = SseParser()

    assert parser.feed(b"data: 1\r") == []
    assert parser.feed(b"\n\r") == [Event(b"", b"1")]
    assert parser.feed(b"\ndata: 2\r\r") == [Event(b"", b"2")]


def test_a_line_without_end_is_refused_before_it_fills_the_memory():
    parser = SseParser()
    for _ in range(MAX_EVENT >> 20):
        parser.feed(b"x" * (1 << 20))

    with pytest.raises(TooLarge):
        parser.feed(b"x")


LINES = st.lists(
    st.sampled_from([b"data: \xe4\xb8\xad", b"data:", b"data: b", b"", b"", b": c", b"event: e", b"x"]), max_size=12
)


@given(lines=LINES, ends=st.lists(st.sampled_from([b"\n", b"\r\n", b"\r"]), min_size=12, max_size=12), data=st.data())
def test_where_the_network_cuts_makes_no_difference(lines, ends, data):
    text = b"".join(line + end for line, end in zip(lines, ends, strict=False))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))

    parts = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    assert events_of(*parts) == events_of(text)
