"""schema: `agentspec schema`: the JSON Schema of the spec format, for editors."""

from __future__ import annotations

import json

import click

from agentspec.spec.editors import schema_for_editors

HELP = """Print the JSON Schema (2020-12) of the spec format.

An editor that knows YAML takes it from the first line of a spec:
`# yaml-language-server: $schema=agentspec.schema.json`.

\b
examples:
  agentspec schema > agentspec.schema.json
"""


@click.command("schema", help=HELP)
def command() -> int:
    """Print it."""
    print(json.dumps(schema_for_editors(), ensure_ascii=False, indent=1))
    return 0
