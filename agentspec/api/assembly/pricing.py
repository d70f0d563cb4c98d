"""pricing: the prices of a run's models, written down at its start, so that a resume and a replay count the same.

What the author wrote holds; else the catalogue's, for a provider's own server. A bound on cost needs one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from agentspec.adapters.models.providers import PROVIDERS
from agentspec.api.assembly.assemble import cache_ttl
from agentspec.api.assembly.blueprint import Blueprint
from agentspec.errors import Unavailable
from agentspec.spec.catalogue import FREE, known_prices
from agentspec.spec.judges_at import JUDGES
from agentspec.spec.routes import routes_of, shadow_of
from agentspec.spec.settings import Settings

LIMIT = "execution.limits.cost_usd"
Way: TypeAlias = tuple[str | int, ...]


def settle_prices(blueprint: Blueprint, environment: Mapping[str, str]) -> None:
    """Write the prices that are known into the blueprint.

    Raises `Unavailable` where a bound on cost stands over a model whose price nobody knows.
    """
    settings = blueprint.settings
    is_bounded = settings.get(LIMIT) is not None
    allows_unknown = isinstance(settings.get("execution.limits.on_unknown_price"), Mapping)
    for asked in _models(settings, environment):
        known = None if asked.is_own_server else known_prices(asked.provider, asked.model)
        if known is not None and asked.keeps_an_hour:
            known = _of_an_hour(known)
        if known:  # of some nobody wrote down a price
            blueprint.values = with_value(blueprint.values, (*asked.way, "prices"), known)
        elif is_bounded and not allows_unknown and asked.provider not in FREE:
            raise Unavailable(
                f"nobody knows what `{asked.model}` costs, so `{LIMIT}` can't be kept: write `{asked.place}.prices` "
                "(`{input: …, output: …}`, in dollars per million tokens), or `execution.limits.on_unknown_price`"
            )


class Asked(NamedTuple):
    """A model without a price: where its settings stand, as people write it and step by step, and whose it is.

    `is_own_server` where its server is not the provider's own, `keeps_an_hour` where prompts are cached for an hour.
    """

    place: str
    way: Way
    provider: str
    model: str
    is_own_server: bool
    keeps_an_hour: bool = False


AN_HOUR = (
    2.0  # times the price of input, for what is put into a cache for an hour; Anthropic's pricing of prompt caching
)


def _of_an_hour(prices: dict[str, float]) -> dict[str, float]:
    """The prices where prompts are cached for an hour; those of the catalogue are for five minutes.

    >>> _of_an_hour({"input": 3.0, "cache_write": 3.75})
    {'input': 3.0, 'cache_write': 6.0}
    """
    dearer = {name: AN_HOUR * prices[name.replace("cache_write", "input")] for name in prices if "cache_write" in name}
    return {**prices, **dearer}


def _models(settings: Settings, environment: Mapping[str, str]) -> Iterator[Asked]:
    """The models of the spec of which nobody has written what they cost."""
    routes = routes_of(settings.get("model"))
    for route in routes:
        if route.model.get("prices") is None and route.model.get("model"):
            provider = str(route.model.get("provider") or "")
            address = route.model.get("base_url") or server_of(provider, environment)
            way: Way = ("model",) if route.at is None else ("model", route.key, route.at)
            is_told = provider in PROVIDERS and PROVIDERS[provider].marks_cache
            is_long = is_told and cache_ttl(route.model.get("prompt_cache", "auto")) == "1h"
            yield Asked(route.place, way, provider, str(route.model["model"]), bool(address), is_long)
    shadow = shadow_of(settings.get("model") or {})
    if shadow is not None and shadow.get("prices") is None:
        provider = str(shadow.get("provider") or "")
        address = shadow.get("base_url") or server_of(provider, environment)
        yield Asked("model.shadow", ("model", "shadow"), provider, str(shadow["model"]), bool(address))
    run = routes[0].model
    for place in JUDGES.values():
        model = settings.text(f"{place}.model") if isinstance(settings.get(place), Mapping) else None
        if model and settings.get(f"{place}.prices") is None:
            provider = settings.text(f"{place}.provider") or str(run.get("provider") or "")
            address = server_of(provider, environment)
            if provider == run.get("provider"):
                address = run.get("base_url") or address
            yield Asked(place, tuple(place.split(".")), provider, model, bool(address))


def server_of(provider: str, environment: Mapping[str, str]) -> str | None:
    """Where the environment says that a provider answers."""
    known = PROVIDERS.get(provider)
    return environment.get(known.base_url_variable) if known is not None else None


def with_value(values: Any, way: Way, value: Any) -> Any:
    """The values with another one at a place; nothing that is shared is changed."""
    step, *rest = way
    if isinstance(values, list) and isinstance(step, int):
        return [*values[:step], with_value(values[step], tuple(rest), value), *values[step + 1 :]]
    below = values if isinstance(values, Mapping) else {}
    return {**below, step: with_value(below.get(step), tuple(rest), value) if rest else value}
