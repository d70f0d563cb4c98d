"""windows: the windows of a run's models, written down at its start, so that a resume and a replay decide the same.

What the author wrote holds; else the catalogue's, for a provider's own server. Nobody's is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentspec.api.blueprint import Blueprint
from agentspec.api.pricing import Way, server_of, with_value
from agentspec.spec.catalogue import known_window
from agentspec.spec.routes import routes_of


def settle_windows(blueprint: Blueprint, environment: Mapping[str, str]) -> None:
    """Write the windows that are known into the blueprint."""
    for route in routes_of(blueprint.values.get("model")):
        provider, model = str(route.model.get("provider") or ""), str(route.model.get("model") or "")
        is_own_server = route.model.get("base_url") or server_of(provider, environment)
        if route.model.get("context_window") is not None or is_own_server:
            continue
        window = known_window(provider, model)
        if window is not None:
            way: Way = ("model",) if route.at is None else ("model", route.key, route.at)
            blueprint.values = with_value(blueprint.values, (*way, "context_window"), window)
