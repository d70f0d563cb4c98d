"""convert: `agentspec convert`: a spec in the other spelling, comments kept."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from agentspec.cli.commands import EXIT_OK, EXIT_USAGE
from agentspec.cli.rewriting import read_input, show_unreadable
from agentspec.cli.terminal.say import complain
from agentspec.cli.usage import Usage
from agentspec.errors import AgentSpecError
from agentspec.syntax.format import Form, convert
from agentspec.syntax.format.rewrite import SUFFIXES, has_comments
from agentspec.syntax.read import YAML_SUFFIXES, read_file
from agentspec.syntax.replace import replace_file

HELP = """Print a spec in another spelling: the DSL, YAML or JSON. Comments stay with their entries.

What it means does not change. JSON has no comments: that they are left out is said on stderr. `-` reads standard input.

\b
examples:
  agentspec convert triage.yaml --to dsl
  agentspec convert triage.agent --to yaml -o triage.yaml
"""


@click.command("convert", help=HELP)
@click.argument("file")
@click.option("--to", type=click.Choice(["dsl", "yaml", "json"]), required=True, help="The spelling to write.")
@click.option("-o", "--output", metavar="FILE", help="Write to this file instead of standard output.")
def command(file: str, to: Form, output: str | None) -> int:
    """Print or write the spec in the other spelling; 2 where it has none."""
    if output is not None:
        _require_suffix(output, to)
    try:
        parsed = read_input() if file == "-" else read_file(file)
        text = convert(parsed, to, drops_comments=to == "json")
        if output is not None:
            replace_file(Path(output), None, text.encode())
    except AgentSpecError as failure:
        show_unreadable(failure)
        return EXIT_USAGE
    if output is None:
        sys.stdout.write(text)
    if to == "json" and has_comments(parsed):
        complain("JSON has no comments; those of the file are left out")
    return EXIT_OK


def _require_suffix(output: str, to: Form) -> None:
    suffix = Path(output).suffix.lower()
    allowed = {"dsl": (".agent",), "json": (".json",), "yaml": tuple(sorted(YAML_SUFFIXES - {".json"}))}[to]
    if suffix not in allowed:
        raise Usage(f"`{output}` would not be read as what is written to it", f"name it `*{SUFFIXES[to]}`")
