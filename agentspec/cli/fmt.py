"""fmt: `agentspec fmt`: bring specs into their one form, in place."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from agentspec.checker.walk import find_specs
from agentspec.cli.commands import EXIT_FINDINGS, EXIT_OK, EXIT_USAGE
from agentspec.cli.rewriting import read_input, show_unreadable
from agentspec.cli.terminal.say import complain, print_text
from agentspec.errors import AgentSpecError, SpecInvalid
from agentspec.syntax.absent import no_such_file
from agentspec.syntax.format import format_text
from agentspec.syntax.limits import MAX_BYTES
from agentspec.syntax.plain_file import read_plain
from agentspec.syntax.read import parse_bytes
from agentspec.syntax.replace import replace_file

HELP = """Bring specs into canonical form, in place. Comments stay with their entries; what a spec means stays as it is.

Folders are walked as by `check`. A file that can't be read whole is left alone. `-` formats standard input to
standard output. Exit code 0: done; 1: with --check, something would change; 2: a file could not be formatted.

\b
examples:
  agentspec fmt triage.agent
  agentspec fmt --check specs/
  agentspec fmt --diff triage.yaml
"""


class Change(NamedTuple):
    """A file that is not in its form: as it is, and as it would be."""

    path: Path
    before: bytes
    after: str

    def diff(self) -> str:
        """The difference, as `diff -u` shows it."""
        old = self.before.decode("utf-8-sig").splitlines(keepends=True)
        new = self.after.splitlines(keepends=True)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in self._lines(old, new))

    def _lines(self, old: list[str], new: list[str]) -> Iterator[str]:
        return difflib.unified_diff(old, new, str(self.path), f"{self.path} (formatted)")


@click.command("fmt", help=HELP)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--check", "is_check", is_flag=True, help="Write nothing; exit with 1 where something would change.")
@click.option("--diff", "is_diff", is_flag=True, help="Write nothing; print what would change.")
def command(paths: tuple[str, ...], *, is_check: bool, is_diff: bool) -> int:
    """Format the files of the paths; their names go to stdout."""
    if paths == ("-",):
        return _format_input(is_check=is_check)
    found = find_specs([Path(path) for path in paths])
    for missing in found.missing:
        complain(no_such_file(missing))
    if not found.files and not found.missing:
        complain("no spec found", "specs are `*.agent`, or YAML and JSON with `name:` and a section at the top")
    failed = bool(found.missing) or not found.files
    changed = False
    for file in found.files:
        try:
            change = _change(file)
            if change is not None and not (is_check or is_diff):
                replace_file(file, change.before, change.after.encode())
        except AgentSpecError as failure:
            show_unreadable(failure)
            failed = True
            continue
        if change is not None:
            changed = True
            shown = change.diff() if is_diff else f"{file}\n"
            print_text(shown.removesuffix("\n") or f"{file}: a byte-order mark goes")
    return EXIT_USAGE if failed else EXIT_FINDINGS if changed and is_check else EXIT_OK


def _change(file: Path) -> Change | None:
    before = read_plain(file, MAX_BYTES + 1)
    after = format_text(parse_bytes(str(file), before))
    return Change(file, before, after) if after.encode() != before else None


def _format_input(*, is_check: bool) -> int:
    parsed = read_input()
    try:
        after = format_text(parsed)
    except SpecInvalid as failure:
        show_unreadable(failure)
        return EXIT_USAGE
    if is_check:
        return EXIT_FINDINGS if after != parsed.source.text else EXIT_OK
    sys.stdout.write(after)
    return EXIT_OK
