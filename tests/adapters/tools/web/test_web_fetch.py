"""Pages are fetched as text, from named hosts and public addresses alone, however an address is dressed up."""

import gzip
import ssl
from pathlib import Path

import pytest

from agentspec.adapters.http.address import Hop
from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.http.connection import HttpError
from agentspec.adapters.tools.kit import Setting
from agentspec.adapters.tools.kits import make_kit
from agentspec.adapters.tools.web.addresses import PublicOnly, is_public
from agentspec.adapters.tools.web.web_fetch import FetchTool
from agentspec.ports import Invocation
from tests.servers.loopback import CERTIFICATE, STALL, Loopback, response

PAGE = (
    "<!doctype html><title>Two  words</title><h1>Hi</h1><p>a <a href='/b'>link</a> &amp; more</p><script>x()</script>"
)


def page(body=PAGE, status=200, **headers):
    return [response(body, status, {"content-type": "text/html", **headers})]


def redirect(to, status=302):
    return [response("", status, {"location": to})]


class Names:
    """A name server of the test: what each host leads to, one answer a question, the last one for all that follow."""

    def __init__(self, **hosts):
        self.hosts = {name.replace("_", "."): list(answers) for name, answers in hosts.items()}
        self.asked = []

    async def __call__(self, host, _port):
        self.asked.append(host)
        answers = self.hosts[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]


class Here:
    """Lets this machine stand for the public internet, so that a server of the test can be reached by any name."""

    def __init__(self, names):
        self._names = names
        self._public = PublicOnly(names)

    async def __call__(self, hop: Hop):
        await self._public(hop)
        return ["127.0.0.1"]


async def fetch(url, hosts=("*",), *, addresses=None, within=5.0, tls=None, **arguments):
    tool = FetchTool(HttpClient(addresses=addresses, tls=tls), hosts, within, any_port=True)
    try:
        return await tool.call(Invocation(name="fetch", call_id="c", arguments={"url": url, **arguments}, key="k"))
    finally:
        await tool.close()


async def test_a_page_is_shown_as_text():
    async with Loopback([page()]) as server:
        output = await fetch(f"{server.url}#part")

    assert output.error is None
    assert output.text == (f"{server.url}#part\nTwo words\n\n# Hi\n\na link (http://127.0.0.1:{server.port}/b) & more")
    assert output.data == {
        "url": f"{server.url}#part",
        "status": 200,
        "content_type": "text/html",
        "bytes": len(PAGE),
        "title": "Two words",
    }
    assert server.asked[0].line == "GET /v1 HTTP/1.1"


@pytest.mark.parametrize(
    ("content_type", "body", "text"),
    [
        ("application/json", b'{"a": 1}', '{"a": 1}'),
        ("text/plain; charset=iso-8859-1", b"caf\xe9", "café"),
        ("text/plain; charset=punycode", b"caf\xc3\xa9", "café"),
        ("text/plain", b"\xef\xbb\xbfmark", "mark"),
        ("text/plain", b"bad \xff", "bad \ufffd"),
        ("text/html", b"<meta charset='windows-1252'><p>\x80", "€"),
        ("application/vnd.api+json", b"[]", "[]"),
        ("", b"<!DOCTYPE html><p>sniffed", "sniffed"),
        ("application/octet-stream", b"just text", "just text"),
    ],
)
async def test_texts_of_all_sorts_are_read(content_type, body, text):
    async with Loopback([[response(body, headers={"content-type": content_type})]]) as server:
        output = await fetch(server.url)

    assert output.text == f"{server.url}\n\n{text}"


@pytest.mark.parametrize(
    ("content_type", "body", "words"),
    [
        ("image/png", b"\x89PNG", "is `image/png` of 4 bytes, which is no text"),
        ("application/octet-stream", b"\0\0", "is `application/octet-stream` of 2 bytes, which is no text"),
        ("text/plain", b"a\0b", "says that it is `text/plain`, but holds bytes that are no text"),
        ("application/pdf", b"%PDF", "is `application/pdf` of 4 bytes, which is no text"),
    ],
)
async def test_what_is_no_text_is_refused(content_type, body, words):
    async with Loopback([[response(body, headers={"content-type": content_type})]]) as server:
        output = await fetch(server.url)

    assert output.error.message == f"`{server.url}` {words}"


async def test_a_long_page_is_cut_where_it_was_asked_to_be():
    async with Loopback([[response("x" * 5000, headers={"content-type": "text/plain"})]]) as server:
        output = await fetch(server.url, max_bytes=100)

    assert output.text == f"{server.url}\n\n{'x' * 100}\n[cut after 100 bytes]"
    assert output.data["bytes"] == 100


async def test_a_compressed_bomb_does_not_unpack():
    bomb = gzip.compress(bytes(200 << 20))
    headers = {"content-encoding": "gzip", "content-type": "text/plain"}
    async with Loopback([[response(bomb, headers=headers)]]) as server:
        output = await fetch(server.url)

    assert output.status == "error"
    assert "unpacks to more than" in output.error.message


