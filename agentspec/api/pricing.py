"""pricing: the prices of a run's models, written down at its start, so that a resume and a replay count the same.

What the author wrote holds; else the catalogue's, for a provider's own server. A bound on cost needs one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentspec.adapters.models.providers import PROVIDERS
from agentspec.api.blueprint import Blueprint
from agentspec.core.limits.price import PLACES, WORKER
from agentspec.errors import Unavailable
from agentspec.spec.catalogue import FREE, known_prices
from agentspec.spec.settings import Settings

LIMIT = "execution.limits.cost_usd"


def settle_prices(blueprint: Blueprint, environment: Mapping[str, str]) -> None:
    """Write the prices that are known into the blueprint.

    Raises `Unavailable` where a bound on cost stands over a model whose price nobody knows.
    """
    settings = blueprint.settings
    is_bounded = settings.get(LIMIT) is not None
    allows_unknown = isinstance(settings.get("execution.limits.on_unknown_price"), Mapping)
    for place, provider, model, is_own_server in _models(settings, environment):
        if settings.get(f"{place}.prices") is not None:
            continue
        known = None if is_own_server else known_prices(provider, model)
        if known is not None:
            blueprint.values = _with(blueprint.values, (*place.split("."), "prices"), known)
        elif is_bounded and not allows_unknown and provider not in FREE:
            raise Unavailable(
                f"nobody knows what `{model}` costs, so `{LIMIT}` can't be kept: write `{place}.prices` "
                "(`{input: …, output: …}`, in dollars per million tokens), or `execution.limits.on_unknown_price`"
            )


def _models(settings: Settings, environment: Mapping[str, str]) -> Iterator[tuple[str, str, str, bool]]:
    """Where each model of the spec stands, its provider, its id, and whether its server is not the provider's own."""
    run = _text(settings, "model.provider")
    for asker, place in PLACES.items():
        written = settings.get(place)
        model = written.get("model") if isinstance(written, Mapping) else None
        if not model:
            continue
        provider = _text(settings, f"{place}.provider") or run
        known = PROVIDERS.get(provider)
        address = known is not None and environment.get(known.base_url_variable)
        if asker == WORKER or provider == run:
            address = _text(settings, "model.base_url") or address
        yield place, provider, model, bool(address)


def _text(settings: Settings, place: str) -> str:
    return settings.text(place) or ""


def _with(values: Mapping[str, Any], way: tuple[str, ...], value: Any) -> dict[str, Any]:
    """The values with another one at a place; nothing that is shared is changed."""
    name, *rest = way
    inside = values.get(name)
    below = inside if isinstance(inside, Mapping) else {}
    return {**values, name: _with(below, tuple(rest), value) if rest else value}
