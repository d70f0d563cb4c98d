"""check: `agentspec check`: find what is wrong in specs, before a run."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

import click

from agentspec.checker.check import Options, check_paths
from agentspec.checker.fixes import ALLOWED, NEVER
from agentspec.checker.report import Report
from agentspec.cli.usage import Usage, complain

FORMATS = ("text", "json", "sarif", "github")
HELP = """Find what is wrong in specs, presets, libraries and scenarios, before a run.

Folders are walked. Exit code 0: no error (with --strict, no warning); 1: findings; 2: something could not be checked.
A finding is silenced on its line by `# agentspec: ignore[CODE]`; `agentspec explain CODE` tells more about it.

\b
examples:
  agentspec check triage.agent
  agentspec check --fix specs/
  agentspec check --format json --select AS5,AS601 .
"""


class Check(click.Command):
    """`--fix` alone takes no value: what follows it is a path."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["--fix=safe" if arg == "--fix" else arg for arg in args])


@click.command("check", cls=Check, help=HELP)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="How to print the findings."
)
@click.option("--strict", is_flag=True, help="Warnings count as errors for the exit code.")
@click.option("--fix", type=click.Choice([*ALLOWED, *NEVER]), help="Apply safe fixes, or all fixes up to a class.")
@click.option("--all", "shows_consequences", is_flag=True, help="Show findings that only follow from others, too.")
@click.option("--select", multiple=True, metavar="CODES", help="Only these codes or prefixes, with commas between.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Leave these codes or prefixes out.")
def command(
    paths: tuple[str, ...],
    form: str,
    fix: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    *,
    strict: bool,
    shows_consequences: bool,
) -> int:
    """Check the paths, print the report, and say by the exit code how it went."""
    options = Options(select=_codes(select), ignore=_codes(ignore), shows_consequences=shows_consequences)
    places = [Path(path) for path in paths]
    report = check_paths(places, options) if fix is None else _mended(fix, places, options)
    if strict:
        report = report._replace(is_strict=True)
    if report.files or form != "text":
        print(_rendered(report, form), end="")
    for sentence in report.missing:
        complain(sentence)
    if not report.missing and not report.files:
        complain("no spec found", "specs are `*.agent`, or YAML and JSON with `name:` and a section at the top")
    return report.exit_code()


def _mended(name: str, paths: list[Path], options: Options) -> Report:
    if name in NEVER:
        raise Usage(f"fixes of the class `{name}` are never applied by `--fix`", "change them by hand")
    from agentspec.checker.mend import mend_paths  # noqa: PLC0415 - only `--fix` needs it

    mended = mend_paths(paths, ALLOWED[name], options)
    if mended.applied:
        many = "es" if mended.applied > 1 else ""
        print(f"{mended.applied} fix{many} applied in {', '.join(mended.changed)}", file=sys.stderr)
    return mended.report


def _codes(values: tuple[str, ...]) -> tuple[str, ...]:
    codes = [code.strip() for value in values for code in value.split(",") if code.strip()]
    for code in codes:
        if not (code.startswith("AS") and (code[2:].isdigit() or code == "AS") and len(code) <= 5):
            raise Usage(
                f"`{code}` is no code", "codes are `AS512`, prefixes `AS5`; `agentspec explain --list` shows them"
            )
    return tuple(codes)


def _rendered(report: Report, form: str) -> str:
    module = import_module(f"agentspec.checker.formats.{form}")
    if form == "text":
        return str(module.render(report, colour=has_colour()))
    return str(module.render(report))


def has_colour() -> bool:
    """Whether standard output is a terminal that wants colours (see no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
