"""hosts: the host and the port that an address names, and those that a pattern of hosts is for.

A pattern without a port is for every port, one with a port for that alone; an address without one has its scheme's.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from urllib.parse import urlsplit

PORTS: Final = {"http": 80, "https": 443}
_SLOT = r"\$\{[^}]*\}"
_NAMED = re.compile(
    r"\s*(?P<scheme>https?)://(?:[^\s/?#@$\\]*@)?(?P<name>\[[0-9A-Fa-f:.]+\]|[^\s/?#@:\[\]$\\]+)"
    rf"(?::(?P<port>[0-9]*|{_SLOT}))?(?=[/?#]|\s*$)",
    re.IGNORECASE,
)


class Named(NamedTuple):
    """The host of an address in a spec: as it is shown, and the pattern of all that the address may mean."""

    shown: str
    pattern: str


def split_host(written: str) -> tuple[str, str]:
    """The name and the port of a host or a pattern; no port is any. Lower case, IPv6 without its brackets.

    >>> split_host("*.Example.org:0443"), split_host("[::1]"), split_host("::1")
    (('*.example.org', '443'), ('::1', ''), ('::1', ''))
    """
    name, _, port = written.casefold().rpartition(":")
    is_port = port.isascii() and port.isdigit() and (":" not in name or name.endswith("]"))
    if not is_port:
        name, port = written.casefold(), ""
    return name.removeprefix("[").removesuffix("]").rstrip("."), (port.lstrip("0") or "0") if is_port else ""


def join_host(name: str, port: str | int) -> str:
    """A name and a port as they are written together; without a port the name alone.

    >>> join_host("::1", 8080), join_host("localhost", "")
    ('[::1]:8080', 'localhost')
    """
    shown = f"[{name}]" if ":" in name else name
    return f"{shown}:{port}" if port != "" else shown


def host_of(url: str) -> str:
    """`host:port` of an address; empty where it has none that can be read.

    >>> host_of("https://API.example.org/x"), host_of("http://[::1]:8080/"), host_of("/x")
    ('api.example.org:443', '[::1]:8080', '')
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    return join_host(host.rstrip("."), port or PORTS.get(parts.scheme.lower(), 0)) if host else ""


def named_host(url: str) -> Named | None:
    """The host that an address in a spec names; None where only a run can tell. A slot for a port is any port.

    >>> named_host("https://api.example.org/v1/${x}"), named_host("http://a:8080"), named_host("https://${env.HOST}/")
    (Named(shown='api.example.org', pattern='api.example.org:443'), Named(shown='a:8080', pattern='a:8080'), None)
    """
    found = _NAMED.match(url)
    if found is None:
        return None
    name, _ = split_host(found["name"])
    port = found["port"] or ""
    if port.startswith("$"):
        return Named(join_host(name, ""), join_host(name, ""))
    usual = PORTS[found["scheme"].lower()]
    return Named(join_host(name, port), join_host(name, port or usual))
