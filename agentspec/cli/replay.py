"""replay: `agentspec replay`: derive a run from its journal again and compare, decision by decision."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import click

from agentspec.api.kept import replay
from agentspec.errors import ReplayDiverged
from agentspec.text.visible import visible

HELP = """Derive a run from its journal again and compare, decision by decision.

Needs no network and runs no tool.

\b
examples:
  agentspec replay 20260131-101500-1f0c9a2b
"""


@click.command("replay", help=HELP)
@click.argument("run")
@click.option("--store", metavar="FOLDER", help="Where the run is kept.")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def command(run: str, store: str | None, *, as_json: bool) -> int:
    """Fold the journal and compare; 1 at the first difference."""
    found: dict[str, Any] = {"identical": True, "steps": None, "first_difference": None}
    try:
        found["steps"] = asyncio.run(replay(run, store=store)).steps
    except ReplayDiverged as diverged:
        found |= {"identical": False, "first_difference": str(diverged)}
    if as_json:
        print(json.dumps(found))
    elif found["identical"]:
        print(f"identical: {found['steps']} steps lead to the same decisions")
    else:
        print(visible(f"different: {found['first_difference']}"))
    return 0 if found["identical"] else 1
