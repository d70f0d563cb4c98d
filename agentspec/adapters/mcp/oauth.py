"""oauth: how a server learns who asks: a person agrees in a browser, once; the token is kept for the owner alone.

The code comes back to a port of this machine that is open only while somebody is asked. No token is ever shown.

Flow: Model Context Protocol 2025-11-25 and 2026-07-28, basic/authorization; RFC 8252 (native apps), RFC 9207 (`iss`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import webbrowser
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import msgspec

from agentspec.errors import Unavailable
from agentspec.syntax.private import make_private, private_file

CALLBACK = "/callback"
HOST = "127.0.0.1"
ANSWER_TIME = 300.0  # seconds that a person has to agree
REQUEST_MAX = 16 * 1024
PAGE = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nYou can close this window."


class Granted(NamedTuple):
    """What comes back from a person who was asked."""

    code: str
    state: str | None
    issuer: str | None


# Given the address where a person agrees, what came back.
Asking: TypeAlias = Callable[[str], Awaitable[Granted]]


class Tokens:
    """What a server has granted, in a file that only its owner can read; without a file it is kept in memory."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._kept: dict[str, Any] = {}
        if path is not None:
            with contextlib.suppress(OSError, msgspec.DecodeError):
                self._kept = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])

    @property
    def redirect(self) -> str | None:
        """The address of this machine that the server knows this client by, if it does."""
        client = self._kept.get("client") or {}
        return next(iter(client.get("redirect_uris") or ()), None)

    def forget(self) -> None:
        """Begin anew: the server will be asked who this client is, and the person to agree."""
        self._kept = {}

    async def get_tokens(self) -> Any:
        from mcp.shared.auth import OAuthToken  # noqa: PLC0415 - optional, and slow to load

        return OAuthToken.model_validate(self._kept["tokens"]) if "tokens" in self._kept else None

    async def set_tokens(self, tokens: Any) -> None:
        self._keep("tokens", tokens)

    async def get_client_info(self) -> Any:
        from mcp.shared.auth import OAuthClientInformationFull  # noqa: PLC0415 - optional, and slow to load

        return OAuthClientInformationFull.model_validate(self._kept["client"]) if "client" in self._kept else None

    async def set_client_info(self, client_info: Any) -> None:
        self._keep("client", client_info)

    def _keep(self, name: str, model: Any) -> None:
        self._kept[name] = model.model_dump(mode="json", exclude_none=True)
        if self._path is None:
            return
        passing = self._path.with_name(f".{uuid4().hex}")
        try:
            make_private(self._path.parent)
            with private_file(passing) as file:
                file.write(msgspec.json.encode(self._kept))
            passing.replace(self._path)
        except OSError as error:
            passing.unlink(missing_ok=True)
            raise Unavailable(f"the token can't be kept in `{self._path}`: {error.strerror}") from None


def oauth(url: str, tokens: Tokens, ask: Asking, redirect: str, client_metadata_url: str | None = None) -> Any:
    """What authorises each request to the server at `url`; `ask` is only called where there is no token that holds."""
    from mcp.client.auth import OAuthClientProvider  # noqa: PLC0415 - optional, and slow to load
    from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata  # noqa: PLC0415

    came: list[Granted] = []

    async def send(address: str) -> None:
        came[:] = [await ask(address)]

    async def take() -> Any:
        granted = came.pop()
        return AuthorizationCodeResult(code=granted.code, state=granted.state, iss=granted.issuer)

    metadata = OAuthClientMetadata.model_validate(
        {
            "client_name": "agentspec",
            "redirect_uris": [redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
        }
    )
    return OAuthClientProvider(
        server_url=url,
        client_metadata=metadata,
        storage=tokens,
        redirect_handler=send,
        callback_handler=take,
        client_metadata_url=client_metadata_url,
    )


class Desk:
    """Asks a person: shows the address, opens the browser, and listens for what comes back."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        self._notice = notice
        self._came: asyncio.Future[Granted] | None = None
        self._listener: asyncio.Server | None = None
        self.redirect = ""

    async def open(self, tokens: Tokens) -> None:
        """Listen where the server knows this client to be; where that is taken, elsewhere, as somebody new."""
        known = urlsplit(tokens.redirect or "").port
        try:
            self._listener = await asyncio.start_server(self._hear, HOST, known or 0)
        except OSError:
            tokens.forget()
            self._listener = await asyncio.start_server(self._hear, HOST, 0)
        self.redirect = f"http://{HOST}:{self._listener.sockets[0].getsockname()[1]}{CALLBACK}"

    async def ask(self, address: str) -> Granted:
        """Raises `Unavailable` where nobody agrees in time, or the server says no."""
        self._came = asyncio.get_running_loop().create_future()
        self._notice(f"agree in a browser that this agent may use it: {address}")
        if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
            await asyncio.to_thread(webbrowser.open, address)
        try:
            async with asyncio.timeout(ANSWER_TIME):
                return await self._came
        except TimeoutError:
            raise Unavailable(f"nobody agreed within {ANSWER_TIME:g} s") from None

    async def close(self) -> None:
        if self._listener is not None:
            self._listener.close()  # not waited for: a browser may keep its connection open for as long as it likes

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(10):
                line = (await reader.readline())[:REQUEST_MAX]
            self._settle(line.decode("latin-1").split(" ")[1])
            writer.write(PAGE)
            await writer.drain()
        except (OSError, ValueError, IndexError, TimeoutError):
            pass  # not from the browser that was asked
        finally:
            writer.close()

    def _settle(self, target: str) -> None:
        parts = urlsplit(target)
        if parts.path != CALLBACK or self._came is None or self._came.done():
            return
        try:
            self._came.set_result(granted_in(parts.query))
        except Unavailable as refused:
            self._came.set_exception(refused)


def granted_in(query: str) -> Granted:
    """What an authorization server answered. Raises `Unavailable` where it is no code.

    >>> granted_in("code=c&state=s")
    Granted(code='c', state='s', issuer=None)
    """
    found = {name: values[0] for name, values in parse_qs(query).items()}
    if "code" not in found:
        raise Unavailable(f"the authorization server refused: {found.get('error', 'it sent no code')[:100]}")
    return Granted(found["code"], found.get("state"), found.get("iss"))
