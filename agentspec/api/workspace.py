"""workspace: what all runs of one event loop share: connections and stores. Closed when the last of them ends."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from weakref import WeakKeyDictionary

from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.adapters.tools.web.pools import Pools


class Workspace:
    """Opened on first use, shared by reference, never asked for by name."""

    def __init__(self) -> None:
        self.users = 0
        self._client: HttpClient | None = None
        self.pools = Pools(os.environ)
        self._stores: dict[Path, SqliteStore] = {}

    @property
    def client(self) -> HttpClient:
        if self._client is None:
            self._client = HttpClient(os.environ)
        return self._client

    def store(self, path: Path) -> SqliteStore:
        store = self._stores.get(path)
        if store is None:
            store = self._stores[path] = SqliteStore(path)
        return store

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
        await self.pools.close()
        for store in self._stores.values():
            store.close()
        self._client = None
        self._stores = {}


_OPEN: WeakKeyDictionary[asyncio.AbstractEventLoop, Workspace] = WeakKeyDictionary()


@asynccontextmanager
async def workspace() -> AsyncIterator[Workspace]:
    """The workspace of the running loop."""
    loop = asyncio.get_running_loop()
    shared = _OPEN.setdefault(loop, Workspace())
    shared.users += 1
    try:
        yield shared
    finally:
        shared.users -= 1
        if shared.users == 0:
            _OPEN.pop(loop, None)  # whoever comes while it closes opens another one
            await shared.close()
