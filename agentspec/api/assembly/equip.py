"""equip: from a spec's settings to the tools of a run: its own, then those of toolkits. Nothing is called here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from agentspec.adapters.mcp.catalogue import McpTool
from agentspec.adapters.mcp.servers import Servers, ServerTool, Uncallable
from agentspec.adapters.outside import Outside
from agentspec.adapters.tools.kit import TIMEOUT, Setting, Tell
from agentspec.adapters.tools.kits import KITS, make_kit, require_kit
from agentspec.adapters.tools.layered import layered
from agentspec.adapters.tools.offered.agent_tool import PARAMETERS, AgentTool, Call
from agentspec.adapters.tools.offered.asked import FOREVER
from agentspec.adapters.tools.programs.environment import child_environment
from agentspec.adapters.tools.recorded import RecordedTool, Recording
from agentspec.adapters.tools.web.pools import Pools
from agentspec.api.assembly.assemble import Names
from agentspec.api.assembly.linker import OwnTool
from agentspec.api.assembly.own_tools import MAKERS, Made, grace_of, own_tool, result_max
from agentspec.api.assembly.runtime_tools import runtime_tools
from agentspec.api.assembly.tables import table_tools
from agentspec.api.assembly.walls import wall_of
from agentspec.core.calls.layers import layers_of
from agentspec.core.calls.touched import Touched
from agentspec.core.tools import ToolPlan
from agentspec.link import kind_of, tool_plan
from agentspec.ports import Artifacts, Respondent, Tool
from agentspec.spec.settings import Settings

COMMAND = "command"  # the toolkit that runs programs in the background
OF_A_TOOL = ("capability.components", "execution.tool_timeout")  # what a tool is made of beside its definition
ASKING = ("http", "mcp")  # kinds of tools whose work another program does, whatever their effect


class Equipment(NamedTuple):
    """The tools of a run: how the kernel knows each, and what does it."""

    plans: list[ToolPlan]
    tools: dict[str, Tool]

    def add(self, plan: ToolPlan, tool: Tool) -> None:
        self.plans.append(plan)
        self.tools[plan.name] = tool


def anew(_: str, __: Any, make: Callable[[], OwnTool]) -> OwnTool:
    return make()


class Known(NamedTuple):
    """What is known of the world of a run: what servers offer, what tables look like, the agents that it calls.

    `computing` gives a tool that only computes, by its name and what it is made of, where it was made before.
    """

    catalogue: Sequence[McpTool] = ()
    tables: Mapping[str, Any] = {}
    agents: Mapping[str, Mapping[str, Any]] = {}
    computing: Callable[[str, Any, Callable[[], OwnTool]], OwnTool] = anew


class Reach(NamedTuple):
    """What the tools of a run that goes on reach outside it. Those of a run that is only looked at reach nothing.

    `person` answers what tools ask, `artifacts` keeps large outputs, `call` runs agents, `tell` tells those
    who watch, `pools` are connections that runs share.
    """

    servers: Servers | None = None
    opens_tables: bool = False
    person: Respondent | None = None
    artifacts: Artifacts | None = None
    call: Call | None = None
    tell: Tell | None = None
    pools: Pools | None = None


UNKNOWN = Known()
AROUND = ("redact", "audit_log", "handoff")  # the layers that act on what goes in and comes out
NOTHING = Reach()


def equip(settings: Settings, project: Path, names: Names, known: Known = UNKNOWN, reach: Reach = NOTHING) -> Equipment:
    """Every tool of the spec whose kind can run, in the order of the spec: own tools, toolkits, servers, tables.

    What is not within `reach` is known, and not called.
    """
    servers, setting = reach.servers, _setting(settings, project, reach)
    equipment = Equipment([], {})
    offered = {(tool.server, tool.tool): tool for tool in known.catalogue}
    for name, definition in (settings.get("capability.tools") or {}).items():
        kind = kind_of(definition)
        if kind == "mcp":
            equipment.add(*_of_server(name, definition, settings, offered, servers))
        elif kind == "agent":
            equipment.add(*_of_agent(name, definition, settings, known.agents.get(name), reach.call))
        elif kind in MAKERS:
            make = partial(_own, name, definition, settings, project, names, reach)
            made_of = (definition, *map(settings.get, OF_A_TOOL))
            equipment.add(*(known.computing(name, made_of, make) if kind == "expr" else make()))
    for family, options in _toolkits(settings):
        for plan, tool in make_kit(family, options, _with_programs(setting, settings)).values():
            equipment.add(plan, tool)
    for each in known.catalogue:
        if each.is_offered:
            equipment.add(each.plan(), _calling(servers, each))
    for plan, tool in table_tools(settings, project, known.tables, names if reach.opens_tables else None).values():
        equipment.add(plan, tool)
    for plan, tool in runtime_tools(settings, tuple(equipment.plans), setting):
        equipment.add(plan, tool)
    return equipment


def _own(
    name: str, definition: Mapping[str, Any], settings: Settings, project: Path, names: Names, reach: Reach
) -> OwnTool:
    plan = tool_plan(name, definition, settings)
    return own_tool(Made(plan, definition, settings, project, names, reach.person, reach.pools))


def _of_agent(
    name: str, definition: Mapping[str, Any], settings: Settings, called: Mapping[str, Any] | None, call: Call | None
) -> tuple[ToolPlan, Tool]:
    """A tool that is an agent: what its calls touch is looked at in its own run, and bounds of its own end that."""
    given = {"parameters": PARAMETERS, **({} if called is None else {"effect": called["effect"]}), **definition}
    plan = tool_plan(name, given, settings)
    timeout = Settings(definition).seconds("timeout") or FOREVER
    return replace(plan, repeat="idempotent", timeout=timeout, touches=touches_nothing), AgentTool(name, call)


def touches_nothing(_: Mapping[str, Any]) -> Touched:
    """What the call of an agent touches itself."""
    return Touched()


def _of_server(
    name: str,
    definition: Mapping[str, Any],
    settings: Settings,
    offered: Mapping[tuple[str, str], McpTool],
    servers: Servers | None,
) -> tuple[ToolPlan, Tool]:
    """A tool that calls one of a server by a name, and with words, of the spec's own."""
    plan = tool_plan(name, definition, settings)
    server, _, tool = str(definition["mcp"]).partition("/")
    found = offered.get((server, tool))
    if found is None:  # nobody has asked the server yet
        return plan, Uncallable(server)
    plan = replace(
        plan,
        description=plan.description or found.description,
        parameters=plan.parameters if definition.get("parameters") else found.parameters,
        effect=definition.get("effect", found.effect),
        server=server,
        timeout=plan.timeout if definition.get("timeout") else found.timeout,
    )
    return plan, _calling(servers, found)