async def test_an_error_of_the_server_is_told_with_its_words():
    async with Loopback([page("<p>No such page", 404), page("<p>Later", 503)]) as server:
        missing, later = await fetch(server.url), await fetch(server.url)

    assert (missing.error.message, missing.error.retryable) == (f"HTTP 404 from `{server.url}`", False)
    assert missing.text == f"{server.url}\n\nNo such page"
    assert (later.error.category, later.error.retryable) == ("http", True)


async def test_a_server_that_says_nothing_is_left_in_time():
    async with Loopback([[STALL]]) as server:
        output = await fetch(server.url, within=0.2)

    assert output.error.category in ("timeout", "fetch")
    assert "0.2 s" in output.error.message


# --- hosts


@pytest.mark.parametrize(
    ("hosts", "url", "is_allowed"),
    [
        (["example.org"], "https://example.org/", True),
        (["example.org"], "https://EXAMPLE.org./", True),
        (["example.org"], "https://www.example.org/", False),
        (["example.org"], "https://example.org.evil.net/", False),
        (["*.example.org"], "https://a.b.example.org/", True),
        (["*.example.org"], "https://example.org/", False),
        (["*.example.org"], "https://evilexample.org/", False),
        (["example.org:8443"], "https://example.org:8443/", True),
        (["example.org:8443"], "https://example.org/", False),
        (["[2606:4700::1]:8443"], "https://[2606:4700::1]:8443/", True),
        (["[2606:4700::1]:8443"], "https://[2606:4700::1]/", False),
        (["2606:4700::1"], "https://[2606:4700::1]/", True),
        (["*"], "http://anything.net/", True),
        (None, "https://example.org/", True),
        (None, "https://example.org:8443/", False),
        (["example.org"], "https://example.org:6379/", False),
        (["*"], "http://example.org:22/", False),
    ],
)
async def test_hosts_are_those_of_the_spec(hosts, url, is_allowed):
    async def refuse(hop):
        raise HttpError("connect", f"would connect to {hop.host}")

    tool = FetchTool(HttpClient(addresses=refuse), hosts, 5.0, any_port=False)

    output = await tool.call(Invocation(name="fetch", call_id="c", arguments={"url": url}, key="k"))

    assert output.error.category == ("fetch" if is_allowed else "refused")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://example.org/", "must begin with `http://` or `https://`"),
        ("file:///etc/passwd", "must begin with `http://` or `https://`"),
        ("gopher://127.0.0.1:25/", "must begin with `http://` or `https://`"),
        ("https://user:secret@example.org/", "a URL with a user or a password in it is not fetched"),
        ("http://[::1/", "is not well formed"),
        ("http://example.org/a b", "percent-encoded"),
        ("http://exa\r\nmple.org/", "may not be fetched from"),
        ("", "must begin with `http://` or `https://`"),
        ("http://h/" + "a" * 9000, "the URL has 9009 characters; at most 8192 are taken"),
    ],
)
async def test_odd_addresses_are_refused(url, words):
    output = await fetch(url, ["nobody.example"])

    assert output.error.category == "refused"
    assert words in output.error.message or "may not be fetched" in output.error.message


# --- addresses

PRIVATE = [
    *("127.0.0.1", "127.255.255.254", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "100.127.255.255", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.7"),
    *("203.0.113.5", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "192.88.99.1"),
    *("::", "::1", "fe80::1", "fe80::1%1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a00:1"),
    *("64:ff9b:1::7f00:1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "::127.0.0.1"),
    *("::7f00:1", "100::1", "5f00::1", "3fff::1", "4000::1", "no address", ""),
]


@pytest.mark.parametrize("address", PRIVATE)
def test_no_private_address_is_public_in_any_form(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "172.32.0.1"]
)
def test_public_addresses_are_public(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "017700000001", "0", "localhost"),
        *("127.0.0.1.", "１２７.０.０.１", "127。0。0。1", "①②⑦.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::]"),
        *("[0:0:0:0:0:ffff:7f00:1]", "[64:ff9b::7f00:1]", "[::127.0.0.1]", "169.254.169.254", "[fd00:ec2::254]"),
        *("0x7f.0.0.1", "127.0.1", "3232235521", "0300.0250.0.1", "10.1", "[fe80::1]", "0.0.0.0"),
    ],
)
async def test_no_spelling_of_this_machine_or_network_is_connected_to(host):
    async with Loopback([page("<p>secret")]) as server:
        output = await fetch(f"http://{host}:{server.port}/", addresses=PublicOnly())

    assert (output.status, server.connections) == ("error", 0)
    assert "secret" not in output.text


async def test_a_host_with_one_private_address_is_refused_whole():
    names = Names(mixed_example=[["93.184.216.34", "10.0.0.1"]])
    async with Loopback([page()]) as server:
        output = await fetch(f"http://mixed.example:{server.port}/", addresses=Here(names))

    assert output.error.message == "`mixed.example` leads to `10.0.0.1`, which is no public address"
    assert server.connections == 0


