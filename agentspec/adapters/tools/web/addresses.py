"""addresses: which IP addresses are the public's, and the addresses of a host after all others are refused.

An explicit table, since the standard library calls NAT64 forms of this very machine global, and differs by version.
Sources: IANA's registries of special-purpose addresses for IPv4 and IPv6 (RFC 6890), RFC 6052 (NAT64).
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

from agentspec.adapters.http.address import Hop
from agentspec.adapters.http.connection import HttpError

Lookup: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]

NOT_PUBLIC = tuple(
    map(
        ip_network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"),
            *("198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
            # Within 2000::/3, the one block of IPv6 that is given out: protocols (Teredo among them), examples, 6to4.
            *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
        ),
    )
)
GIVEN_OUT = IPv6Network("2000::/3")
# An IPv4 address in its last 32 bits: mapped, and as a translator writes it.
WRAPPED = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))


def is_public(address: str) -> bool:
    """Whether an address is one of the public internet's, whatever form it is wrapped in.

    >>> is_public("93.184.216.34"), is_public("::ffff:127.0.0.1"), is_public("64:ff9b::a9fe:a9fe")
    (True, False, False)
    """
    try:
        found = _unwrapped(ip_address(address))
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and (found not in GIVEN_OUT or found.scope_id is not None):
        return False
    return not any(found in network for network in NOT_PUBLIC if network.version == found.version)


def _unwrapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    if isinstance(address, IPv6Address) and any(address in network for network in WRAPPED):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


async def look_up(host: str, port: int) -> list[str]:
    """The addresses of a host, as the system resolves it, each once. Raises `socket.gaierror`."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class PublicOnly:
    """Gives the addresses of a host that may be connected to. One answer decides, so that none can change meanwhile.

    A host with any address that is not public is refused as a whole: an honest one has none.
    """

    def __init__(self, look: Lookup = look_up) -> None:
        self._look = look

    async def __call__(self, hop: Hop) -> Sequence[str]:
        found = await self._look(hop.host, hop.port)
        refused = next((address for address in found if not is_public(address)), None)
        if refused is not None:
            raise HttpError("connect", f"`{hop.host}` leads to `{refused}`, which is no public address")
        return found
