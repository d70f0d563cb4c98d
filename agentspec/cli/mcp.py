"""mcp: `agentspec mcp`: look at the MCP servers of a spec, and accept what they offer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import Any

import click

from agentspec.cli.terminal.say import complain, print_json
from agentspec.text.visible import one_line

WORDS = {"new": "not accepted yet", "gone": "accepted, and not offered any more", "changed": "changed since accepted"}


@click.group("mcp")
def command() -> None:
    """Look at the MCP servers of a spec, and accept what they offer.

    \b
    examples:
      agentspec mcp list triage.agent
      agentspec mcp accept triage.agent tickets
    """


def _spec_and_servers(function: Any) -> Any:
    servers = click.argument("servers", nargs=-1, metavar="[SERVER]...")
    return click.argument("spec")(servers(function))


@command.command("list")
@_spec_and_servers
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def list_(spec: str, servers: tuple[str, ...], *, as_json: bool) -> int:
    """Start or reach the servers of SPEC and list their tools, and how they differ from what was accepted."""
    looks = _look(spec, servers, accept=False)
    if as_json:
        print_json([_as_json(look) for look in looks])
        return 0
    for look in looks:
        for line in _lines(look):
            print(one_line(line))
    return 0


@command.command("accept")
@_spec_and_servers
def accept(spec: str, servers: tuple[str, ...]) -> int:
    """Accept the tools of the servers of SPEC as they are now: a pinned server may offer these and no others."""
    for look in _look(spec, servers, accept=True):
        print(one_line(f"{look.server}: {len(look.changes)} changes accepted"))
        for change in look.changes:
            print(one_line(f"  {change.tool}: {change.kind}"))
    return 0


@command.command("conformance", hidden=True)
@click.argument("url")
def conformance(url: str) -> int:
    """Play one scenario of the protocol's conformance suite against its server."""
    from agentspec.adapters.mcp.conformance import conform  # noqa: PLC0415 - only here is it needed

    return 0 if asyncio.run(conform(url, os.environ, complain)) else 1


def _look(spec: str, servers: tuple[str, ...], *, accept: bool) -> list[Any]:
    from agentspec.api.mcp import look_at_servers  # noqa: PLC0415 - loads what runs need

    return asyncio.run(look_at_servers(spec, servers, accept=accept, on_notice=complain))


def _lines(look: Any) -> Iterator[str]:
    pinned = ", pinned" if look.is_pinned else ""
    yield f"{look.server}: {len(look.catalogue.tools)} tools{pinned}"
    for tool in look.catalogue.tools:
        yield f"  {tool.name} ({tool.effect}) {tool.description.partition(chr(10))[0][:100]}".rstrip()
    yield from (f"  {note}" for note in look.catalogue.notes)
    if look.is_pinned:
        yield from _changes(look)


def _changes(look: Any) -> Iterator[str]:
    for change in look.changes:
        yield f"  {change.tool}: {WORDS[change.kind]}"
        for key, before, now in change.parts:
            yield f"    {key}: {before}"
            yield f"    {' ' * len(key)}→ {now}"


def _as_json(look: Any) -> dict[str, Any]:
    return {
        "server": look.server,
        "pinned": look.is_pinned,
        "tools": [
            {"name": tool.name, "tool": tool.tool, "effect": tool.effect, "description": tool.description}
            for tool in look.catalogue.tools
        ],
        "notes": list(look.catalogue.notes),
        "changes": [{"tool": change.tool, "kind": change.kind, "parts": change.parts} for change in look.changes],
    }
