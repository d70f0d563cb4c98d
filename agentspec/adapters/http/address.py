"""address: where a request goes, and by which proxy. No I/O.

A URL may hold a user's password and a query may hold a key: what is shown of an address (`Target.shown`) has neither.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from agentspec.core.models.own_fields import OWN_HEADERS
from agentspec.text.hosts import PORTS

LOOPBACK = re.compile(r"localhost|.*\.localhost|127(\.\d{1,3}){3}|::1")
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2


class Hop(NamedTuple):
    """One end of a connection."""

    tls: bool
    host: str
    port: int


class Proxy(NamedTuple):
    """A proxy between; `authorization` is a whole header line, or empty."""

    hop: Hop
    authorization: bytes


class Target(NamedTuple):
    """A prepared request: everything but its body and its length.

    `head` is written as it is before every body, so that nothing is formatted twice. Requests of equal `origin` may
    share a connection.
    """

    origin: tuple[Hop, Proxy | None]
    head: bytes
    shown: str

    @property
    def host(self) -> str:
        """Host and port that answer, for messages."""
        return _authority(self.origin[0])

    def __repr__(self) -> str:
        return f"Target({self.shown!r})"  # `head` holds the key


class BadAddress(ValueError):
    """A URL or a header that cannot be sent; the text names it without showing secrets."""


def join_path(base_url: str, path: str) -> str:
    """Put `path` behind the path of `base_url` and before its query, unless it stands there already.

    >>> join_path("https://host/v1/?api-version=2", "/chat/completions")
    'https://host/v1/chat/completions?api-version=2'
    """
    parts = urlsplit(base_url.strip())
    stem = parts.path.rstrip("/")
    return parts._replace(path=stem if stem.endswith(path) else stem + path).geturl()


def make_target(method: str, url: str, headers: Mapping[str, str], environment: Mapping[str, str]) -> Target:
    """Prepare requests to `url`. Raises `BadAddress`."""
    parts, hop = _split(url)
    shown = f"{parts.scheme}://{_authority(hop)}{parts.path or '/'}"
    proxy = proxy_for(hop, environment)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not path.isascii() or re.search(r"[\x00-\x20\x7f]", path):
        raise BadAddress(f"the URL `{shown}` has characters that must be percent-encoded")
    if proxy is not None and not hop.tls:
        path = f"http://{_authority(hop)}{path}"
    lines = [f"{method} {path} HTTP/1.1", f"host: {_authority(hop)}", "accept-encoding: identity"]
    login = _basic(parts)
    if login and not any(name.lower() == "authorization" for name in headers):
        lines.append(f"authorization: {login}")
    lines += [_header(name, value) for name, value in headers.items()]
    head = "\r\n".join(lines).encode("latin-1") + b"\r\n"
    if proxy is not None and not hop.tls:
        head += proxy.authorization
    return Target((hop, proxy), head, shown)


def _split(url: str) -> tuple[SplitResult, Hop]:
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise BadAddress("the URL is not well formed (its port or its brackets)") from None
    if parts.scheme not in PORTS or not parts.hostname:
        example = "https://host/v1"
        raise BadAddress(f"the URL must begin with `http://` or `https://` and name a host, as in `{example}`")
    host = parts.hostname
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            raise BadAddress("the host name of the URL is not valid") from None
    if re.search(r"[\x00-\x20\x7f]", host):
        raise BadAddress("the host name of the URL is not valid")
    return parts, Hop(parts.scheme == "https", host, PORTS[parts.scheme] if port is None else port)


def _authority(hop: Hop) -> str:
    host = f"[{hop.host}]" if ":" in hop.host else hop.host
    return host if hop.port == PORTS["https" if hop.tls else "http"] else f"{host}:{hop.port}"


def _basic(parts: SplitResult) -> str:
    if parts.username is None:
        return ""
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return "Basic " + base64.b64encode(login.encode()).decode("ascii")


def _header(name: str, value: str) -> str:
    if not TOKEN.fullmatch(name):
        raise BadAddress(f"`{name[:60]!r}` is no name of an HTTP header")
    if name.lower() in OWN_HEADERS:
        raise BadAddress(f"the header `{name}` is set by the client itself")
    value = value.strip()
    if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", value) or not _fits_latin1(value):
        raise BadAddress(f"the value of the header `{name}` has a character that a header cannot hold")
    return f"{name}: {value}"


def _fits_latin1(value: str) -> bool:
    return value.isascii() or all(ord(character) < 256 for character in value)


def proxy_for(hop: Hop, environment: Mapping[str, str]) -> Proxy | None:
    """The proxy that the environment asks for (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`), if any.

    Lower case wins, as in curl; this machine itself is never asked for through a proxy, as in Go. Raises `BadAddress`
    for a proxy of a kind that is not spoken (SOCKS).
    """
    scheme = "https" if hop.tls else "http"
    url = _variable(environment, f"{scheme}_proxy") or _variable(environment, "all_proxy")
    if not url or _is_exempt(hop, _variable(environment, "no_proxy")):
        return None
    try:
        parts, proxy = _split(url if "://" in url else f"http://{url}")
    except BadAddress:
        raise BadAddress(f"the proxy in `{scheme.upper()}_PROXY` or `ALL_PROXY` is no `http://` address") from None
    login = _basic(parts)
    return Proxy(proxy, f"proxy-authorization: {login}\r\n".encode("latin-1") if login else b"")


def _variable(environment: Mapping[str, str], name: str) -> str:
    return (environment.get(name) or environment.get(name.upper()) or "").strip()


def _is_exempt(hop: Hop, exempt: str) -> bool:
    if LOOPBACK.fullmatch(hop.host):
        return True
    return any(_matches(hop, entry.strip().lower()) for entry in exempt.split(","))


def _matches(hop: Hop, entry: str) -> bool:
    """Whether one entry of `NO_PROXY` covers `hop`: `*`, a host, a domain with its subdomains, a network."""
    if not entry:
        return False
    if entry == "*":
        return True
    name, colon, port = entry.rpartition(":")
    if colon and port.isdigit() and ":" not in name:
        if int(port) != hop.port:
            return False
        entry = name
    if "/" in entry:
        return _in_network(hop.host, entry)
    domain = entry.removeprefix("*").lstrip(".")
    return hop.host == domain or hop.host.endswith(f".{domain}")


def _in_network(host: str, network: str) -> bool:
    import ipaddress  # noqa: PLC0415  (5 ms that almost no start needs)

    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
