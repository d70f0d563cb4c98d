"""link: a checked spec becomes a plan. Pure: the tools are handed in, nothing is opened or asked here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from agentspec.checker.tool_names import KINDS
from agentspec.compose.provider_tools import ProviderTool, obstacle, provider_tools, withheld
from agentspec.core.formats.contract import held_schema
from agentspec.core.formats.sentinel import sentinel_of
from agentspec.core.limits.price import prices_of
from agentspec.core.offer.search import search_of
from agentspec.core.orders import Effect
from agentspec.core.plan import Plan, TimeBound, spare_of
from agentspec.core.policy import name_of_kind
from agentspec.core.schema.components import with_components
from agentspec.core.schema.shorthand import lower_parameters
from agentspec.core.tools import ToolPlan
from agentspec.policies import discover
from agentspec.spec.routes import labels_of, providers_of
from agentspec.spec.settings import Settings

# The effect of a tool by its kind, where its author claims none; and what a crash may repeat of it.
EFFECTS: dict[str, Effect] = {
    "expr": "none",
    "run": "process",
    "http": "network",
    "python": "write",
    "mcp": "write",
    "external": "write",
    "agent": "write",
}
SAFE_METHODS = ("GET", "HEAD")


def link(
    settings: Settings,
    tools: Iterable[ToolPlan],
    *,
    name: str,
    spec_hash: str,
    policies: Collection[str] | None = None,
) -> Plan:
    """The plan of one run. `tools` are all that the model may call, in the order in which it sees them.

    `policies` names those that may take part; a journal of an earlier version knows none of the later ones.
    """
    retries, backoff = settings.whole("execution.tool_retries") or 0, settings.seconds("execution.tool_backoff")
    if retries:
        again = {"retries": retries, "backoff": 1.0 if backoff is None else backoff}
        tools = [replace(tool, **again) if tool.repeat != "once" else tool for tool in tools]
    named = {tool.name: tool for tool in tools}
    known = None if policies is None else frozenset(policies)
    asked = [policy for policy in discover() if known is None or name_of_kind(policy) in known]
    made = [each for policy in asked for each in policy.configure_all(settings, named)]
    sentinel = sentinel_of(settings, has_tools=bool(named))
    search = search_of(settings, named)
    return Plan(
        name=name,
        spec_hash=spec_hash,
        tools=named,
        policies=tuple(made),
        loop_until_done=settings.flag("execution.loop_until_done"),
        max_concurrent_tools=settings.whole("execution.max_concurrent_tools") or 1,
        time_bounds=tuple(_time_bounds(settings)),
        prices=prices_of(settings),
        labels=labels_of(settings.get("model")),
        required_tools=tuple(_required_tools(settings)),
        sentinel=sentinel,
        answer_schema=held_schema(settings, has_tools=bool(named), sentinel=sentinel),
        search=search if search is not None and search.is_native else None,
        provider_tools=tuple(_provider_tools(settings)),
    )


def _time_bounds(settings: Settings) -> Iterator[TimeBound]:
    wraps_up = settings.get("execution.wrap_up") is not False
    for limit in ("wall_clock", "working_time"):
        seconds = settings.seconds(f"execution.limits.{limit}")
        if seconds is not None:
            spare = spare_of(seconds) if wraps_up else 0.0
            yield TimeBound(limit=limit, seconds=seconds, spare=spare, is_working_time=limit == "working_time")


def _required_tools(settings: Settings) -> Iterator[tuple[str, ...]]:
    for item in settings.get("execution.require_successful_tools") or ():
        yield (item,) if isinstance(item, str) else tuple(item)


def _provider_tools(settings: Settings) -> Iterator[ProviderTool]:
    """The tools that the provider is offered: those that nothing keeps from the run, and that it has."""
    capability, providers = settings.get("capability") or {}, providers_of(settings.get("model"))
    for tool in provider_tools(capability.get("provider_tools")):
        if withheld(tool, capability) is None and obstacle(tool, providers) is None:
            yield tool


def tool_plan(name: str, tool: Mapping[str, Any], settings: Settings) -> ToolPlan:
    """The plan of a tool that a spec defines itself (`capability.tools`)."""
    kind = kind_of(tool)
    is_safe = kind == "http" and tool["http"].get("method", "GET") in SAFE_METHODS
    timeout = Settings(tool).seconds("timeout") or settings.seconds("execution.tool_timeout") or 120.0
    return ToolPlan(
        name=name,
        description=str(tool.get("description", "")),
        parameters=with_components(lower_parameters(tool.get("parameters")), settings.get("capability.components")),
        effect=tool.get("effect", "read" if is_safe else EFFECTS[kind]),
        kind=kind,
        repeat="read" if kind == "expr" or is_safe else "idempotent" if tool.get("idempotent") is True else "once",
        timeout=timeout,
        is_concurrent=tool.get("concurrent") is True,
        work=tool.get("kind") or "",
        is_deferred=tool.get("defer") is True,
        namespace=tool.get("namespace") or "",
    )


def kind_of(tool: Mapping[str, Any]) -> str:
    """Which of the kinds a tool definition is (`expr`, `run`, …)."""
    return next(kind for kind in KINDS if kind in tool)
