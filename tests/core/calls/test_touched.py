"""What a command names outside of its folder is read from its words; an address on another machine is no path."""

import time

import pytest

from agentspec.core.calls.touched import paths_of, words_of


@pytest.mark.parametrize(
    ("element", "paths"),
    [
        ("https://api.example.org/v1/x", ()),
        ("HTTPS://API.example.org:8443/v1/x", ()),
        ("https://ada:pw@example.org/v1", ()),
        ("http://[::1]:80/x", ()),
        ("https://example.org/a...b", ()),
        ("https://example.org/login?next=/home", ()),
        ("https://example.org/web/http://example.com/x", ()),
        ("postgresql://u@db/shop", ()),
        ("postgresql+psycopg://u:p@db:5432/shop", ()),
        ("--opt=https://example.org/v1", ()),
        ("curl 'https://example.org/v1' -o a.txt", ()),
        ("-o/etc/x", ()),  # glued to its option: not plain
        ("file:///etc/passwd", ("///etc/passwd",)),
        ("file://localhost/etc/passwd", ("//localhost/etc/passwd",)),
        ("FILE:/etc/passwd", ("/etc/passwd",)),
        ("git+file:///etc/x", ("///etc/x",)),
        ("text://etc/passwd", ("//etc/passwd",)),
        ("sqlite:////etc/x", ("////etc/x",)),
        ("unix:///run/x", ("///run/x",)),
        ("http:///etc/passwd", ("///etc/passwd",)),
        ("http://x/../../etc", ("//x/../../etc",)),
        ("http://x?a=../b", ("../b",)),
        ("@/etc/passwd", ("/etc/passwd",)),
        ("-d@/etc/passwd", ("/etc/passwd",)),
        ("--file=/etc/passwd", ("/etc/passwd",)),
        ("https://x@/etc/passwd", ("/etc/passwd",)),
        ("https://x=@/etc/passwd", ("/etc/passwd",)),
        ("https://x?a=@/etc/passwd", ("/etc/passwd",)),
        ("https://x/y,/etc/passwd", ("/etc/passwd",)),
        ("PATH=https://x:/etc/x", ("/etc/x",)),
        ("http.https://x/?.sslKey=/etc/x", ("/etc/x",)),
        ("curl https://example.org/v1 /etc/passwd", ("/etc/passwd",)),
    ],
)
def test_an_address_is_no_path_and_what_stands_behind_it_is(element: str, paths: tuple[str, ...]) -> None:
    assert paths_of((element,), "curl") == paths


@pytest.mark.parametrize("element", ["@.env", "-d@.env", "--data=@.env", "https://x=@.env", "cat<.env"])
def test_a_file_behind_a_sign_is_a_word_of_its_own(element: str) -> None:
    assert ".env" in words_of(("curl", element))


@pytest.mark.parametrize("part", ["http://a?", "http://a,", "http://a@", "http://a:", "git+", "http"])
def test_long_words_are_not_slow(part: str) -> None:
    started = time.process_time()

    words_of((part * 10_000,))

    assert time.process_time() - started < 1
