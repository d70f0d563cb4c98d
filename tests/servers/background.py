"""A loopback server in a thread of its own, for programs that have the event loop of the test's thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.servers.loopback import Loopback, Script, completion, response


@contextmanager
def serving(*scripts: Script) -> Iterator[Loopback]:
    """A server that answers so while the block lasts; one script a request, the last one for all that follow."""
    server = Loopback(scripts)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(5)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(), loop).result(5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()


def says(text: str, finish: str | None = "stop", **more: object) -> Script:
    """A whole answer in text."""
    return [response(completion({"content": text}, finish, **more))]


def calls(*wanted: tuple[str, str, str], text: str | None = None, finish: str | None = "tool_calls") -> Script:
    """A whole answer with calls: id, name, argument text."""
    made = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in wanted]
    return [response(completion({"content": text, "tool_calls": made}, finish))]
