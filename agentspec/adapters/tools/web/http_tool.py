"""http_tool: a tool that is one HTTP request of the author's, into which the call's arguments are put.

One request a call: only a GET or HEAD follows redirects, at most three, and none to another host or down from TLS, so
that no credential travels. A host that arguments take part in naming has to be a public one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from agentspec.adapters.http.address import BadAddress, Target
from agentspec.adapters.http.connection import HttpError
from agentspec.adapters.http.waits import Limits
from agentspec.adapters.tools.threads import in_thread
from agentspec.adapters.tools.web.http_text import PLAIN, WITH_ENV, Address, Body, Query
from agentspec.adapters.tools.web.page_text import Unreadable, text_of_body
from agentspec.adapters.tools.web.pools import Pools, Sort
from agentspec.core.calls.touched import NOTHING, Touched
from agentspec.core.messages import ToolError
from agentspec.errors import ExpressionError
from agentspec.expressions.scope import Scope
from agentspec.expressions.template import Filling, parse_template
from agentspec.ports import Invocation, Output

MOST_REDIRECTS = 3
MOST_BODY = 16 << 20
SAFE = frozenset(("GET", "HEAD"))
REDIRECTS = frozenset((301, 302, 303, 307, 308))
PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))
TAIL = 4000  # characters of a body that explain a failure


class Request(NamedTuple):
    """The request as the spec writes it, compiled."""

    method: str
    url: Address
    headers: Mapping[str, Filling]
    query: Query | None = None
    body: Filling | None = None
    json: Body | None = None


def compile_request(given: Mapping[str, Any], scope: Scope) -> Request:
    """Raises `ExpressionError` where a text of it can't be filled in."""
    body, value = given.get("body"), given.get("json")
    return Request(
        method=str(given.get("method") or "GET"),
        url=Address(str(given["url"]), scope),
        headers={
            name: parse_template(str(text)).compile(WITH_ENV, scope)
            for name, text in (given.get("headers") or {}).items()
        },
        query=Query(given["query"], scope) if given.get("query") else None,
        body=parse_template(str(body)).compile(PLAIN, scope) if body is not None else None,
        json=Body(value, scope) if "json" in given else None,
    )


