"""Where a request goes: its head, its proxy, and nothing secret in what is shown."""

import pytest

from agentspec.adapters.http.address import BadAddress, Hop, Proxy, join_path, make_target, proxy_for


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://h/v1", "https://h/v1/chat"),
        ("https://h/v1/", "https://h/v1/chat"),
        ("https://h/v1/chat", "https://h/v1/chat"),
        ("https://h", "https://h/chat"),
        ("https://h/d?api-version=2", "https://h/d/chat?api-version=2"),
    ],
)
def test_the_path_is_put_behind_the_base(base, url):
    assert join_path(base, "/chat") == url


def test_the_head_is_written_once_and_shows_nothing():
    target = make_target("POST", "https://ada:pass@h:8443/v1?key=1", {"X-Token": "t"}, {})

    assert target.head == (
        b"POST /v1?key=1 HTTP/1.1\r\nhost: h:8443\r\naccept-encoding: identity\r\n"
        b"authorization: Basic YWRhOnBhc3M=\r\nX-Token: t\r\n"
    )
    assert target.origin == (Hop(tls=True, host="h", port=8443), None)
    assert repr(target) == "Target('https://h:8443/v1')"


def test_an_authorization_of_ones_own_wins_over_the_login_in_the_url():
    target = make_target("POST", "http://ada:pass@h/", {"Authorization": "Bearer x"}, {})

    assert b"Basic" not in target.head


def test_addresses_of_ipv6_keep_their_brackets():
    target = make_target("POST", "http://[::1]:80/v1", {}, {})

    assert b"host: [::1]\r\n" in target.head
    assert target.origin[0] == Hop(tls=False, host="::1", port=80)


def test_a_host_of_another_alphabet_is_sent_in_ascii():
    assert make_target("POST", "http://b\u00fccher.example/", {}, {}).origin[0].host == "xn--bcher-kva.example"


PROXY = Proxy(Hop(tls=False, host="proxy", port=3128), b"")


@pytest.mark.parametrize(
    ("environment", "hop", "proxy"),
    [
        ({"HTTPS_PROXY": "http://proxy:3128"}, Hop(tls=True, host="h", port=443), PROXY),
        ({"https_proxy": "proxy:3128", "HTTPS_PROXY": "http://other:1"}, Hop(tls=True, host="h", port=443), PROXY),
        ({"HTTPS_PROXY": "http://proxy:3128"}, Hop(tls=False, host="h", port=80), None),
        ({"ALL_PROXY": "http://proxy:3128"}, Hop(tls=False, host="h", port=80), PROXY),
        ({"ALL_PROXY": "http://proxy:3128", "NO_PROXY": "*"}, Hop(tls=False, host="h", port=80), None),
        ({"ALL_PROXY": "http://proxy:3128", "NO_PROXY": "x, .h.org"}, Hop(tls=False, host="a.h.org", port=80), None),
        ({"ALL_PROXY": "http://proxy:3128", "NO_PROXY": "h.org"}, Hop(tls=False, host="h.org", port=80), None),
        ({"ALL_PROXY": "http://proxy:3128", "NO_PROXY": "h.org"}, Hop(tls=False, host="xh.org", port=80), PROXY),
        ({"ALL_PROXY": "http://proxy:3128", "NO_PROXY": "h:81"}, Hop(tls=False, host="h", port=80), PROXY),
        ({"ALL_PROXY": "http://proxy:3128", "NO_PROXY": "h:80"}, Hop(tls=False, host="h", port=80), None),
        ({"ALL_PROXY": "http://proxy:3128", "NO_PROXY": "10.0.0.0/8"}, Hop(tls=False, host="10.1.2.3", port=80), None),
        ({"ALL_PROXY": "http://proxy:3128", "NO_PROXY": "10.0.0.0/8"}, Hop(tls=False, host="h", port=80), PROXY),
        ({"ALL_PROXY": "http://proxy:3128"}, Hop(tls=False, host="127.0.0.1", port=80), None),
        ({"ALL_PROXY": "http://proxy:3128"}, Hop(tls=True, host="localhost", port=443), None),
        ({"ALL_PROXY": "http://proxy:3128"}, Hop(tls=True, host="::1", port=443), None),
    ],
)
def test_proxies_of_the_environment_are_honoured(environment, hop, proxy):
    assert proxy_for(hop, environment) == proxy


def test_a_plain_request_through_a_proxy_names_the_whole_address_and_its_login():
    target = make_target("POST", "http://h/v1", {}, {"HTTP_PROXY": "http://u:p@proxy:3128"})

    assert target.head.startswith(b"POST http://h/v1 HTTP/1.1\r\n")
    assert target.head.endswith(b"proxy-authorization: Basic dTpw\r\n")


def test_a_proxy_of_a_kind_that_is_not_spoken_is_named():
    with pytest.raises(BadAddress, match="the proxy in `HTTPS_PROXY` or `ALL_PROXY` is no `http://` address"):
        proxy_for(Hop(tls=True, host="h", port=443), {"ALL_PROXY": "socks5://proxy:1080"})
