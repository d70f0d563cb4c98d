"""schema: `agentspec schema`: the JSON Schema of the spec format, for editors."""

from __future__ import annotations

import json

from agentspec.cli.arguments import Arguments, Command
from agentspec.spec.schema import load

COMMAND = Command(
    name="schema",
    summary="Print the JSON Schema (2020-12) of the spec format.",
    most=0,
    examples=("agentspec schema > agentspec.schema.json",),
    details="""\
An editor that knows YAML takes it from the first line of a spec:
`# yaml-language-server: $schema=agentspec.schema.json`.""",
)


def execute(arguments: Arguments) -> int:
    """Print it."""
    del arguments
    print(json.dumps(load(), ensure_ascii=False, indent=1))
    return 0