class Answer(NamedTuple):
    """What came back, with the address that answered."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpTool:
    """Makes the request with the environment's variables, over connections of `pools`, which outlive it; without them
    over its own. `timeout` bounds the whole call, in seconds.
    """

    def __init__(
        self, request: Request, environment: Mapping[str, str], timeout: float, pools: Pools | None = None
    ) -> None:
        self._request = request
        self._environment = environment
        self._timeout = timeout
        self._own = Pools(environment) if pools is None else None
        self._pools = pools or self._own or Pools()
        self._sort: Sort = "public" if request.url.is_open else "named"

    async def call(self, invocation: Invocation) -> Output:
        names = {
            "args": invocation.arguments,
            "inputs": invocation.inputs,
            "run": invocation.run,
            "identity": invocation.identity,
        }
        try:
            url, headers, body = self._filled(names, invocation.key)
            answer = await self._ask(url, headers, body)
            return await in_thread(lambda _: _output(answer, self._request.method), "http")
        except (ExpressionError, BadAddress) as problem:
            return _failed("arguments", str(problem))
        except HttpError as problem:
            return _failed("http", str(problem), retryable=problem.kind in ("connect", "timeout", "closed"))
        except Unreadable as problem:
            return _failed("result", str(problem))

    async def close(self) -> None:
        if self._own is not None:
            await self._own.close()

    def touches(self, names: Mapping[str, Mapping[str, Any]], arguments: Mapping[str, Any]) -> Touched:
        """The address that a call with these arguments asks, without its query, which may hold a key."""
        try:
            url = self._request.url.render({**names, "args": arguments, "env": self._environment})
        except ExpressionError:
            return NOTHING
        return Touched(url=url.partition("?")[0], method=self._request.method)

    def _filled(self, names: Mapping[str, object], key: str) -> tuple[str, dict[str, str], bytes]:
        request, with_env = self._request, {**names, "env": self._environment}
        url = request.url.render(with_env).partition("#")[0]
        query = request.query.render(names) if request.query is not None else ""
        if query:
            url += ("&" if "?" in url else "?") + query
        headers = {name: text.render(with_env) for name, text in request.headers.items()}
        known = {name.lower() for name in headers}
        body = self._body(names)
        usual = {"user-agent": "agentspec", "accept": "application/json, text/*;q=0.9, */*;q=0.1"}
        if request.method not in SAFE:
            usual["idempotency-key"] = key
        if body:
            usual["content-type"] = "application/json" if request.json is not None else "text/plain; charset=utf-8"
        return url, {**{name: text for name, text in usual.items() if name not in known}, **headers}, body

    def _body(self, names: Mapping[str, object]) -> bytes:
        request = self._request
        if request.json is not None:
            text = json.dumps(request.json.render(names), ensure_ascii=False, allow_nan=False)
        else:
            text = "" if request.body is None else request.body.render(names)
        return text.encode("utf-8", "replace")

    async def _ask(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        method = self._request.method
        for _ in range(MOST_REDIRECTS + 1):
            target = self._pools.client(self._sort).target(url, headers, method)
            answer = await self._send(target, url, body)
            to = answer.headers.get("location")
            if answer.status not in REDIRECTS or to is None or method not in SAFE:
                return answer
            url = _next(url, to)
        raise HttpError("malformed", f"more than {MOST_REDIRECTS} redirects; the last led to `{_shown(url)}`")

    async def _send(self, target: Target, url: str, body: bytes) -> Answer:
        limits = Limits(total=self._timeout, body=MOST_BODY)
        response = await self._pools.client(self._sort).send(target, body, limits)
        try:
            head = response.head
            assert head is not None
            if self._request.method == "HEAD":
                return Answer(url, head.status, head.headers, b"")
            return Answer(url, head.status, head.headers, await response.read())
        finally:
            response.close()


def _next(url: str, to: str) -> str:
    """Where a redirect leads. Raises `HttpError` for another server, since the headers may hold credentials."""
    try:
        found = urljoin(url, to.strip())
        before, after = urlsplit(url), urlsplit(found)
        is_same = (after.scheme, after.hostname, after.port) == (before.scheme, before.hostname, before.port)
        is_safer = (before.scheme, after.scheme, before.port, after.port) == ("http", "https", None, None)
    except ValueError:
        raise HttpError("malformed", f"a redirect to `{to[:200]}`, which is no address") from None
    if not is_same and not (is_safer and after.hostname == before.hostname):
        raise HttpError(
            "malformed", f"a redirect to another server, `{_shown(found)}`, is not followed: name it in `url`"
        )
    return found


def _shown(url: str) -> str:
    """An address without its query and without a login."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"[:200]


def _output(answer: Answer, method: str) -> Output:
    facts: dict[str, Any] = {"status": answer.status}
    if method == "HEAD":
        lines = [f"HTTP {answer.status}", *(f"{name}: {value}" for name, value in answer.headers.items())]
        output = Output(text="\n".join(lines), data=facts | {"headers": dict(answer.headers)})
    elif not answer.body:
        to = answer.headers.get("location")
        output = Output(text=f"HTTP {answer.status}" + (f" to {to}" if to else ""), data=facts)
    else:
        text = text_of_body(answer.body, answer.headers.get("content-type", ""), _shown(answer.url))
        output = Output(text=text.text, data=_value(text.kind, text.text))
    if answer.status < 400:
        return output
    message = f"HTTP {answer.status} from `{_shown(answer.url)}`"
    error = ToolError(category="http", message=message, retryable=answer.status in PASSING)
    return Output(text=output.text[:TAIL], data=facts, status="error", error=error)


def _value(kind: str, text: str) -> Any:
    """The value of a JSON body; None for another text."""
    if not kind.endswith(("/json", "+json")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("the answer says that it is JSON, and is not") from None


def _failed(category: str, message: str, *, retryable: bool = False) -> Output:
    return Output(status="error", error=ToolError(category=category, message=message, retryable=retryable))
