"""assemble: from a spec's settings to the adapters that it asks for. Nothing is called here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace

from agentspec.adapters.models.settings import ModelSettings
from agentspec.adapters.tools.capture import KEEP
from agentspec.adapters.tools.environment import child_environment
from agentspec.adapters.tools.expr import ExprTool
from agentspec.adapters.tools.files_read import RESULT_MAX, require_folder
from agentspec.adapters.tools.files_read import toolkit as files_read
from agentspec.adapters.tools.process import Command
from agentspec.adapters.tools.run import RunTool
from agentspec.core.shorthand import lower
from agentspec.core.tools import ToolPlan
from agentspec.errors import ExpressionError, NotFound, Unavailable
from agentspec.expressions.compile import compile_expression
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import make_scope
from agentspec.expressions.template import parse_template
from agentspec.link import kind_of, tool_plan
from agentspec.ports import Tool
from agentspec.spec.settings import Settings
from agentspec.syntax.read import read_text

SAMPLING = ("temperature", "top_p", "seed", "stop")
BUILT_KINDS = ("expr", "run")
TOOLKITS = {"files.read": files_read}
GRACE = 5.0
STOPPING = 5.0  # seconds that the system may take to end a program which was killed
DEFAULT_TIMEOUT = 120.0


Names: TypeAlias = Mapping[str, Mapping[str, Any]]


class Equipment(NamedTuple):
    """The tools of a run: how the kernel knows each, and what does it."""

    plans: list[ToolPlan]
    tools: dict[str, Tool]

    def add(self, plan: ToolPlan, tool: Tool) -> None:
        self.plans.append(plan)
        self.tools[plan.name] = tool


def model_settings(settings: Settings) -> ModelSettings:
    """What the spec says about the model that answers; `${env.NAME}` is put in here and kept nowhere else."""
    given: Mapping[str, Any] = settings.get("model") or {}
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
    try:
        return parse_template(text).compile(PLACES["connection"]).render({"env": os.environ})
    except ExpressionError as error:
        raise Unavailable(f"`{place}` can't be filled in: {error}") from None


def system_prompt(settings: Settings, names: Names, project: Path) -> str | None:
    """The system text with its inputs filled in, or None where the spec has none."""
    given: Any = settings.get("context.system")
    if isinstance(given, Mapping):
        given = _read_text(project, str(given.get("file")))
    return None if given is None else filled_in(given, names, "context.system")


def filled_in(text: str, names: Names, key: str) -> str:
    """A text of the spec for the model, with its inputs and what is known of the run. Raises `Unavailable`."""
    try:
        return parse_template(text).compile(PLACES["prompt"]).render(names)
    except ExpressionError as error:
        raise Unavailable(f"`{key}` can't be filled in: {error}") from None


def _read_text(project: Path, name: str) -> str:
    try:
        return read_text(project / name)
    except NotFound as problem:
        raise NotFound(f"`context.system.file`: {problem}") from None


def equip(settings: Settings, project: Path) -> Equipment:
    """Every tool of the spec whose kind can run, in the order of the spec: own tools, then toolkits."""
    equipment = Equipment([], {})
    for name, definition in (settings.get("capability.tools") or {}).items():
        if kind_of(definition) in BUILT_KINDS:
            plan = tool_plan(name, definition, settings)
            tool = _own_tool(plan, definition, settings, project)
            if plan.kind == "run":  # its own limit comes first, since it alone can show what was printed until then
                plan = replace(plan, timeout=plan.timeout + grace_of(settings) + STOPPING)
            equipment.add(plan, tool)
    for family, options in _toolkits(settings):
        for plan, tool in _toolkit(family, options, project, settings):
            equipment.add(plan, tool)
    return equipment


def require_folders(settings: Settings, project: Path) -> None:
    """Raise `Unavailable` where a toolkit is to work in a folder that isn't there."""
    for _, options in _toolkits(settings):
        require_folder(options, project)


def _toolkits(settings: Settings) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for item in settings.get("capability.toolkits") or []:
        family, options = (item, {}) if isinstance(item, str) else next(iter(item.items()))
        if family in TOOLKITS:
            yield family, options or {}


def _own_tool(plan: ToolPlan, definition: Mapping[str, Any], settings: Settings, project: Path) -> Tool:
    if plan.kind == "expr":
        returns = definition.get("returns")
        scope = make_scope(parameters=definition.get("parameters") or {}, returns=returns)
        program = compile_expression(str(definition["expr"]), PLACES["tools.expr"], scope)
        return ExprTool(program, lower(returns) if returns is not None else None)
    scope = make_scope(parameters=definition.get("parameters") or {})
    argv = [parse_template(str(element)).compile(PLACES["tools.template"], scope) for element in definition["run"]]
    command = Command(
        argv=(),
        cwd=project,
        env=child_environment(os.environ),
        timeout=plan.timeout,
        grace=grace_of(settings),
        keep=max(KEEP, _result_max(settings)),
    )
    return RunTool(argv, command)


def grace_of(settings: Settings) -> float:
    """The seconds between the polite and the hard stop of a program."""
    return settings.seconds("lifecycle.grace") or GRACE


def _result_max(settings: Settings) -> int:
    return settings.size("execution.tool_result_max") or RESULT_MAX


def _toolkit(
    family: str, options: Mapping[str, Any], project: Path, settings: Settings
) -> Iterator[tuple[ToolPlan, Tool]]:
    timeout = settings.seconds("execution.tool_timeout") or DEFAULT_TIMEOUT
    secrets = settings.get("capability.approval.secrets") or ()
    tools = TOOLKITS[family](options, project, secrets=secrets, result_max=_result_max(settings))
    for schema, tool in tools.values():
        yield (
            ToolPlan(
                name=schema.name,
                description=schema.description,
                parameters=schema.parameters,
                effect="read",
                kind="toolkit",
                repeat="read",
                timeout=timeout,
            ),
            tool,
        )
