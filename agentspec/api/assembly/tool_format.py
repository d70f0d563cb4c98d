"""tool_format: how a run's models are asked to call tools, written down at its start where the author leaves it open.

So a resume and a replay ask the same, whatever a later catalogue says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentspec.api.assembly.blueprint import Blueprint
from agentspec.api.assembly.pricing import server_of
from agentspec.spec.catalogue import lacks
from agentspec.spec.routes import routes_of


def settle_format(blueprint: Blueprint, environment: Mapping[str, str]) -> None:
    """Where the catalogue says that one of the models takes no tools, the run asks for one JSON step a turn."""
    settings = blueprint.settings
    if settings.text("model.tool_format") not in (None, "auto") or not blueprint.offers_tools:
        return
    if any(_takes_no_tools(route.model, environment) for route in routes_of(settings.get("model"))):
        blueprint.values = {**blueprint.values, "model": {**blueprint.values["model"], "tool_format": "json"}}


def _takes_no_tools(model: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    provider, name = str(model.get("provider") or ""), str(model.get("model") or "")
    is_own_server = model.get("base_url") or server_of(provider, environment)
    return not is_own_server and "tools" in lacks(provider, name)
