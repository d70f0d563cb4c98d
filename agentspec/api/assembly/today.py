"""today: what a spec allows now, for a run that goes on by what it said when the run began.

What a run decides follows from its journal alone: only what is done outside of it is bounded, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentspec.api.assembly.blueprint import Blueprint, within_ceiling
from agentspec.api.assembly.guards import require_model
from agentspec.api.assembly.journaled import CEILING, blueprint_from
from agentspec.api.spec import Spec, load
from agentspec.compose.rights.narrowed import narrowed_ceiling
from agentspec.errors import NotAllowed, NotFound

Values = Mapping[str, Any]
AS_IT_WAS = "the run goes on by what it said when it began"


def bind(blueprint: Blueprint) -> list[str]:
    """Hold a run that goes on, and the agents that it calls, within the ceilings of now; what there is to say of that.

    Raises `NotAllowed` where a model that it asks is beyond them.
    """
    lines = [_bind(blueprint)]
    for name, kept in blueprint.agents.items():
        own = blueprint_from(kept)
        line = _bind(own)
        above = None if blueprint.ceiling is None else narrowed_ceiling(_now(own), blueprint.ceiling, own.project)
        blueprint.agents[name] = {**kept, CEILING: above or own.ceiling}
        lines += [line] if own.ceiling is not None else []
    return [line for line in lines if line]


def _bind(blueprint: Blueprint) -> str:
    """Bound one run by its own spec; a line where that is not what it was."""
    try:
        spec = load(blueprint.folder / blueprint.source, sets=blueprint.sets, inputs=blueprint.inputs)
    except NotFound:
        return f"`{blueprint.source}` is not there any more: {AS_IT_WAS}"
    if _is_unclear(spec):
        return f"the ceiling of `{blueprint.source}` can't be read now: {AS_IT_WAS}"
    kept = _ceiling(blueprint.values)
    both = narrowed_ceiling(kept, _ceiling(spec.effective), blueprint.project)
    if both == narrowed_ceiling(kept, kept, blueprint.project):
        return "" if _is_same(spec, blueprint) else f"`{blueprint.source}` is another now: {AS_IT_WAS}"
    blueprint.ceiling = both
    require_model(blueprint.allowed)
    return f"`capability.ceiling` of `{blueprint.source}` is narrower now, and holds; else {AS_IT_WAS}"


def _is_unclear(spec: Spec) -> bool:
    """Whether nobody can tell what the spec allows; mistakes elsewhere in it say nothing about that."""
    errors = (one for one in spec.diagnostics if one.severity == "error")
    return spec.composed.has_broken or any(one.path.startswith("capability.ceiling") for one in errors)


def _ceiling(values: Values) -> Values | None:
    return (values.get("capability") or {}).get("ceiling") or None


def _now(blueprint: Blueprint) -> Values | None:
    return blueprint.ceiling or _ceiling(blueprint.values)


def _is_same(spec: Spec, blueprint: Blueprint) -> bool:
    """Whether the spec says what it said; another model may have been given beside it."""
    if spec.hash == blueprint.spec_hash:
        return True
    model = blueprint.values.get("model") or {}
    given = f"{model.get('provider')}:{model.get('model')}"
    other = load(blueprint.folder / blueprint.source, sets=blueprint.sets, inputs=blueprint.inputs, model=given)
    return other.hash == blueprint.spec_hash


def require_limits(blueprint: Blueprint) -> None:
    """Raise `NotAllowed` where the ceiling of now has a lower limit: a run counts by its own to its end."""
    kept = (_ceiling(blueprint.values) or {}).get("limits") or {}
    now = (blueprint.ceiling or {}).get("limits") or {}
    for name in (name for name in now if now[name] != kept.get(name)):
        began = "none" if kept.get(name) is None else f"{kept[name]:g}"
        raise NotAllowed(
            f"`capability.ceiling.limits.{name}` of `{blueprint.source}` is {now[name]:g} now, and the run began with "
            f"{began}, by which it would count to its end: start it anew"
        )


def taken_over(blueprint: Blueprint) -> Blueprint:
    """The blueprint for a new run: the ceilings of now are its own."""
    for each in blueprint.agents.values():
        each["values"] = _within(each["values"], each.pop(CEILING, None))
    blueprint.values = _within(blueprint.values, blueprint.ceiling)
    blueprint.ceiling = None
    return blueprint


def _within(values: dict[str, Any], ceiling: Values | None) -> dict[str, Any]:
    if ceiling is None:
        return values
    return within_ceiling(values | {"capability": {**(values.get("capability") or {}), "ceiling": ceiling}})
