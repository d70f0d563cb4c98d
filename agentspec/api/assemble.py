"""assemble: from a spec's settings to the adapters that it asks for. Nothing is called here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.adapters.models.settings import ModelSettings
from agentspec.adapters.tools.expr import ExprTool
from agentspec.adapters.tools.files_read import toolkit as files_read
from agentspec.adapters.tools.run import RunTool
from agentspec.core.shorthand import lower
from agentspec.core.tools import ToolPlan
from agentspec.errors import SpecInvalid, Unavailable
from agentspec.expressions.compile import compile_expression
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import Scope
from agentspec.expressions.template import parse_template
from agentspec.link import kind_of, tool_plan
from agentspec.ports import Tool
from agentspec.spec.settings import Settings

SAMPLING = ("temperature", "top_p", "seed", "stop")
BUILT_KINDS = ("expr", "run")
BUILT_TOOLKITS = {"files.read": files_read}


class Equipment(NamedTuple):
    """The tools of a run: how the kernel knows each, and what does it."""

    plans: list[ToolPlan]
    tools: dict[str, Tool]


def model_settings(settings: Settings) -> ModelSettings:
    """What the spec says about the model that answers; `${env.NAME}` is put in here and kept nowhere else."""
    given: Mapping[str, Any] = settings.written("model") or {}
    sampling = {name: given[name] for name in SAMPLING if given.get(name) is not None}
    stream = {True: True, False: False}.get(given.get("stream", "auto"))
    return ModelSettings(
        provider=given.get("provider", ""),
        model=given.get("model", ""),
        base_url=_from_environment(given.get("base_url"), "model.base_url"),
        api_key_env=given.get("api_key_env"),
        headers={
            name: _from_environment(text, f"model.headers.{name}") or ""
            for name, text in (given.get("headers") or {}).items()
        },
        options=dict(given.get("options") or {}),
        sampling=sampling | _max_output(given),
        timeout=settings.seconds("model.timeout") or 120.0,
        idle_timeout=settings.seconds("model.idle_timeout") or 60.0,
        stream=stream,
    )


def _max_output(given: Mapping[str, Any]) -> dict[str, Any]:
    most = given.get("max_output_tokens")
    return {"max_tokens": most} if most is not None else {}


def _from_environment(text: str | None, place: str) -> str | None:
    if text is None or "${" not in text:
        return text
    names = {"env": dict(os.environ)}
    try:
        return parse_template(text).render(names)
    except KeyError as error:
        raise Unavailable(f"`{place}` needs the environment variable {error}, which is not set") from None


def equip(settings: Settings, project: Path, inputs: Mapping[str, Any]) -> Equipment:
    """Every tool of the spec whose kind this version can run, in the order of the spec: own tools, then toolkits."""
    plans: list[ToolPlan] = []
    tools: dict[str, Tool] = {}
    for name, definition in (settings.written("capability.tools") or {}).items():
        if kind_of(definition) not in BUILT_KINDS:
            continue
        plan = tool_plan(name, definition, settings)
        _add(plans, tools, plan, _own_tool(plan, definition, settings, project, inputs))
    for item in settings.written("capability.toolkits") or []:
        name, options = (item, {}) if isinstance(item, str) else next(iter(item.items()))
        family = BUILT_TOOLKITS.get(name)
        if family is None:
            continue
        for schema, tool in family(options or {}, project).values():
            _add(plans, tools, _toolkit_plan(schema.name, schema.description, schema.parameters, settings), tool)
    return Equipment(plans, tools)
