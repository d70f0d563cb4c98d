"""registry: which provider answers, and with which key.

Keys come from the environment and from nowhere else. A provider that is not there is refused in words that say which
variables would do, and that `--script` runs offline.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from agentspec.adapters.http.address import BadAddress
from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.models.http_model import HttpModel
from agentspec.adapters.models.layers.witness import Witness
from agentspec.adapters.models.local import PROVIDER as LOCAL
from agentspec.adapters.models.local import local_model
from agentspec.adapters.models.plug_in import offered_providers, plug_in_model
from agentspec.adapters.models.program import PROVIDER as PROGRAM
from agentspec.adapters.models.program import program_model
from agentspec.adapters.models.providers import PROVIDERS, Provider, address_of, key_headers
from agentspec.adapters.models.script_file import script_model
from agentspec.adapters.models.wires.request_bytes import joined
from agentspec.adapters.models.wires.thinking import read_thinking
from agentspec.core.models.own_fields import OWN_FIELDS
from agentspec.errors import SpecInvalid, Unavailable
from agentspec.ports import Model, ModelSettings
from agentspec.text.suggest import nearest

OFFLINE_PROVIDERS = (PROGRAM, "script", LOCAL)
OFFLINE = "`--script FILE` or `provider: script` runs without a network"


def make_model(
    settings: ModelSettings, environment: Mapping[str, str], client: HttpClient, folder: Path | None = None
) -> Model:
    """The model that `settings` asks for. `folder` is where a script's relative path begins.

    Raises `Unavailable` where a provider, its key or its address is missing, and `SpecInvalid` for a script or options
    that cannot be meant.
    """
    name = settings.provider or ("openai" if settings.base_url else choose_provider(environment))
    if name == "script":
        return script_model(settings, folder or Path())
    if name == PROGRAM:
        return program_model(settings, folder or Path())
    _refuse_own_fields(settings.options)
    if name == LOCAL:
        return local_model(settings, folder or Path())
    provider = PROVIDERS.get(name)
    if provider is None:
        offered = offered_providers()
        if name in offered:
            return plug_in_model(offered[name], settings, folder or Path())
        known = [*PROVIDERS, *OFFLINE_PROVIDERS, *offered]
        near = nearest(name, known)
        hint = f"did you mean `{near[0]}`?" if near else f"known are {_listed(known)}"
        raise Unavailable(f"unknown provider `{name}`; {hint}")
    return _http_model(msgspec.structs.replace(settings, provider=name), provider, environment, client)


def choose_provider(environment: Mapping[str, str]) -> str:
    """The first provider that the environment configures. Raises `Unavailable` where there is none."""
    chosen = {name: provider for name, provider in PROVIDERS.items() if provider.is_chosen}
    configured = [name for name, provider in chosen.items() if _is_configured(provider, environment)]
    if configured:
        return configured[0]
    wanted = " or ".join(f"`{key}`" for each in chosen.values() for key in each.key_variables)
    raise Unavailable(
        f"no model provider is configured: set {wanted}, or `OPENAI_BASE_URL` for a compatible server; {OFFLINE}"
    )


def _is_configured(provider: Provider, environment: Mapping[str, str]) -> bool:
    return any(environment.get(name) for name in (*provider.key_variables, provider.base_url_variable))


def _refuse_own_fields(options: Mapping[str, Any]) -> None:
    for field, place in OWN_FIELDS.items():
        if field in options:
            raise SpecInvalid(f"`model.options.{field}` cannot be set there; it comes from `{place}`")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _http_model(
    settings: ModelSettings, provider: Provider, environment: Mapping[str, str], client: HttpClient
) -> HttpModel:
    settings = msgspec.structs.replace(settings, model=settings.model or provider.model)
    if not settings.model:
        raise Unavailable(f"the provider `{settings.provider}` needs `model.model`: which of its models answers")
    base_url = provider.address(settings.base_url or environment.get(provider.base_url_variable) or provider.base_url)
    key = _key(settings, provider, environment, is_own_server=base_url != provider.base_url)
    own = {"model": settings.model, **_longest(settings, provider, base_url), **settings.sampling}
    constant = joined({**own, **_thinking(settings, provider, base_url)}, settings.options)
    headers = _headers(settings, provider, key, constant)
    addresses = [address_of(base_url, provider.path(settings.model, is_stream)) for is_stream in (False, True)]
    try:
        targets = {address: client.target(address, headers) for address in addresses}  # of most providers one for both
    except BadAddress as problem:
        source = "`model.base_url`" if settings.base_url else f"`{provider.base_url_variable}`"
        raise Unavailable(
            f"provider `{settings.provider}` cannot be reached, see {source} and `headers`: {problem}"
        ) from None
    whole, streamed = (targets[address] for address in addresses)
    secrets = tuple(secret for secret in (key, *settings.headers.values()) if secret)
    witness = Witness(
        settings.provider, settings.model, whole.host, secrets, provider.misplaced(urlsplit(whole.shown).path)
    )
    plain = {**own, **settings.options}
    variants = [constant] if constant == plain else [constant, plain]
    more = {"ttl": settings.cache_ttl} if provider.marks_cache else {}
    wires = [provider.wire(each, f"{whole.shown} {settings.model}", **more) for each in variants]
    return HttpModel(settings, (whole, streamed), witness, client, wires)


def _longest(settings: ModelSettings, provider: Provider, base_url: str) -> dict[str, Any]:
    """The longest answer that is known of, where a request has to name one and its author does not."""
    most = settings.longest_answer if provider.is_bounded and base_url == provider.base_url else None
    return {} if most is None else {"max_tokens": most}


def _thinking(settings: ModelSettings, provider: Provider, base_url: str) -> dict[str, Any]:
    """The fields that ask for thinking; none for a model that nobody knows to think, unless its author asks."""
    thinking = read_thinking(settings.reasoning)
    if thinking is None:
        return {}
    is_known = settings.is_known_to_think and base_url == provider.base_url
    return provider.thinks(thinking, settings.model) if thinking.is_asked or is_known else {}


def _key(
    settings: ModelSettings, provider: Provider, environment: Mapping[str, str], *, is_own_server: bool
) -> str | None:
    names = (settings.api_key_env,) if settings.api_key_env else provider.key_variables
    for name in names:
        key = environment.get(name, "").strip()  # files end with a newline, keys don't
        if not key:
            continue
        if not key.isascii() or not key.isprintable():
            raise Unavailable(f"the key in `{name}` has characters that no key has; set it again")
        return key
    if not names:
        return None
    if settings.api_key_env or not (is_own_server or _brings_key(settings.headers)):
        wanted = " or ".join(f"`{name}`" for name in names)
        own_server = "" if settings.api_key_env else f", or `{provider.base_url_variable}` for a compatible server"
        raise Unavailable(f"no key for the provider `{settings.provider}`: set {wanted}{own_server}; {OFFLINE}")
    return None


def _brings_key(headers: Mapping[str, str]) -> bool:
    return any(word in name.lower() for name in headers for word in ("authorization", "key", "token"))


def _headers(
    settings: ModelSettings, provider: Provider, key: str | None, constant: Mapping[str, Any]
) -> dict[str, str]:
    ours = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "user-agent": "agentspec",
        **key_headers(provider, key, constant),
    }
    theirs = {name.lower() for name in settings.headers}
    return {**{name: value for name, value in ours.items() if name not in theirs}, **settings.headers}
