"""kit: what a toolkit is: a few tools, the world that they work in, and what options make of them.

The names of tools and options are fixed by the language; options may leave tools out and rename them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from agentspec.adapters.tools.sandbox.wall import Wall
from agentspec.adapters.tools.web.pools import Pools
from agentspec.core.calls.touched import Touches, by_names
from agentspec.core.orders import Effect, RepeatClass
from agentspec.core.schema.shorthand import lower_parameters
from agentspec.core.tools import ToolPlan, Work
from agentspec.errors import SpecInvalid
from agentspec.ports import Artifacts, Respondent, Tool
from agentspec.text.suggest import nearest

RESULT_MAX = 64 * 1024
TIMEOUT = 120.0
ROOTED = ("files.", "git", "command")  # toolkits that work in a folder


Tell: TypeAlias = Callable[[str, Mapping[str, Any]], None]
"""Tells those who watch a run of what goes on: the kind of the event, and its fields. It is kept nowhere."""


class Setting(NamedTuple):
    """What the tools of a toolkit are given. `project` is the folder that relative paths begin at.

    `secrets` are globs of further secret files, `result_max` the bytes that one answer may have, `environment` what
    programs may see, `timeout` and `grace` in seconds. `wall` is what is around programs; a toolkit adds its own root.
    `person` answers questions, `artifacts` keeps large outputs, `tell` tells those who watch.
    `pools` are connections that outlive the run; without them a tool has its own.
    """

    project: Path
    secrets: Sequence[str] = ()
    result_max: int = RESULT_MAX
    environment: Mapping[str, str] = {}
    timeout: float = TIMEOUT
    grace: float = 5.0
    wall: Wall | None = None
    person: Respondent | None = None
    artifacts: Artifacts | None = None
    tell: Tell | None = None
    pools: Pools | None = None


class KitTool(NamedTuple):
    """One tool as its toolkit has it; `parameters` in shorthand or as schemas by name.

    `touches` reads what a call touches where the names of its arguments do not tell it, or where the options of the
    toolkit ask or refuse.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    tool: Tool
    effect: Effect = "none"
    repeat: RepeatClass = "read"
    timeout: float | None = None
    is_concurrent: bool = False
    touches: Touches | None = None
    work: Work = ""


Offered: TypeAlias = dict[str, tuple[ToolPlan, Tool]]
Toolkit: TypeAlias = Callable[[Mapping[str, Any], Setting], Offered]


def offer(family: str, tools: Sequence[KitTool], options: Mapping[str, Any], setting: Setting) -> Offered:
    """The tools that the options leave, by the names that the model calls them.

    Raises `SpecInvalid` where an option names a tool that the toolkit does not have.
    """
    names, descriptions = options.get("names") or {}, options.get("descriptions") or {}
    offered: Offered = {}
    for one in _enabled(family, tools, options):
        plan = ToolPlan(
            name=names.get(one.name, one.name),
            description=descriptions.get(one.name, one.description),
            parameters=lower_parameters(one.parameters),
            effect=one.effect,
            kind="toolkit",
            repeat=one.repeat,
            timeout=one.timeout or setting.timeout,
            is_concurrent=one.is_concurrent,
            touches=one.touches or _by_names(family, options),
            work=one.work,
            is_deferred=options.get("defer") is True,
            namespace=options.get("namespace") or "",
        )
        offered[plan.name] = (plan, one.tool)
    return offered


def _by_names(family: str, options: Mapping[str, Any]) -> Touches:
    """What a call touches by the names of its arguments; without a path, the folder that the toolkit works in."""
    root = str(options.get("root") or options.get("repo") or ".")
    return _below(root, is_rooted=family.startswith(ROOTED))


@functools.lru_cache(maxsize=256)  # the same for the same toolkit, so that runs can share a plan
def _below(root: str, *, is_rooted: bool) -> Touches:
    return functools.partial(by_names, root=root, is_rooted=is_rooted)


def _enabled(family: str, tools: Sequence[KitTool], options: Mapping[str, Any]) -> list[KitTool]:
    enabled: Sequence[str] | None = options.get("enabled")
    disabled: Sequence[str] = options.get("disabled") or ()
    known = [tool.name for tool in tools]
    for name in (*(enabled or ()), *disabled, *(options.get("names") or ())):
        if name not in known:
            near = nearest(name, known)
            raise SpecInvalid(
                f"the toolkit `{family}` has no tool `{name}`; "
                + (f"did you mean `{near[0]}`?" if near else "it has " + ", ".join(f"`{tool}`" for tool in known))
            )
    return [tool for tool in tools if tool.name not in disabled and (enabled is None or tool.name in enabled)]
