"""One HTTP response out of bytes: the same whatever the cuts, and never a guess."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.models.http_parse import (
    Chunked,
    Head,
    Malformed,
    Sized,
    UntilClose,
    body_of,
    find_head,
    inflater,
    parse_head,
)


def head(**headers):
    return Head(200, "HTTP/1.1", {name.replace("_", "-"): value for name, value in headers.items()})


def test_a_head_is_read_with_its_repeated_headers_joined():
    block = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\nX-A: 1\r\nx-a:  2 \r\n\r\n"

    assert parse_head(block) == Head(429, "HTTP/1.1", {"retry-after": "2", "x-a": "1, 2"})


@pytest.mark.parametrize("block", [b"SSH-2.0-x\r\n\r\n", b"HTTP/2 200\r\n\r\n", b"HTTP/1.1 20x\r\n\r\n", b"\r\n\r\n"])
def test_what_is_no_http_is_refused(block):
    with pytest.raises(Malformed, match="does not begin with an HTTP status line"):
        parse_head(block)


@pytest.mark.parametrize(
    ("buffer", "length"),
    [(b"HTTP/1.1 200 OK\r\n\r\nbody", 19), (b"HTTP/1.1 200 OK\n\nbody", 17), (b"HTTP/1.1 200 OK\r\n", 0)],
)
def test_a_head_ends_with_its_empty_line(buffer, length):
    assert find_head(bytearray(buffer)) == length


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (Head(200, "HTTP/1.1", {}), True),
        (Head(200, "HTTP/1.1", {"connection": "Close"}), False),
        (Head(200, "HTTP/1.0", {}), False),
        (Head(200, "HTTP/1.0", {"connection": "keep-alive"}), True),
    ],
)
def test_a_connection_is_kept_as_the_server_promised(given, kept):
    assert given.keeps_alive == kept


def test_the_end_of_a_body_is_found_as_the_head_says():
    assert isinstance(body_of(head(transfer_encoding="chunked", content_length="5")), Chunked)
    assert isinstance(body_of(head(content_length="5")), Sized)
    assert isinstance(body_of(head(content_length="5, 5")), Sized)
    assert isinstance(body_of(head()), UntilClose)
    assert body_of(Head(204, "HTTP/1.1", {})).done


@pytest.mark.parametrize(
    "headers",
    [
        {"content_length": "5, 6"},
        {"content_length": "-1"},
        {"content_length": "1e3"},
        {"content_length": "9" * 30},
        {"transfer_encoding": "gzip, chunked"},
    ],
)
def test_a_body_whose_end_is_not_clear_is_refused(headers):
    with pytest.raises(Malformed):
        body_of(head(**headers))


@pytest.mark.parametrize("line", [b"zz", b"-1", b"", b"1" * 20, b"0x5"])
def test_a_chunk_needs_a_size(line):
    with pytest.raises(Malformed, match="a chunk has no size"):
        Chunked().feed(line + b"\r\nhello\r\n")


def test_a_size_line_without_end_is_refused():
    body = Chunked()
    with pytest.raises(Malformed, match="a chunk has no size"):
        body.feed(b"1" * 5000)


def test_what_comes_after_the_last_chunk_is_kept_apart():
    body = Chunked()

    assert body.feed(b"2\r\nhi\r\n0\r\n\r\nHTTP/1.1") == b"hi"
    assert (body.done, body.spare) == (True, b"HTTP/1.1")


@given(
    pieces=st.lists(st.binary(min_size=1, max_size=40), max_size=6),
    trailer=st.sampled_from([b"", b"x: y\r\n"]),
    data=st.data(),
)
def test_where_the_network_cuts_makes_no_difference_to_chunks(pieces, trailer, data):
    wire = b"".join(b"%X;e=1\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n" + trailer + b"\r\n"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(wire)), max_size=8)))
    body = Chunked()

    got = b"".join(body.feed(wire[a:b]) for a, b in zip([0, *cuts], [*cuts, len(wire)], strict=True) if a < b)

    assert (got, body.done, body.spare) == (b"".join(pieces), True, b"")


@given(noise=st.binary(max_size=200))
def test_any_bytes_are_chunks_or_malformed(noise):
    body = Chunked()
    try:
        body.feed(noise)
    except Malformed:
        return
    assert body.end_is_whole() == body.done


def test_a_body_that_unpacks_to_too_much_is_refused():
    inflate = inflater(head(content_encoding="gzip"), 1000)

    with pytest.raises(Malformed, match="unpacks to more than 1000 bytes"):
        inflate.feed(gzip.compress(b"0" * 1_000_000))
