"""init: `agentspec init`: start a project that checks and runs. Writes nothing over what is there."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from agentspec.cli.terminal.say import complain
from agentspec.errors import NotAllowed
from agentspec.resources import resource
from agentspec.text.paths import is_file, is_there
from agentspec.text.visible import one_line

SPECS = (".agent", ".yaml")

HELP = """Start a project that checks and runs.

Files that are there already are never written over.

\b
examples:
  agentspec init
  agentspec init my-agents
"""


@click.command("init", help=HELP)
@click.argument("folder", metavar="[DIR]", default=".")
def command(folder: str) -> int:
    """Copy the template; 2 where a spec is in the way. Settings that are there already stay as they are."""
    target = Path(folder)
    if is_file(target):
        raise NotAllowed(f"`{target}` is a file; name the folder to start the project in")
    template = resource("stdlib", "templates")
    files = [path.relative_to(template) for path in sorted(template.rglob("*")) if path.is_file()]
    specs = [file for file in files if file.suffix in SPECS]
    taken = [file for file in files if is_there(target / file)]
    if any(file in specs for file in taken):
        listed = ", ".join(f"`{target / file}`" for file in taken)
        complain(f"{listed} {'is' if len(taken) == 1 else 'are'} there already", "choose another folder")
        return 2
    for file in files:
        if file in taken:
            complain(f"`{target / file}` is there already and stays as it is", _missing(template / file, target / file))
        else:
            _copy(template / file, target / file)
            print(one_line(str(target / file)))
    for spec in specs[:1]:
        name = shlex.quote(str(target / spec))
        print(f"\nNow: agentspec check {name}\n     agentspec run {name}")
    return 0


def _missing(source: Path, there: Path) -> str | None:
    """What a list of ignored files lacks: without it, the runs of the project would be committed."""
    if there.name != ".gitignore":
        return None
    known = there.read_text(encoding="utf-8", errors="replace").splitlines()
    lacks = [line for line in source.read_text(encoding="utf-8").splitlines() if line and line not in known]
    return f"add {', '.join(f'`{line}`' for line in lacks)} to it: runs are kept there" if lacks else None


def _copy(source: Path, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:  # `x`: somebody else may have made it since we looked
            file.write(source.read_bytes())
        target.chmod(source.stat().st_mode & 0o777)
    except OSError as error:
        raise NotAllowed(f"`{target}` cannot be written: {(error.strerror or str(error)).lower()}") from error
