"""pools: the connections of tools, one client for each way in which hosts may be reached. Shared, made on first use.

Nothing that belongs to a run is kept in them: headers and keys go with each request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.tools.web.addresses import PublicOnly

# `named` are hosts that an author has written down, with the proxies of the environment. `public` are hosts of somebody
# else's choice: public addresses alone. `any` is the same without a look at the address.
Sort: TypeAlias = Literal["named", "public", "any"]


class Pools:
    """One client a sort, for all runs that are given them."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = environment or {}
        self._clients: dict[Sort, HttpClient] = {}

    def client(self, sort: Sort) -> HttpClient:
        """The connections of this sort; whoever made the pools closes them."""
        if sort not in self._clients:
            environment = self._environment if sort == "named" else {}
            self._clients[sort] = HttpClient(environment, addresses=PublicOnly() if sort == "public" else None)
        return self._clients[sort]

    async def close(self) -> None:
        """Every connection is given up."""
        for client in self._clients.values():
            await client.close()
        self._clients = {}
