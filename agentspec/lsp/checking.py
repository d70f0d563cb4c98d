"""checking: check what has changed, and tell the client what is found, file by file.

One check at a time, the newest text of each file only; what changes meanwhile is checked once more, as it is then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from lsprotocol.types import Diagnostic

PAUSE = 0.01  # seconds between a change and its check: what an editor asks right after a key is answered first
Found = dict[str, list[Diagnostic]]  # by address; that of the checked file comes first


class Checking:
    """What has to be checked, and what the client was told of.

    `find` checks a file by its path, in the worker; `publish` tells the findings of an address; `report` hears of bugs.
    """

    def __init__(
        self,
        worker: Executor,
        find: Callable[[str], Found],
        publish: Callable[[str, list[Diagnostic]], None],
        report: Callable[[Exception], None],
    ) -> None:
        self._worker, self._find, self._publish, self._report = worker, find, publish, report
        self._changes: list[Future[list[str]]] = []  # each gives what has to be checked because of it
        self._due: dict[str, None] = {}  # the paths that have to be checked, in order
        self._told: dict[str, Found] = {}  # by the path that was checked
        self._task: asyncio.Task[None] | None = None

    def change(self, change: Callable[..., list[str]], *arguments: Any) -> None:
        """Let the worker take in a change, and check what it gives."""
        self._changes.append(self._worker.submit(change, *arguments))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._go_on())

    def close(self, path: str) -> None:
        """A file is not open any more: nothing is told of it."""
        self._due.pop(path, None)
        for address in self._told.pop(path, {}):
            self._tell(address)

    async def _go_on(self) -> None:
        await asyncio.sleep(PAUSE)
        while self._changes or self._due:
            await self._take_in()
            for path in list(self._due)[:1]:
                del self._due[path]
                await self._check(path)

    async def _take_in(self) -> None:
        while self._changes:
            try:
                stale: list[str] = await asyncio.wrap_future(self._changes.pop(0))
                self._due |= dict.fromkeys(stale)
            except Exception as bug:  # noqa: BLE001 - the last line of defence: what is typed next is checked all the same
                self._report(bug)

    async def _check(self, path: str) -> None:
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._worker, self._find, path)
        except Exception as bug:  # noqa: BLE001 - as above
            self._report(bug)
            return
        if self._changes:  # what was found may be of a text that is not there any more
            self._due.setdefault(path)
            return
        before, self._told[path] = self._told.get(path, {}), found
        for address in {**found, **before}:
            self._tell(address)

    def _tell(self, address: str) -> None:
        """Tell what is known of an address: by its own check, else by those of what builds on it."""
        own = [found for found in self._told.values() if next(iter(found), None) == address]
        told: list[Diagnostic] = []
        for found in own or self._told.values():
            told += [one for one in found.get(address, ()) if one not in told]
        self._publish(address, told)
