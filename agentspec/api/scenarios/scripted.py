"""scripted: the section `model` with a script in the place of every model that it names. Nothing is asked here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentspec.spec.catalogue import known_prices, rung
from agentspec.spec.routes import OF_A_SERVER, taken_over, with_spares


def scripted(model: Mapping[str, Any], file: str, *, needs_prices: bool) -> dict[str, Any]:
    """The section with the turns of `file` for all of its routes; rules, limits and retries stay in force.

    A script costs nothing; with `needs_prices` a bound on cost is tried out with the prices of the models that it
    stands for.

    >>> scripted({"provider": "openai", "model": "m"}, "turns.yaml", needs_prices=False)
    {'provider': 'script', 'options': {'file': 'turns.yaml'}}
    """
    model = with_spares(model)
    kept = {name: value for name, value in model.items() if name not in (*OF_A_SERVER, "model", "ladder", "shadow")}
    if needs_prices:
        kept |= _prices(model)
    for key in ("routes", "spares"):
        if model.get(key):
            kept[key] = [_scripted_route(model, route, needs_prices=needs_prices) for route in model[key]]
    return kept | {"provider": "script", "options": {"file": file}}


def _scripted_route(model: Mapping[str, Any], route: Mapping[str, Any], *, needs_prices: bool) -> dict[str, Any]:
    """The route, which keeps the name of its model: whoever reads the result sees which one was asked."""
    whole = taken_over(model, route)
    kept = {name: value for name, value in route.items() if name not in (*OF_A_SERVER, "ladder")}
    known = rung(str(whole.get("ladder")), str(whole.get("provider")))
    name = whole.get("model") or known or whole.get("ladder")
    return kept | ({"model": name} if name else {}) | (_prices(whole) if needs_prices else {})


def _prices(model: Mapping[str, Any]) -> dict[str, Any]:
    """What the model costs, as far as that is known."""
    if model.get("prices") is not None or model.get("base_url"):
        return {"prices": model["prices"]} if model.get("prices") is not None else {}
    provider = str(model.get("provider") or "")
    name = model.get("model") or rung(str(model.get("ladder")), provider) or ""
    return {"prices": known_prices(provider, name)}
