"""web_fetch: the toolkit that fetches pages as text, from hosts that the spec names and from public addresses only.

Every request, also each of at most three redirects, is checked anew: the host by its name, then the addresses that it
leads to, and the connection is made to an address that was checked. No proxy is used, since it would look the name up
by itself; no cookie, no login, nothing of this machine is sent along.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from agentspec.adapters.http.address import BadAddress, Target
from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.http.connection import HttpError
from agentspec.adapters.http.waits import Limits
from agentspec.adapters.tools.kit import KitTool, Offered, Setting, offer
from agentspec.adapters.tools.pure.pure import parameter
from agentspec.adapters.tools.threads import in_thread
from agentspec.adapters.tools.web.page_text import Unreadable, text_of_body
from agentspec.adapters.tools.web.pools import Pools
from agentspec.core.calls.touched import Touched
from agentspec.core.messages import ToolError
from agentspec.ports import Invocation, Output
from agentspec.text.hosts import PORTS, host_of, split_host

MOST_REDIRECTS = 3
USUAL_BYTES = 512 * 1024
MOST_BYTES = 4 * 1024 * 1024
LONGEST_URL = 8192
ASK = "`web.fetch` names no `hosts`, so every address is asked about"
REDIRECTS = frozenset((301, 302, 303, 307, 308))
HEADERS = {
    "user-agent": "agentspec",
    "accept": "text/html, text/plain, text/markdown, application/json, application/xml;q=0.9, text/*;q=0.8, */*;q=0.1",
}


class Fetched(NamedTuple):
    """The last response of a chain of redirects, its body cut at the most that was asked for."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    is_cut: bool


class Refusal(Exception):
    """An address that may not be fetched; `str()` is the sentence that the model reads."""


class FetchTool:
    """Fetches with `client`, whose look-up decides which addresses are connected to; one that is lent is left open."""

    def __init__(
        self,
        client: HttpClient,
        hosts: Sequence[str] | None,
        timeout: float,
        *,
        any_port: bool,
        is_lent: bool = False,
    ) -> None:
        self._client = client
        self._is_lent = is_lent
        self._hosts = hosts
        self._timeout = timeout
        self._any_port = any_port

    async def call(self, invocation: Invocation) -> Output:
        most = int(invocation.arguments.get("max_bytes") or USUAL_BYTES)
        try:
            async with asyncio.timeout(self._timeout):
                fetched = await self._follow(str(invocation.arguments["url"]), most)
            return await in_thread(lambda _: _shown(fetched), "fetch")
        except Refusal as refusal:
            return _failed("refused", str(refusal))
        except (HttpError, Unreadable) as problem:
            return _failed("fetch", str(problem))
        except TimeoutError:
            return _failed("timeout", f"no whole answer within {self._timeout:g} s", retryable=True)

    async def close(self) -> None:
        if not self._is_lent:
            await self._client.close()

    async def _follow(self, url: str, most: int) -> Fetched:
        hosts = self._hosts
        if hosts is None:  # somebody was asked about this very address
            hosts = [host for host in [host_of(url)] if host]
        for _ in range(MOST_REDIRECTS + 1):
            target = self._target(url, hosts)
            response = await self._client.send(target, b"", Limits(total=self._timeout))
            try:
                head = response.head
                assert head is not None
                to = head.headers.get("location")
                if head.status in REDIRECTS and to is not None:
                    response.discard()
                    url = urljoin(url, to.strip())
                    continue
                body = await response.read(most + 1)
                return Fetched(url, head.status, head.headers, body[:most], len(body) > most)
            finally:
                response.close()
        raise Refusal(f"more than {MOST_REDIRECTS} redirects; the last led to `{url[:200]}`")

    def _target(self, url: str, hosts: Sequence[str]) -> Target:
        if len(url) > LONGEST_URL:
            raise Refusal(f"the URL has {len(url)} characters; at most {LONGEST_URL} are taken")
        try:
            target = self._client.target(url.partition("#")[0], HEADERS, "GET")
            has_login = urlsplit(url.strip()).username is not None
        except (BadAddress, ValueError) as problem:
            raise Refusal(f"`{url[:200]}` can't be fetched: {problem}") from None
        if has_login:
            raise Refusal("a URL with a user or a password in it is not fetched")
        hop = target.origin[0]
        host = hop.host.rstrip(".").lower()
        named = [pattern for pattern in hosts if _fits(pattern, host, hop.port)]
        if not named:
            known = ", ".join(f"`{pattern}`" for pattern in hosts)
            raise Refusal(f"the host `{host}` may not be fetched from; allowed are {known or 'none'}")
        is_usual = hop.port == PORTS["https" if hop.tls else "http"]
        if not is_usual and not self._any_port and (self._hosts is None or all(map(_has_no_port, named))):
            raise Refusal(f"port {hop.port} of `{host}` may not be used; allow it as `{host}:{hop.port}` under `hosts`")
        return target


def _fits(pattern: str, host: str, port: int) -> bool:
    """`example.org`, `*.example.org` (its subdomains), `example.org:8080`, or `*`."""
    name, wanted = split_host(pattern)
    if wanted not in ("", str(port)):
        return False
    return name in ("*", host) or (name.startswith("*.") and host.endswith(name[1:]))


def _has_no_port(pattern: str) -> bool:
    return split_host(pattern)[1] == ""


def _shown(fetched: Fetched) -> Output:
    page = text_of_body(fetched.body, fetched.headers.get("content-type", ""), fetched.url)
    facts = {"url": fetched.url, "status": fetched.status, "content_type": page.kind, "bytes": len(fetched.body)}
    head = [fetched.url] + ([page.title] if page.title else [])
    cut = f"\n[cut after {len(fetched.body)} bytes]" if fetched.is_cut else ""
    text = "\n".join(head) + f"\n\n{page.text}{cut}"
    if fetched.status >= 400:
        message = f"HTTP {fetched.status} from `{fetched.url[:200]}`"
        is_passing = fetched.status in (408, 425, 429) or fetched.status >= 500
        error = ToolError(category="http", message=message, retryable=is_passing)
        return Output(text=text, data=facts, status="error", error=error)
    return Output(text=text, data=facts | ({"title": page.title} if page.title else {}))


def _failed(category: str, message: str, *, retryable: bool = False) -> Output:
    return Output(status="error", error=ToolError(category=category, message=message, retryable=retryable))


def _touched(arguments: Mapping[str, Any], ask: str) -> Touched:
    return Touched(url=str(arguments.get("url", "")), method="GET", ask=ask)


def toolkit(options: Mapping[str, Any], setting: Setting) -> Offered:
    """The tool of `web.fetch`."""
    is_private = options.get("private") is True
    client = (setting.pools or Pools()).client("any" if is_private else "public")
    is_lent = setting.pools is not None
    tool = FetchTool(client, options.get("hosts"), setting.timeout, any_port=is_private, is_lent=is_lent)
    parameters = {
        "url": parameter("string", "The address, with `https://` or `http://`."),
        "max_bytes": parameter(
            "integer?", f"Most bytes to read; {USUAL_BYTES} if not given.", minimum=1, maximum=MOST_BYTES
        ),
    }
    made = KitTool(
        "fetch",
        "Fetch a web page or document as text. Redirects are followed; only some hosts may be allowed.",
        parameters,
        tool,
        effect="network",
        repeat="read",
        timeout=setting.timeout + 5.0,
        is_concurrent=True,
        touches=functools.partial(_touched, ask=ASK if options.get("hosts") is None else ""),
    )
    return offer("web.fetch", [made], options, setting)
