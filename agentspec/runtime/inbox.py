"""inbox: what has happened, for the one loop that waits for it. Never decides in which order anything counts."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Inbox(Generic[Item]):
    """Items for one reader, all that have come at once; put in from the reader's own event loop.

    >>> async def main() -> list[str]:
    ...     inbox = Inbox[str]()
    ...     asyncio.get_running_loop().call_soon(inbox.put, "a")
    ...     return [*await inbox.wait(), *inbox.take()]
    >>> asyncio.run(main())
    ['a']
    """

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._bell: asyncio.Future[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def put(self, item: Item) -> None:
        self._items.append(item)
        if self._bell is not None and not self._bell.done():
            self._bell.set_result(None)

    def take(self) -> list[Item]:
        """What lies there."""
        items, self._items = self._items, []
        return items

    async def wait(self) -> list[Item]:
        """What lies there, once there is anything. Cancelled, it takes nothing."""
        if not self._items:
            if self._loop is None:
                self._loop = asyncio.get_running_loop()
            self._bell = self._loop.create_future()
            try:
                await self._bell
            finally:
                self._bell = None
        return self.take()
