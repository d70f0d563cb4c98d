"""secrets: which values of this process and of a spec must show nowhere: keys, passwords, headers that carry them."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from agentspec.adapters.tools.programs.environment import ALWAYS
from agentspec.compose.provider_tools import provider_tools
from agentspec.core.calls.matching import listed
from agentspec.runtime.masking.mask import Mask
from agentspec.spec.judges_at import JUDGES
from agentspec.spec.routes import routes_of
from agentspec.spec.settings import Settings
from agentspec.text.blanks import Blanks
from agentspec.text.credentials import is_secret, is_telling, spelled

FROM_INPUTS = re.compile(r"\$\{[^}]*\binputs\.(\w+)")
FROM_ENVIRONMENT = re.compile(r"\$\{\s*env\.(\w+)")
PROXIES = ("http_proxy", "https_proxy", "all_proxy")


def mask_for(
    settings: Settings, environment: Mapping[str, str], inputs: Mapping[str, Any], called: Iterable[Settings] = ()
) -> Mask:
    """The mask of a run: variables that are named like secrets or used in a connection, what specs spell out, and what
    `observability.redact` wants blanked.

    `called` are the agents that it calls, which stand in its journal as well.
    """
    found = [secret for each in _ways(settings) for secret in _of_inputs(each, inputs)]
    for each in (way for one in (settings, *called) for way in _ways(one)):
        found += [*_of_environment(each, environment), *_of_spec(each), *_of_addresses(each, environment)]
    blanked = settings.get("observability.redact") or {}
    return Mask(found, Blanks(listed(blanked.get("patterns")), listed(blanked.get("keys"))))


def _ways(settings: Settings) -> Iterator[Settings]:
    """The settings as they are, and as they are on each route."""
    yield settings
    routes = routes_of(settings.get("model"))
    for route in routes if len(routes) > 1 else ():
        yield Settings({**settings.values, "model": route.model}, settings.project)


def _of_environment(settings: Settings, environment: Mapping[str, str]) -> Iterator[str]:
    connection = [
        settings.get("model.base_url"),
        *(settings.get("model.headers") or {}).values(),
        *_of_servers(settings),
        *_databases(settings),
        *_of_requests(settings),
        *map(json.dumps, _of_provider(settings)),
    ]
    used = {name for text in connection for name in FROM_ENVIRONMENT.findall(str(text or ""))} - set(ALWAYS)
    used.add(settings.text("model.api_key_env") or "")
    for name in environment:
        if name in used or is_telling(name):
            yield from spelled(environment[name].strip())


def _of_servers(settings: Settings) -> Iterator[Any]:
    """The texts that MCP servers are started or reached with."""
    for server in (settings.get("capability.mcp") or {}).values():
        yield server.get("url")
        yield from server.get("command") or ()
        for key in ("env", "headers"):
            yield from (server.get(key) or {}).values()
        if isinstance(server.get("auth"), Mapping):
            yield f"${{env.{server['auth'].get('token_env')}}}"


def _of_requests(settings: Settings) -> Iterator[Any]:
    """The texts of tools that environment variables may stand in."""
    for tool in (settings.get("capability.tools") or {}).values():
        request = tool.get("http") or {}
        yield request.get("url")
        yield from (request.get("headers") or {}).values()


def _of_provider(settings: Settings) -> Iterator[Mapping[str, Any]]:
    """The options of tools that the provider runs."""
    return (tool.options for tool in provider_tools(settings.get("capability.provider_tools")))


def _of_spec(settings: Settings) -> Iterator[str]:
    servers = [*(settings.get("capability.mcp") or {}).values()]
    called = [settings.get("model") or {}, *servers]
    for name, value in (each for one in called for each in (one.get("headers") or {}).items()):
        if "${" not in str(value) and is_secret(str(name), str(value)):
            yield from spelled(str(value))
            yield str(value).rpartition(" ")[2]  # behind a scheme that only this server knows
    for place in ("model", *JUDGES.values()):
        yield from _credentials(settings.get(f"{place}.options"))
    for options in _of_provider(settings):
        yield from _credentials(options)
    for server in servers:
        given = server.get("env") or {}
        yield from _credentials({name: value for name, value in given.items() if "${" not in str(value)})


def _of_inputs(settings: Settings, inputs: Mapping[str, Any]) -> Iterator[str]:
    """Inputs that a connection is filled in with, and that are none of the public's."""
    headers = settings.get("model.headers") or {}
    for place, text in {"model.base_url": settings.get("model.base_url"), **headers}.items():
        for name in FROM_INPUTS.findall(str(text or "")):
            value = str(inputs.get(name, ""))
            if is_secret(str(place), value) and "://" not in value:
                yield from spelled(value)


def _credentials(options: Any) -> Iterator[str]:
    """Texts in options under a name that says what they are."""
    match options:
        case Mapping():
            for name, value in options.items():
                if isinstance(value, str) and is_telling(str(name)):
                    yield from spelled(value)
                yield from _credentials(value)
        case list():
            for each in options:
                yield from _credentials(each)
        case _:
            pass


def _of_addresses(settings: Settings, environment: Mapping[str, str]) -> Iterator[str]:
    """Passwords and keys that stand in the addresses of a server and of a proxy."""
    base_url = settings.text("model.base_url") or ""
    addresses = [base_url, environment.get("OPENAI_BASE_URL", "")]
    written = [*_databases(settings), *_addresses_of_servers(settings)]
    addresses += written
    for address in (base_url, *written):
        addresses += [environment.get(name, "") for name in FROM_ENVIRONMENT.findall(address)]
    addresses += [environment.get(case(name), "") for name in PROXIES for case in (str.lower, str.upper)]
    for address in addresses:
        if "@" not in address and "?" not in address:  # neither a login nor a query
            continue
        try:
            parts = urlsplit(address)
        except ValueError:
            continue
        yield from _passwords(parts)
        yield from _of_query(parts.query)


def _addresses_of_servers(settings: Settings) -> list[str]:
    return [str(given.get("url") or "") for given in (settings.get("capability.mcp") or {}).values()]


def _databases(settings: Settings) -> list[str]:
    return [str(given.get("url", "")) for given in (settings.get("capability.resources") or {}).values()]


def _passwords(parts: SplitResult) -> Iterator[str]:
    if parts.password:
        yield parts.password
        yield unquote(parts.password)
        login = f"{unquote(parts.username or '')}:{unquote(parts.password)}"
        yield b64encode(login.encode()).decode("ascii")


def _of_query(query: str) -> Iterator[str]:
    for name, value in parse_qsl(query):
        if "${" not in value and is_secret(name, value):
            yield value
