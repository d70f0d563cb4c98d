"""One HTTP response out of bytes: the same whatever the cuts, and never a guess."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentspec.adapters.http.parse import Incoming, inflater
from agentspec.adapters.http.plain import Cut, Head, Malformed

OK = b"HTTP/1.1 200 OK\r\n"


def read(*pieces):
    """The head and the body that come out of these pieces, and the reader."""
    incoming = Incoming()
    found = [each for piece in pieces for each in incoming.feed(piece)]
    heads = [each for each in found if isinstance(each, Head)]
    return heads[0] if heads else None, b"".join(each for each in found if isinstance(each, bytes)), incoming


def test_a_head_is_read_with_its_repeated_headers_joined():
    head, _, _ = read(b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\nX-A: 1\r\nx-a:  2 \r\n\r\n")

    assert head == Head(429, {"retry-after": "2", "x-a": "1, 2"})


@pytest.mark.parametrize("block", [b"SSH-2.0-x\r\n\r\n", b"HTTP/2 200\r\n\r\n", b"HTTP/1.1 20x\r\n\r\n"])
def test_what_is_no_http_is_refused(block):
    with pytest.raises(Malformed, match="does not begin with an HTTP status line"):
        read(block)


def test_an_announcement_before_the_answer_is_no_answer():
    head, body, incoming = read(b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"content-length: 2\r\n\r\nhi")

    assert (head.status, body, incoming.is_whole) == (200, b"hi", True)


@pytest.mark.parametrize(
    ("wire", "kept"),
    [
        (OK + b"content-length: 0\r\n\r\n", True),
        (OK + b"content-length: 0\r\nconnection: Close\r\n\r\n", False),
        (b"HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", False),
        (OK + b"content-length: 2\r\n\r\nhi and more", False),
    ],
    ids=["promised", "to be closed", "old", "more than was asked"],
)
def test_a_connection_is_kept_as_the_server_promised(wire, kept):
    assert read(wire)[2].keeps_alive == kept


@pytest.mark.parametrize(
    "headers",
    [
        b"content-length: 5\r\ncontent-length: 6\r\n",
        b"content-length: -1\r\n",
        b"content-length: 1e3\r\n",
        b"transfer-encoding: gzip, chunked\r\n",
    ],
)
def test_a_body_whose_end_is_not_clear_is_refused(headers):
    with pytest.raises(Malformed):
        read(OK + headers + b"\r\n")


@pytest.mark.parametrize("line", [b"zz", b"-1", b"", b"0x5"])
def test_a_chunk_needs_a_size(line):
    with pytest.raises(Malformed):
        read(OK + b"transfer-encoding: chunked\r\n\r\n" + line + b"\r\nhello\r\n")


def test_a_head_without_end_is_refused():
    with pytest.raises(Malformed, match="its headers are longer than 65536 bytes"):
        read(OK + b"x: " + b"1" * 70_000)


@pytest.mark.parametrize(
    ("wire", "body"),
    [(OK, None), (OK + b"content-length: 5\r\n\r\nhel", b"hel"), (b"", None)],
    ids=["in the head", "in the body", "before anything"],
)
def test_an_early_end_of_the_connection_is_a_cut(wire, body):
    incoming = Incoming()
    pieces = list(incoming.feed(wire)) if wire else []

    with pytest.raises(Cut):
        list(incoming.feed(b""))

    assert pieces[1:] == ([] if body is None else [body])


def test_a_body_without_a_length_ends_with_the_connection():
    head, body, incoming = read(OK + b"\r\n", b"all of it", b"")

    assert (head.status, body, incoming.is_whole, incoming.keeps_alive) == (200, b"all of it", True, False)


@given(
    pieces=st.lists(st.binary(min_size=1, max_size=40), max_size=6),
    trailer=st.sampled_from([b"", b"x: y\r\n"]),
    data=st.data(),
)
def test_where_the_network_cuts_makes_no_difference(pieces, trailer, data):
    chunks = b"".join(b"%X;e=1\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    wire = OK + b"transfer-encoding: chunked\r\n\r\n" + chunks + b"0\r\n" + trailer + b"\r\n"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(wire)), max_size=8)))

    head, body, incoming = read(*(wire[a:b] for a, b in zip([0, *cuts], [*cuts, len(wire)], strict=True) if a < b))

    assert (head.status, body, incoming.is_whole, incoming.keeps_alive) == (200, b"".join(pieces), True, True)


@given(noise=st.binary(min_size=1, max_size=200))
def test_any_bytes_are_a_response_or_malformed(noise):
    for start in (b"", OK + b"transfer-encoding: chunked\r\n\r\n"):
        try:
            read(start + noise)
        except Malformed:
            continue


def test_a_body_that_unpacks_to_too_much_is_refused():
    inflate = inflater(Head(200, {"content-encoding": "gzip"}), 1000)

    with pytest.raises(Malformed, match="unpacks to more than 1000 bytes"):
        inflate.feed(gzip.compress(b"0" * 1_000_000))


LINES = st.sampled_from(
    (
        *("content-length: 2", "Content-Length:2", "content-length: 02", "content-length: +2", "content-length: 2, 2"),
        *("transfer-encoding: chunked", "connection: keep-alive", "connection: close", "Connection: Keep-Alive"),
        *("x: 1", "x-request-id:   a b  ", "x:", "x : 1", " folded", "x: \x7f", "x: \xe9", "x\x00y: 1", "upgrade: h2c"),
    )
)
FIRST = st.sampled_from(
    (
        *("HTTP/1.1 200 OK", "HTTP/1.1 200 ", "HTTP/1.1 200", "HTTP/1.1 429 Slow down", "HTTP/1.1 204 No"),
        *("HTTP/1.0 200 OK", "HTTP/1.1 100 Continue", "HTTP/1.1 304 Same", "http/1.1 200 OK", "HTTP/1.1  200 OK"),
    )
)


def outcome(*pieces):
    try:
        head, body, incoming = read(*pieces)
    except (Malformed, Cut) as problem:
        return type(problem), str(problem)
    return head, body, incoming.is_whole, incoming.keeps_alive


@given(FIRST, st.lists(LINES, max_size=4), st.sampled_from((b"", b"h", b"hi", b"hi!", b"0\r\n\r\n")), st.booleans())
def test_a_plain_answer_reads_as_one_that_is_read_byte_by_byte(first, lines, body, ends):
    wire = "\r\n".join([first, *lines, "", ""]).encode("latin-1") + body
    closing = (b"",) if ends and outcome(wire)[2:3] == (False,) else ()

    assert outcome(wire, *closing) == outcome(wire[:1], wire[1:], *closing)
