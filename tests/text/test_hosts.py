"""The host and the port that an address names, and those that a pattern of hosts is for."""

from __future__ import annotations

import pytest

from agentspec.text.hosts import host_of, join_host, named_host, split_host


@pytest.mark.parametrize(
    ("written", "name", "port"),
    [
        ("a.org", "a.org", ""),
        ("A.Org.:0080", "a.org", "80"),
        ("*", "*", ""),
        ("*.a.org:8443", "*.a.org", "8443"),
        ("[::1]:8080", "::1", "8080"),
        ("[::1]", "::1", ""),
        ("::1", "::1", ""),
        ("fe80::1:80", "fe80::1:80", ""),
        ("a.org:x", "a.org:x", ""),
        ("a.org:", "a.org:", ""),
        ("a.org:٣", "a.org:٣", ""),
    ],
)
def test_a_pattern_is_a_name_and_perhaps_a_port(written: str, name: str, port: str) -> None:
    assert split_host(written) == (name, port)
    assert split_host(join_host(name, port)) == (name, port)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://a.org", "a.org:443"),
        ("HTTP://A.org./x", "a.org:80"),
        ("http://u:w@a.org:8080/x", "a.org:8080"),
        ("http://[::1]/x", "[::1]:80"),
        ("https://[::1]:8443?q", "[::1]:8443"),
    ],
)
def test_a_call_and_a_spec_read_an_address_alike(url: str, host: str) -> None:
    named = named_host(url)

    assert (host_of(url), named and named.pattern) == (host, host)


@pytest.mark.parametrize(
    "url",
    [
        *("${env.URL}", "https://${env.HOST}/x", "https://a.org${env.REST}", "https://${env.LOGIN}@a.org/x"),
        *("https://a.org:80${env.REST}/x", "ftp://a.org", "a.org:80", "http://[::1", "http://a.org\\@b.org/"),
    ],
)
def test_a_host_that_only_a_run_can_tell_is_none(url: str) -> None:
    assert named_host(url) is None
