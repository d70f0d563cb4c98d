"""providers: who is asked over HTTP: where, with which key, in which protocol. A table, and no choice."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from agentspec.adapters.http.address import join_path
from agentspec.adapters.models.wires import (
    anthropic_wire,
    google_wire,
    ollama_wire,
    openai_wire,
    responses_wire,
    thinking,
)
from agentspec.adapters.models.wires.anthropic_wire import MessagesWire
from agentspec.adapters.models.wires.google_wire import GenerateWire
from agentspec.adapters.models.wires.ollama_wire import OllamaWire
from agentspec.adapters.models.wires.openai_wire import ChatWire
from agentspec.adapters.models.wires.responses_wire import ResponsesWire
from agentspec.adapters.models.wires.thinking import Thinking
from agentspec.adapters.models.wires.wire import Wire

VERSION = re.compile(r"v\d\w*")
VERSION_IN = re.compile(r"/v\d")


def _has_no_version(path: str) -> str:
    """What may be wrong with a path at which nobody speaks OpenAI's protocols."""
    return "" if VERSION_IN.search(path) else "the path of `base_url` has no `/v1`, and most servers answer under it"


def _has_version(path: str) -> str:
    """What may be wrong with a path at which Ollama does not answer."""
    told = "`base_url` ends with `/v1`, where Ollama speaks as `provider: openai`; `ollama` wants the address before it"
    return told if VERSION_IN.search(path) else ""


def _always(path: str) -> Callable[[str, bool], str]:
    """One path for every model, whole or streamed."""
    return lambda model, stream: path  # noqa: ARG005 - the shape


class Provider(NamedTuple):
    """How a provider is reached: where, the names of the variables that configure it, and how it is spoken to.

    `path` follows the address, for a model and for whole answers or streams; `models_path` lists the models; `thinks`
    gives the fields that ask a model to think. `key_header` carries the key, as a bearer token where it is
    `authorization`; `own_headers` are what the protocol wants beside it, by the fields that never change.
    """

    base_url: str
    base_url_variable: str
    key_variables: tuple[str, ...]
    model: str
    wire: Callable[..., Wire]
    path: Callable[[str, bool], str]
    thinks: Callable[[Thinking, str], dict[str, Any]]
    models_path: str = "/models"
    key_header: str = "authorization"
    own_headers: Callable[[Mapping[str, Any]], dict[str, str]] = lambda constant: {}  # noqa: ARG005 - the shape
    is_chosen: bool = True  # where a spec names no provider
    marks_cache: bool = False  # whether its requests say what a cache is to keep, and for how long
    address: Callable[[str], str] = str  # what a written address means
    misplaced: Callable[[str], str] = lambda path: ""  # noqa: ARG005 - what may be wrong with a path, if nothing is there
    is_bounded: bool = False  # whether every request has to say how long its answer may be


# In the order in which a spec without a provider looks for one.
PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        base_url="https://api.openai.com/v1",
        base_url_variable="OPENAI_BASE_URL",
        key_variables=("OPENAI_API_KEY",),
        model="gpt-5.4-mini",
        wire=ChatWire,
        path=_always(openai_wire.PATH),
        thinks=thinking.for_chat,
        misplaced=_has_no_version,
    ),
    "anthropic": Provider(
        base_url="https://api.anthropic.com",
        base_url_variable="ANTHROPIC_BASE_URL",
        key_variables=("ANTHROPIC_API_KEY",),
        model="claude-sonnet-5-5",
        wire=MessagesWire,
        path=_always(anthropic_wire.PATH),
        thinks=thinking.for_messages,
        models_path="/v1/models",
        key_header="x-api-key",
        is_bounded=True,
        own_headers=lambda constant: {"anthropic-version": anthropic_wire.version_for(constant)},
        marks_cache=True,
    ),
    "google": Provider(
        base_url="https://generativelanguage.googleapis.com",
        base_url_variable="GEMINI_BASE_URL",
        key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        model="gemini-3.5-flash",
        wire=GenerateWire,
        path=google_wire.path_of,
        thinks=thinking.for_generate,
        models_path="/v1beta/models",
        key_header="x-goog-api-key",
    ),
    "ollama": Provider(
        base_url="http://127.0.0.1:11434",
        base_url_variable="OLLAMA_HOST",
        key_variables=(),
        model="",
        wire=OllamaWire,
        path=_always(ollama_wire.PATH),
        thinks=thinking.for_ollama,
        models_path="/api/tags",
        address=ollama_wire.url_of,
        misplaced=_has_version,
    ),
    "openai_responses": Provider(
        base_url="https://api.openai.com/v1",
        base_url_variable="OPENAI_BASE_URL",
        key_variables=("OPENAI_API_KEY",),
        model="gpt-5.4-mini",
        wire=ResponsesWire,
        path=_always(responses_wire.PATH),
        thinks=thinking.for_responses,
        misplaced=_has_no_version,
        is_chosen=False,
    ),
}


def key_headers(provider: Provider, key: str | None, constant: Mapping[str, Any]) -> dict[str, str]:
    """What tells a provider's server who asks, and in which version of its protocol."""
    headers = provider.own_headers(constant)
    if key:
        headers[provider.key_header] = f"Bearer {key}" if provider.key_header == "authorization" else key
    return headers


@lru_cache(maxsize=64)  # every run asks, mostly at one address
def address_of(base_url: str, path: str) -> str:
    """The address with the path behind it. A version that an author writes at the end of an address is the one.

    >>> address_of("https://host/v1", "/v1/messages"), address_of("https://host", "/v1/messages")
    ('https://host/v1/messages', 'https://host/v1/messages')
    """
    way, mark, query = path.partition("?")
    version, _, rest = way[1:].partition("/")
    told = base_url.strip().partition("?")[0].rstrip("/").rpartition("/")[2]
    is_told = VERSION.fullmatch(version) is not None and VERSION.fullmatch(told) is not None
    joined = join_path(base_url, f"/{rest}" if is_told else way)
    return f"{joined}{'&' if mark and '?' in joined else mark}{query}"
