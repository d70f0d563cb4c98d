"""check: `agentspec check`: find what is wrong in specs, before a run."""

from __future__ import annotations

import click

from agentspec.checker.fixes import ALLOWED, NEVER
from agentspec.cli.checking import FORMATS, Request, is_code, perform, read_codes
from agentspec.cli.usage import Usage

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
@click.option("--no-cache", "is_uncached", is_flag=True, help="Check every file anew, and keep nothing.")
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
    is_uncached: bool,
) -> int:
    """Check the paths, print the report, and say by the exit code how it went."""
    request = Request(
        paths,
        form,
        _codes(select),
        _codes(ignore),
        is_strict=strict,
        shows_consequences=shows_consequences,
        is_uncached=is_uncached,
    )
    if fix in NEVER:
        raise Usage(f"fixes of the class `{fix}` are never applied by `--fix`", "change them by hand")
    return perform(request, fix)


def _codes(values: tuple[str, ...]) -> tuple[str, ...]:
    for code in (codes := read_codes(values)):
        if not is_code(code):
            way_out = "codes are `AS512`, prefixes `AS5`; `agentspec explain --list` shows them"
            raise Usage(f"`{code}` is no code", way_out)
    return codes
