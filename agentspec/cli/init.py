"""init: `agentspec init`: start a project that checks and runs. Writes nothing over what is there."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from agentspec.cli.usage import complain
from agentspec.errors import NotAllowed
from agentspec.resources import resource

HELP = """Start a project that checks and runs.

Files that are there already are never written over: then nothing is written at all.

\b
examples:
  agentspec init
  agentspec init my-agents
"""


@click.command("init", help=HELP)
@click.argument("folder", metavar="[DIR]", default=".")
def command(folder: str) -> int:
    """Copy the template; 2 where something is in the way."""
    target = Path(folder)
    template = resource("stdlib", "templates")
    files = sorted(path for path in template.rglob("*") if path.is_file())
    taken = [path for path in files if (target / path.relative_to(template)).exists()]
    if taken:
        listed = ", ".join(f"`{target / path.relative_to(template)}`" for path in taken)
        complain(f"{listed} {'is' if len(taken) == 1 else 'are'} there already", "choose another folder")
        return 2
    for path in files:
        _copy(path, target / path.relative_to(template))
        print(target / path.relative_to(template))
    first = next((path for path in files if path.suffix in (".agent", ".yaml")), None)
    if first is not None:
        spec = shlex.quote(str(target / first.relative_to(template)))
        print(f"\nNow: agentspec check {spec}\n     agentspec run {spec}")
    return 0


def _copy(source: Path, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:  # `x`: somebody else may have made it since we looked
            file.write(source.read_bytes())
        target.chmod(source.stat().st_mode & 0o777)
    except OSError as error:
        raise NotAllowed(f"`{target}` cannot be written: {(error.strerror or str(error)).lower()}") from error