async def test_a_name_is_looked_up_once_and_the_checked_address_connected_to():
    names = Names(rebinding_example=[["93.184.216.34"], ["127.0.0.1"]])
    async with Loopback([page("<p>one")]) as server:
        output = await fetch(f"http://rebinding.example:{server.port}/", addresses=Here(names))

    assert output.text.endswith("\n\none")
    assert names.asked == ["rebinding.example"]
    assert server.asked[0].headers["host"] == f"rebinding.example:{server.port}"


async def test_an_answer_that_changes_before_a_redirect_is_checked_again():
    names = Names(rebinding_example=[["93.184.216.34"], ["127.0.0.1"]])
    async with Loopback([[*redirect("/again"), "close"]]) as server:
        output = await fetch(f"http://rebinding.example:{server.port}/", addresses=Here(names))

    assert output.error.message == "`rebinding.example` leads to `127.0.0.1`, which is no public address"
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:{port}/x", "http://[::ffff:127.0.0.1]:{port}/x", "//localhost:{port}/x"]
)
async def test_a_redirect_to_a_private_address_is_not_followed(target):
    class Outside(Here):
        async def __call__(self, hop):
            return await super().__call__(hop) if hop.host == "a.example" else await PublicOnly()(hop)

    async with Loopback([[STALL]]) as inside, Loopback([redirect(target.format(port=inside.port))]) as server:
        names = Names(a_example=[["93.184.216.34"]])
        output = await fetch(f"http://a.example:{server.port}/", addresses=Outside(names))

    assert (output.status, inside.connections) == ("error", 0)
    assert "which is no public address" in output.error.message


async def test_a_redirect_to_a_host_that_is_not_allowed_is_not_followed():
    async with Loopback([redirect("http://elsewhere.example/")]) as server:
        output = await fetch(server.url, ["127.0.0.1"])

    assert output.error.message == ("the host `elsewhere.example` may not be fetched from; allowed are `127.0.0.1`")


async def test_without_hosts_every_address_is_asked_about_and_leads_nowhere_else():
    async with Loopback([redirect("http://elsewhere.example/")]) as server:
        output = await fetch(server.url, None)
    asked, allowed = (
        make_kit("web.fetch", options, Setting(Path()))["fetch"][0].touches({"url": "https://a.example/x"})
        for options in ({}, {"hosts": ["*"]})
    )

    assert output.error.message == (
        f"the host `elsewhere.example` may not be fetched from; allowed are `127.0.0.1:{server.port}`"
    )
    assert (asked.url, asked.ask) == (
        "https://a.example/x",
        "`web.fetch` names no `hosts`, so every address is asked about",
    )
    assert (allowed.url, allowed.ask) == ("https://a.example/x", "")


@pytest.mark.parametrize("target", ["ftp://127.0.0.1/", "file:///etc/passwd", "http://u:p@127.0.0.1/"])
async def test_a_redirect_to_something_else_is_not_followed(target):
    async with Loopback([redirect(target)]) as server:
        output = await fetch(server.url)

    assert output.error.category == "refused"


async def test_three_redirects_are_followed_and_a_fourth_is_not():
    async with Loopback([redirect("/1"), redirect("../2", 307), redirect("?3", 308), page()]) as server:
        output = await fetch(server.url)
    async with Loopback([redirect("/again")]) as endless:
        refused = await fetch(endless.url)

    assert output.data["url"] == f"http://127.0.0.1:{server.port}/2?3"
    assert refused.error.message == (f"more than 3 redirects; the last led to `http://127.0.0.1:{endless.port}/again`")
    assert len(endless.asked) == 4


async def test_the_certificate_is_that_of_the_name_and_not_of_the_address():
    trusting = ssl.create_default_context(cafile=str(CERTIFICATE))
    names = Names(localhost=[["93.184.216.34"]], other_example=[["93.184.216.34"]])
    async with Loopback([page("<p>safe")], tls=True) as server:
        right = await fetch(f"https://localhost:{server.port}/", addresses=Here(names), tls=trusting)
        wrong = await fetch(f"https://other.example:{server.port}/", addresses=Here(names), tls=trusting)

    assert right.text.endswith("safe")
    assert "is not trusted" in wrong.error.message


async def test_the_toolkit_allows_private_addresses_only_where_the_spec_says_so():
    async with Loopback([page("<p>inside")]) as server:
        for options, expected in (({}, "error"), ({"private": True}, "ok")):
            kit = make_kit("web.fetch", {"hosts": [f"127.0.0.1:{server.port}"], **options}, Setting(Path()))
            plan, tool = kit["fetch"]
            output = await tool.call(Invocation(name="fetch", call_id="c", arguments={"url": server.url}, key="k"))
            await tool.close()

            assert output.status == expected
            assert (plan.effect, plan.repeat, list(plan.parameters["properties"])) == (
                "network",
                "read",
                ["url", "max_bytes"],
            )
        assert server.connections == 1
