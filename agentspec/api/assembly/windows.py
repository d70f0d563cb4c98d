"""windows: the windows of a run's models, written down at its start, so that a resume and a replay decide the same.

What the author wrote holds; else the catalogue's, for a provider's own server. Nobody's is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentspec.adapters.models.wires.draft import mapping_of
from agentspec.api.assembly.blueprint import Blueprint
from agentspec.api.assembly.pricing import Way, server_of, with_value
from agentspec.spec.catalogue import known_window
from agentspec.spec.routes import routes_of


def settle_windows(blueprint: Blueprint, environment: Mapping[str, str]) -> None:
    """Write the windows that are known into the blueprint."""
    for route in routes_of(blueprint.values.get("model")):
        window = _window(route.model, environment)
        if route.model.get("context_window") is None and window is not None:
            way: Way = ("model",) if route.at is None else ("model", route.key, route.at)
            blueprint.values = with_value(blueprint.values, (*way, "context_window"), window)


def _window(model: Mapping[str, Any], environment: Mapping[str, str]) -> int | None:
    """The window of a model: what the request itself asks for, else what the catalogue says of it."""
    provider = str(model.get("provider") or "")
    asked = mapping_of(mapping_of(model.get("options")).get("options")).get("num_ctx") if provider == "ollama" else None
    if isinstance(asked, int):
        return asked
    is_own_server = model.get("base_url") or server_of(provider, environment)
    return None if is_own_server else known_window(provider, str(model.get("model") or ""))
