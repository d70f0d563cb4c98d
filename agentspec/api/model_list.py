"""model_list: the models that the catalogue knows, and the providers that are configured here. Asks no server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentspec.adapters.models.engine import EXTRA, has_library
from agentspec.adapters.models.local import PROVIDER as LOCAL
from agentspec.adapters.models.local import SHIPPED
from agentspec.adapters.models.plug_in import offered_providers
from agentspec.adapters.models.providers import PROVIDERS
from agentspec.adapters.models.reach import key_of
from agentspec.compose.model_names import BUILT_IN_PROVIDERS
from agentspec.core.models.local import USUAL
from agentspec.errors import NotFound
from agentspec.spec.catalogue import PRICES, SAME, SERVED, dialect, providers, rows_of, written_on
from agentspec.text.suggest import nearest


def list_models(words: tuple[str, ...], environment: Mapping[str, str]) -> dict[str, Any]:
    """The models that fit one of `words` (`PROVIDER`, `PROVIDER:PART` or `PART` of an id), all where there is none.

    A provider of which the catalogue knows no model is named all the same.

    Raises `NotFound` for a word that nothing fits.

    >>> [model["id"] for model in list_models(("openai:gpt-5.4-mini",), {})["models"]]
    ['gpt-5.4-mini']
    """
    models = [each for name in providers() for each in _models(name)]
    asked = list(_providers(environment))
    names = {each["name"] for each in asked}
    for word in words:
        if word not in names and not any(_fits(word, each) for each in models):
            raise NotFound(f"the catalogue has no model `{word}`{_hint(word, models, names)}")
    chosen = [each for each in models if not words or any(_fits(word, each) for word in words)]
    named = {*words, *(each["provider"] for each in chosen)}
    return {
        "updated": written_on(),
        "providers": [each for each in asked if not words or {each["name"], _as_listed(each["name"])} & named],
        "models": chosen,
    }


def _models(provider: str) -> Iterator[dict[str, Any]]:
    for row in rows_of(provider):
        yield {
            "provider": provider,
            "id": row["id"],
            "context_window": row.get("window"),
            "max_output_tokens": row.get("answer"),
            "prices": {name: row[name] for name in (*PRICES, *SERVED) if name in row} or None,
            "takes": list(row.get("takes", ())),
            "lacks": list(row.get("lacks", ())),
            "last_day": row.get("ends"),
            "instead": row.get("instead"),
        }


def _providers(environment: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for name, provider in PROVIDERS.items():
        variable = key_of(provider, environment)[0]
        address = provider.base_url_variable if environment.get(provider.base_url_variable) else None
        yield {
            "name": name,
            "configured": bool(variable or address),
            "configured_by": variable or address,
            "ignores": list(dialect(name).get("ignores", ())),
        }
    is_here = SHIPPED[USUAL].weights() is not None and has_library()
    yield {"name": LOCAL, "configured": is_here, "configured_by": EXTRA if is_here else None, "ignores": []}
    for name, offer in offered_providers().items():
        if name not in BUILT_IN_PROVIDERS:
            yield {"name": name, "configured": True, "configured_by": offer.package, "ignores": []}


def _as_listed(provider: str) -> str:
    return SAME.get(provider, provider)


def _fits(word: str, model: Mapping[str, Any]) -> bool:
    provider, colon, part = word.lower().partition(":")
    if colon:
        return _as_listed(provider) == model["provider"] and part in model["id"].lower()
    return _as_listed(provider) == model["provider"] or provider in model["id"].lower()


def _hint(word: str, models: list[dict[str, Any]], names: set[str]) -> str:
    asked = word.rpartition(":")[2].lower()
    near = nearest(asked, [*(each["id"] for each in models), *sorted(names)])
    return f"; did you mean `{near[0]}`?" if near else "; `agentspec models` lists them"
