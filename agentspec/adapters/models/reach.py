"""reach: ask whether a provider's server answers and takes the key. Nothing that costs money is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from agentspec.adapters.http.address import BadAddress
from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.http.connection import HttpError
from agentspec.adapters.http.waits import Limits
from agentspec.adapters.models.providers import Provider, address_of, key_headers

_LIMITS = Limits(connect=5.0, total=10.0, body=1 << 20)
_REFUSED = (401, 403)


class Reached(NamedTuple):
    """What came of it: `message` says it without the key and without what the server said."""

    outcome: Literal["reached", "refused", "failed"]
    message: str


def key_of(provider: Provider, environment: Mapping[str, str]) -> tuple[str, str]:
    """The variable that holds a provider's key, and the key; both empty where there is none."""
    for name in provider.key_variables:
        if key := environment.get(name, "").strip():
            return name, key
    return "", ""


async def reach(provider: Provider, environment: Mapping[str, str], client: HttpClient) -> Reached:
    """Ask the server of a provider for the list of its models. The key goes to a server that takes it so, alone."""
    base_url = provider.address(environment.get(provider.base_url_variable) or provider.base_url)
    name, key = key_of(provider, environment)
    headers = key_headers(provider, key, {})
    try:
        target = client.target(address_of(base_url, provider.models_path), headers, "GET")
        response = await client.send(target, b"", _LIMITS)
        status = (await response.wait_head()).status
    except BadAddress as problem:
        return Reached("failed", f"`{provider.base_url_variable}`: {problem}")
    except HttpError as problem:
        return Reached("failed", str(problem))
    response.close()
    if status in _REFUSED and key:
        return Reached("refused", f"`{target.host}` does not accept the key in `{name}` (status {status})")
    return Reached("reached", f"`{target.host}` answers (status {status})")
