"""web: a server at an address: streamable HTTP, with the headers of the spec and bounds on what it sends.

Redirects leave neither the host nor the scheme (the SDK's own rule), and nothing compressed is taken: what is small on
the wire may be large in memory.

Wire: Model Context Protocol 2025-11-25 and 2026-07-28, basic/transports, streamable HTTP.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from agentspec.adapters.mcp.program import MESSAGE_MAX

CONNECT_TIMEOUT = 30.0
READ_TIMEOUT = 300.0  # a stream may be silent for long


@asynccontextmanager
async def web_streams(url: str, headers: Mapping[str, str], seconds: float, auth: Any = None) -> AsyncIterator[Any]:
    """A transport for the SDK's client, which opens and closes it. A call may take so many `seconds`."""
    import httpx2  # noqa: PLC0415 - comes with the optional `mcp`
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

    class Bounded(httpx2.AsyncByteStream):
        """A body that is given up when it is too large."""

        def __init__(self, inner: Any) -> None:
            self.inner = inner

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = MESSAGE_MAX
            async for chunk in self.inner:
                left -= len(chunk)
                if left < 0:
                    raise httpx2.ReadError(f"an answer of more than {MESSAGE_MAX} bytes")
                yield chunk

        async def aclose(self) -> None:
            await self.inner.aclose()

    async def bound(response: Any) -> None:
        encoding = response.headers.get("content-encoding", "identity")
        if encoding.lower() != "identity":
            raise httpx2.DecodingError(f"a body that is compressed (`{encoding}`) without being asked for")
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            response.stream = Bounded(response.stream)

    limits = httpx2.Timeout(CONNECT_TIMEOUT, read=max(READ_TIMEOUT, seconds))
    carried = {"Accept-Encoding": "identity", **headers}
    hooks: Any = {"response": [bound]}
    async with httpx2.AsyncClient(headers=carried, timeout=limits, auth=auth, event_hooks=hooks) as client:
        yield streamable_http_client(url, http_client=client, max_sse_event_size=MESSAGE_MAX)
