"""prefill: which of a run's models go on with the beginning of their own answer, written down at its start.

So a resume and a replay ask the same, whatever a later catalogue says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentspec.api.assembly.blueprint import Blueprint
from agentspec.api.assembly.pricing import Way, server_of, with_value
from agentspec.spec.catalogue import dialect, takes
from agentspec.spec.routes import routes_of


def settle_prefill(blueprint: Blueprint, environment: Mapping[str, str]) -> None:
    """Write `on` or `off` where the author left it open, and `off` where the protocol has no way to say it."""
    for route in routes_of(blueprint.values.get("model")):
        way: Way = ("model",) if route.at is None else ("model", route.key, route.at)
        said = "on" if _goes_on(route.model, environment) else "off"
        blueprint.values = with_value(blueprint.values, (*way, "prefill"), said)


def _goes_on(model: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    provider, said = str(model.get("provider") or ""), model.get("prefill") or "auto"
    if said != "auto" or not dialect(provider).get("prefill"):
        return said == "on" and bool(dialect(provider).get("prefill"))
    is_own_server = model.get("base_url") or server_of(provider, environment)
    return not is_own_server and "prefill" in takes(provider, str(model.get("model") or ""))
