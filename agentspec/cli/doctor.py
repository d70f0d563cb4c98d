"""doctor: `agentspec doctor`: what is configured, what reaches, what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from agentspec.api.doctor import Check, Examined, examine
from agentspec.cli.commands import EXIT_FINDINGS, EXIT_OK
from agentspec.cli.terminal.say import print_json
from agentspec.text.visible import visible

HELP = """Say what is configured, what reaches and what is missing: providers, the sandbox, extras, settings, the store.

No key is shown, nothing is changed, and nothing is asked for that costs money. Exit code 1 where something is wrong.

\b
examples:
  agentspec doctor
  agentspec doctor --offline --format json
"""

MARKS = {"ok": "ok", "note": "--", "problem": "!!"}


@click.command("doctor", help=HELP)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print it.")
@click.option("--offline", "is_offline", is_flag=True, help="Ask no server.")
@click.option(
    "--store", metavar="FOLDER", help="The folder that keeps the runs, instead of the project's `.agentspec`."
)
def command(form: str, store: str | None, *, is_offline: bool) -> int:
    """Print what was found; 1 where something is wrong."""
    examined = examine(Path.cwd(), store=store, is_offline=is_offline)
    if form == "json":
        print_json(examined.as_json())
    else:
        for line in _text(examined):
            print(visible(line))
    return EXIT_OK if examined.is_well else EXIT_FINDINGS


def _text(examined: Examined) -> Iterator[str]:
    area = ""
    for check in examined.checks:
        if check.area != area:
            area = check.area
            yield area
        yield from _lines(check)
    wrong = sum(check.verdict == "problem" for check in examined.checks)
    yield "all is well" if not wrong else f"{wrong} to mend"


def _lines(check: Check) -> Iterator[str]:
    yield f"  {MARKS[check.verdict]} {check.name}: {check.message}"
    if check.help:
        yield f"       {check.help}"
