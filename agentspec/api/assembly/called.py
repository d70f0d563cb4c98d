"""called: the agents that a spec calls as tools, made ready for a run: read once, narrowed, kept in its journal.

One level: an agent that is called calls no other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from agentspec.api.assembly.blueprint import Blueprint, draw
from agentspec.api.assembly.equip import equip
from agentspec.api.assembly.guards import (
    require_model,
    require_provider_tools,
    require_python,
    require_sandbox,
    require_search,
)
from agentspec.api.assembly.journaled import blueprint_from
from agentspec.api.assembly.models import models_of
from agentspec.api.assembly.prefill import settle_prefill
from agentspec.api.assembly.pricing import settle_prices
from agentspec.api.assembly.tool_format import settle_format
from agentspec.api.assembly.windows import settle_windows
from agentspec.api.options import RunOptions
from agentspec.api.spec import Spec, load
from agentspec.api.workspace import Workspace
from agentspec.compose.documents import looks_like_file
from agentspec.compose.load import unset_inputs
from agentspec.compose.rights.narrowed import narrowed
from agentspec.compose.toolkits import EFFECTS
from agentspec.core.calls.matching import is_named
from agentspec.core.tools import ToolPlan
from agentspec.errors import NotAllowed, SpecInvalid

ROUTE = ("provider", "model", "routes", "ladder", "base_url")  # with any of them, an agent has a model of its own
LENT = "is_lent"  # in a kept blueprint: the caller's model answers


def agent_tools(values: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The tools of a spec that are agents."""
    tools: Mapping[str, Any] = (values.get("capability") or {}).get("tools") or {}
    yield from ((name, tool) for name, tool in tools.items() if "agent" in tool)


def blueprint_of(spec: Spec, options: RunOptions) -> Blueprint:
    """The blueprint of a spec, with those of the agents that it calls.

    Raises `SpecInvalid`, with the findings, where one has errors; `NotAllowed` where one can't be called like this.
    """
    spec.require_runnable()
    blueprint = draw(spec, options)
    for name, tool in agent_tools(blueprint.values):
        called = _found(str(tool["agent"]), spec)
        called.project = spec.project  # what is called works where its caller does
        _require_fit(name, tool, called)
        is_scripted = options.script is not None and (called.effective.get("model") or {}).get("provider") == "script"
        own = draw(called, replace(options, script=None if is_scripted else options.script))
        own.values = _blanked(narrowed(own.values, blueprint.values, blueprint.project), blueprint.values)
        own.values = _reminded(own.values, blueprint.values)
        given = called.values.get("model") or {}
        is_lent = not is_scripted and (
            options.script is not None or not any(key in given for key in (*ROUTE, "routes", "ladder"))
        )
        blueprint.agents[name] = {**own.as_json(), LENT: is_lent, "effect": _effect(own)}
    return blueprint


def _blanked(values: dict[str, Any], callers: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an agent that is called: what its caller wants blanked is blanked in its run as well."""
    own, theirs = ((each.get("observability") or {}) for each in (values, callers))
    given = theirs.get("redact") or {}
    if not given:
        return values
    redact = own.get("redact") or {}
    both = {name: [*(redact.get(name) or ()), *(given.get(name) or ())] for name in ("patterns", "keys")}
    return values | {"observability": {**own, "redact": both}}


def _reminded(values: dict[str, Any], callers: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an agent that is called: it hears what its caller wants all to be reminded of."""
    theirs = (callers.get("context") or {}).get("reminders") or ()
    passed_on = [each for each in theirs if isinstance(each, Mapping) and each.get("propagate") == "all"]
    if not passed_on:
        return values
    context = values.get("context") or {}
    return values | {"context": {**context, "reminders": [*(context.get("reminders") or ()), *passed_on]}}


def settle_called(blueprint: Blueprint, shared: Workspace, environment: Mapping[str, str]) -> None:
    """Settle who answers each agent that is called, and what that costs, before anything is started."""
    for name, kept in blueprint.agents.items():
        own = blueprint_from(kept)
        is_lent = kept[LENT] is True
        if is_lent:
            own.values["model"] = {**(own.values.get("model") or {}), **(blueprint.values.get("model") or {})}
        for _ in own.settle_routes(models_of(own, shared).names):
            pass
        settle_prices(own, environment)
        settle_format(own, environment)
        settle_prefill(own, environment)
        settle_windows(own, environment)
        _require_allowed(own)
        blueprint.agents[name] = {**kept, **own.as_json()}


def _effect(own: Blueprint) -> str:
    """The highest effect of what an agent may do, within the ceiling that its caller leaves it."""
    settings, ceiling = own.settings, own.settings.get("capability.ceiling") or {}
    found = {plan.effect for plan in equip(settings, own.folder, own.names({})).plans if _may(plan, ceiling)}
    found |= {"write"} if settings.get("capability.mcp") else set()  # nobody has asked its servers yet
    allowed = ceiling.get("effects")
    usable = [one for one in EFFECTS if one in found and _is_among(one, allowed)]
    weakest = [one for one in EFFECTS if _is_among(one, allowed)]
    return next(iter([*reversed(usable), *weakest]), "none")


def _may(plan: ToolPlan, ceiling: Mapping[str, Any]) -> bool:
    return ceiling.get("tools") is None or is_named(plan.name, ceiling["tools"])


def _is_among(effect: str, allowed: list[str] | None) -> bool:
    return allowed is None or effect in allowed


def _require_allowed(own: Blueprint) -> None:
    require_model(own.settings)
    require_search(own.settings)
    require_provider_tools(own.settings)
    require_sandbox(own.settings)
    require_python(own.settings, own.folder, is_allowed=own.allow_python)


def _found(reference: str, spec: Spec) -> Spec:
    """The agent that a word means: one of the same file, or of a file beside it."""
    if not looks_like_file(reference):
        return load(spec.composed.parsed.source.name, name=reference)
    return load(os.path.normpath(spec.folder / reference))


def _require_fit(name: str, tool: Mapping[str, Any], called: Spec) -> None:
    place = f"capability.tools.{name}"
    called.require_agent()
    later = set(tool.get("parameters") or ())
    unset = [found for found in unset_inputs(called.composed) if found.path.partition(".")[2] not in later]
    errors = [*(found for found in called.diagnostics if found.severity == "error"), *unset]
    if errors:
        raise SpecInvalid(f"`{place}`: the agent `{called.name}` does not check", errors)
    deeper = next((one for one, _ in agent_tools(called.values)), None) or next(iter(_subagents(called)), None)
    if deeper is not None:
        raise NotAllowed(
            f"`{place}` calls `{called.name}`, which itself calls an agent (`{deeper}`): they are called one level deep"
        )
    own = called.inputs().keys() | (called.values.get("inputs") or {}).keys()
    unknown = sorted(later - {"task", "context", "schema"} - own)
    if unknown:
        raise NotAllowed(
            f"`{place}`: `{called.name}` has no input `{unknown[0]}`: the parameters of an agent are its inputs, "
            "`task` and `context`"
        )
    if later and "task" not in later and not called.values.get("task"):
        raise NotAllowed(f"`{place}`: `{called.name}` has no `task` of its own, so the tool needs a parameter `task`")


def _subagents(called: Spec) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (called.values.get("capability") or {}).get("subagents") or {}
    return found
