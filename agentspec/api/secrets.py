"""secrets: which values of this process and of a spec must show nowhere: keys, passwords, headers that carry them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from agentspec.runtime.mask import Mask
from agentspec.spec.settings import Settings

NAMES = re.compile(r"(?i).*(API_?KEY|ACCESS_KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(_ID)?")
CREDENTIALS = re.compile(r"(?i).*(authorization|cookie|key|token|secret|password).*")
FROM_ENVIRONMENT = re.compile(r"\$\{\s*env\.(\w+)")


def mask_for(settings: Settings, environment: Mapping[str, str]) -> Mask:
    """The mask of a run: variables that are named like secrets or used in a connection, and what a spec spells out."""
    return Mask([*_of_environment(settings, environment), *_of_spec(settings, environment)])


def _of_environment(settings: Settings, environment: Mapping[str, str]) -> Iterator[str]:
    connection = [settings.get("model.base_url"), *(settings.get("model.headers") or {}).values()]
    used = {name for text in connection for name in FROM_ENVIRONMENT.findall(str(text or ""))}
    used.add(settings.text("model.api_key_env") or "")
    for name, value in environment.items():
        if name in used or NAMES.fullmatch(name):
            yield value.strip()


def _of_spec(settings: Settings, environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in (settings.get("model.headers") or {}).items():
        if CREDENTIALS.fullmatch(str(name)) and "${" not in str(value):
            yield str(value)
            yield str(value).rpartition(" ")[2]  # behind `Bearer`, `Basic` and the like
    addresses: list[Any] = [settings.get("model.base_url"), environment.get("OPENAI_BASE_URL")]
    for address in addresses:
        yield from _passwords(str(address or ""))


def _passwords(address: str) -> Iterator[str]:
    try:
        password = urlsplit(address).password
    except ValueError:
        return
    if password:
        yield password
        yield unquote(password)
