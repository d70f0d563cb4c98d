"""own_tools: the tools that a spec defines itself, made from their definitions. Nothing is called here."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from agentspec.adapters.tools.checked import CheckedTool
from agentspec.adapters.tools.kit import RESULT_MAX
from agentspec.adapters.tools.offered.asked import FOREVER, AskedTool
from agentspec.adapters.tools.programs.capture import KEEP
from agentspec.adapters.tools.programs.environment import child_environment
from agentspec.adapters.tools.programs.process import Command
from agentspec.adapters.tools.programs.run import RunTool
from agentspec.adapters.tools.pure.expr import ExprTool
from agentspec.adapters.tools.python_tool import PythonTool
from agentspec.adapters.tools.web.http_tool import HttpTool, compile_request
from agentspec.adapters.tools.web.pools import Pools
from agentspec.api.assembly.assemble import Names
from agentspec.api.assembly.walls import wall_of
from agentspec.core.models.replies import BYTES_PER_TOKEN
from agentspec.core.schema.components import with_components
from agentspec.core.schema.shorthand import lower
from agentspec.core.tools import ToolPlan
from agentspec.expressions.compile import compile_expression
from agentspec.expressions.places import PLACES
from agentspec.expressions.scope import Scope, make_scope
from agentspec.expressions.template import parse_template
from agentspec.ports import Respondent, Tool
from agentspec.spec.routes import routes_of
from agentspec.spec.settings import Settings

GRACE = 5.0
STOPPING = 5.0  # seconds that the system may take to end a program which was killed


class Made(NamedTuple):
    """What a tool is made from."""

    plan: ToolPlan
    definition: Mapping[str, Any]
    settings: Settings
    project: Path
    names: Names
    person: Respondent | None = None
    pools: Pools | None = None

    @property
    def scope(self) -> Scope:
        """The types of what its texts may name."""
        return make_scope(parameters=self.definition.get("parameters") or {}, inputs=self.settings.get("inputs"))


def own_tool(made: Made) -> tuple[ToolPlan, Tool]:
    """The tool, and how the kernel knows it. Results of another kind than `expr` are held against `returns` here."""
    plan, tool = MAKERS[made.plan.kind](made)
    returns = made.definition.get("returns")
    if returns is None or plan.kind == "expr":
        return plan, tool
    return plan, CheckedTool(tool, _returns(made), prints=plan.kind == "run")


def _returns(made: Made) -> dict[str, Any]:
    """The schema of the result."""
    return with_components(lower(made.definition["returns"]), made.settings.get("capability.components"))


def _expr(made: Made) -> tuple[ToolPlan, Tool]:
    definition, returns = made.definition, made.definition.get("returns")
    scope = make_scope(parameters=definition.get("parameters") or {}, returns=returns)
    program = compile_expression(str(definition["expr"]), PLACES["tools.expr"], scope)
    return made.plan, ExprTool(program, _returns(made) if returns is not None else None)


def _run(made: Made) -> tuple[ToolPlan, Tool]:
    plan, place, scope = made.plan, PLACES["tools.template"], made.scope
    is_granted = plan.effect == "network" or made.definition.get("network") is True
    argv = [parse_template(str(element)).compile(place, scope) for element in made.definition["run"]]
    command = Command(
        argv=(),
        cwd=made.project,
        env=child_environment(os.environ),
        timeout=plan.timeout,
        grace=grace_of(made.settings),
        keep=max(KEEP, result_max(made.settings)),
        wall=wall_of(made.settings, made.project, root=made.project, network=is_granted),
    )
    tool = RunTool(argv, command)
    # Its own limit comes first, since it alone can show what was printed until then.
    timeout = plan.timeout + command.grace + STOPPING
    return replace(plan, timeout=timeout, touches=functools.partial(tool.touches, made.names)), tool


def _http(made: Made) -> tuple[ToolPlan, Tool]:
    request = compile_request(made.definition["http"], made.scope)
    tool = HttpTool(request, os.environ, made.plan.timeout, made.pools)
    return replace(made.plan, touches=functools.partial(tool.touches, made.names)), tool


def _python(made: Made) -> tuple[ToolPlan, Tool]:
    return made.plan, PythonTool(str(made.definition["python"]), made.project)


def _external(made: Made) -> tuple[ToolPlan, Tool]:
    """Asking again does no harm: whoever carries it out is told which call it is."""
    timeout = Settings(made.definition).seconds("timeout") or FOREVER
    return replace(made.plan, repeat="idempotent", timeout=FOREVER), AskedTool("tool_result", made.person, timeout)


MAKERS: dict[str, Callable[[Made], tuple[ToolPlan, Tool]]] = {
    "expr": _expr,
    "run": _run,
    "http": _http,
    "python": _python,
    "external": _external,
}


def grace_of(settings: Settings) -> float:
    """The seconds between the polite and the hard stop of a program."""
    return settings.seconds("lifecycle.grace") or GRACE


def result_max(settings: Settings) -> int:
    """The bytes that one result may have; with `auto` about a quarter of the smallest window that is known.

    >>> result_max(Settings({"execution": {"tool_result_max": "auto"}, "model": {"context_window": 4096}}))
    4096
    """
    if settings.get("execution.tool_result_max") != "auto":
        return settings.size("execution.tool_result_max") or RESULT_MAX
    windows: Iterable[int | None] = (each.model.get("context_window") for each in routes_of(settings.get("model")))
    return min((RESULT_MAX, *(window * BYTES_PER_TOKEN // 4 for window in windows if window is not None)))
