"""plan: `agentspec plan`: what a run would be, and what it can use at most. No network, and nothing is run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from agentspec.api.forecast import forecast
from agentspec.cli.show import spec_options
from agentspec.cli.terminal.say import print_json
from agentspec.text.visible import visible

HELP = """Tell what a run would be: its prompts, tools, rights and secrets, and what it can use at most.

Nothing is run and nobody is asked; a key need not be there.

\b
examples:
  agentspec plan triage.agent "look at the newest issue"
  agentspec plan specs.agent#triage --input branch=main --format json
"""

WORST = {
    "turns": ("turns", "execution.max_iterations"),
    "provider_calls": ("model calls", "execution.limits.provider_calls"),
    "tool_calls": ("tool calls", "execution.limits.tool_calls"),
    "tokens": ("tokens", "execution.limits.tokens"),
    "cost_usd": ("dollars", "execution.limits.cost_usd"),
    "seconds": ("seconds", "execution.limits.wall_clock"),
}


@click.command("plan", help=HELP)
@click.argument("spec")
@click.argument("task", required=False)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print it.")
@spec_options
def command(spec: str, task: str | None, form: str, **given: Any) -> int:
    """Print the plan; 2 where the spec does not check."""
    planned = forecast(spec, task, **given)
    if form == "json":
        print_json(planned)
        return 0
    for line in _text(planned):
        print(visible(line))
    return 0


def _model(model: dict[str, Any]) -> str:
    return f"{model['provider'] or 'no provider'} with {model['model'] or 'no model'}"


def _when(route: dict[str, Any]) -> str:
    """When another model answers than the default: by its rule, or only where one has failed."""
    return f", when {route['when']}" if route["when"] else ""


def _context(context: dict[str, Any]) -> str:
    """How much of the window is taken in every request, and from where on a conversation is made shorter."""
    window, threshold = context["window"] or "an unknown window", context["threshold"]
    told = f"context: every request has about {context['fixed_tokens']} tokens of {window}"
    if context["strategy"] == "none":
        return f"{told}; no compaction"
    begins = f"from {threshold} on" if threshold else "where one is refused"
    return f"{told}; compaction (`{context['strategy']}`) {begins}"


def _beside(planned: dict[str, Any]) -> Iterator[str]:
    """Who is asked for comparison, and whether answers are kept."""
    shadow = planned["shadow"]
    if shadow:
        share = "every turn" if shadow["sample"] == 1 else f"{100 * shadow['sample']:g} % of the turns"
        yield f"  beside it {_model(shadow)}, for comparison (`model.shadow`, {share})"
    if planned["cache"] != "off":
        kept = "and new ones are kept" if planned["cache"] == "read_write" else "and none is kept"
        yield f"  answers to the same requests come from those that are kept, {kept} (`model.cache`)"


def _text(planned: dict[str, Any]) -> Iterator[str]:
    yield f"{planned['spec']['name']}: {_model(planned['model'])}"
    yield from (f"  or {_model(route)} (`{route['label']}`{_when(route)})" for route in planned["routes"])
    yield from _beside(planned)
    for role, text in planned["prompts"].items():
        yield f"{role}:"
        yield from (f"  {line}" for line in (text or "(none)").splitlines())
    yield _context(planned["context"])
    yield "tools:"
    yield from (f"  {tool['name']} ({tool['kind']}, {tool['effect']})" for tool in planned["tools"])
    rights = planned["rights"]
    for name in ("effects", "roots", "hosts"):
        yield f"{name}: {', '.join(rights[name]) or 'none'}"
    yield "commands:" if rights["commands"] else "commands: none"
    yield from (f"  {json.dumps(argv, ensure_ascii=False)}" for argv in rights["commands"])
    secrets = (f"{one['name']} ({'set' if one['is_set'] else 'not set'})" for one in planned["secrets"])
    yield f"secrets: {', '.join(secrets) or 'none'}"
    for name in ("judges", "children"):
        yield f"{name}: {', '.join(planned[name]) or 'none'}"
    yield "at most:"
    for name, (words, place) in WORST.items():
        most = planned["worst_case"][name]
        yield f"  {words}: not bounded (`{place}` would)" if most is None else f"  {words}: {most:.15g}"
    yield from (f"note: {note}" for note in planned["notes"])