def _calling(servers: Servers | None, tool: McpTool) -> Tool:
    return Uncallable(tool.server) if servers is None else ServerTool(servers, tool)


def wrapped(equipment: Equipment, settings: Settings, project: Path, artifacts: Artifacts) -> dict[str, Tool]:
    """The tools with the layers of middleware around them that act on what goes in and comes out."""
    layers = layers_of(settings, *AROUND)
    if not layers:
        return equipment.tools
    return {
        plan.name: layered(equipment.tools[plan.name], plan, project, layers, artifacts) for plan in equipment.plans
    }


def with_recorded(equipment: Equipment, recording: Recording, outside: Outside, *, is_offline: bool) -> Equipment:
    """The tools, in which those with a recorded result are not run, nor those that ask a server where it `is_offline`.

    Who asks a person, or ends, does so itself.
    """
    recorded = {
        plan.name: RecordedTool(plan.name, equipment.tools[plan.name], recording, outside)
        for plan in equipment.plans
        if plan.effect != "terminal" and (plan.name in recording.names or (is_offline and _asks_a_server(plan)))
    }
    return equipment._replace(tools={**equipment.tools, **recorded})


def _asks_a_server(plan: ToolPlan) -> bool:
    return plan.effect == "network" or plan.kind in ASKING


def leaves_running(settings: Settings) -> bool:
    """Whether a program may go on running behind a call of a tool."""
    return any(family == COMMAND for family, _ in _toolkits(settings))


def require_worlds(settings: Settings, project: Path) -> None:
    """Raise `Unavailable` where a toolkit is to work on something that isn't there."""
    for family, options in _toolkits(settings):
        require_kit(family, options, _with_programs(_setting(settings, project), settings))


def _toolkits(settings: Settings) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for item in settings.get("capability.toolkits") or []:
        family, options = (item, {}) if isinstance(item, str) else next(iter(item.items()))
        if family in KITS:
            yield family, options or {}


def _setting(settings: Settings, project: Path, reach: Reach = NOTHING) -> Setting:
    return Setting(
        project=project,
        secrets=tuple(settings.get("capability.approval.secrets") or ()),
        result_max=result_max(settings),
        timeout=settings.seconds("execution.tool_timeout") or TIMEOUT,
        grace=grace_of(settings),
        person=reach.person,
        artifacts=reach.artifacts,
        tell=reach.tell,
        pools=reach.pools,
    )


def _with_programs(setting: Setting, settings: Settings) -> Setting:
    """The same with what only programs need: what they see of the environment, and the wall around them."""
    wall = wall_of(settings, setting.project, root=None)
    return setting._replace(environment=child_environment(os.environ), wall=wall)
