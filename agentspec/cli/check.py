"""check: `agentspec check`: find what is wrong in specs, before a run."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

from agentspec.checker.check import Options, check_paths
from agentspec.checker.fixes import ALLOWED, NEVER
from agentspec.checker.report import Report
from agentspec.cli.arguments import Arguments, Command, Option, Usage
from agentspec.cli.main import complain

COMMAND = Command(
    name="check",
    summary="Find what is wrong in specs, presets, libraries and scenarios, before a run.",
    words="PATH...",
    least=1,
    options=(
        Option("--format", "how to print the findings", "FORMAT", ("text", "json", "sarif", "github"), "text"),
        Option("--strict", "warnings count as errors for the exit code"),
        Option("--fix", "apply safe fixes, or all fixes up to a class", "CLASS", (*ALLOWED, *NEVER), bare="safe"),
        Option("--all", "show findings that only follow from others, too"),
        Option("--select", "only these codes or prefixes, with commas between", "CODES", is_repeatable=True),
        Option("--ignore", "leave these codes or prefixes out", "CODES", is_repeatable=True),
    ),
    examples=(
        "agentspec check triage.agent",
        "agentspec check --fix specs/",
        "agentspec check --format json --select AS5,AS601 .",
    ),
    details="""\
Folders are walked. Exit code 0: no error (with --strict, no warning); 1: findings; 2: something could not be checked.
A finding is silenced on its line by `# agentspec: ignore[CODE]`; `agentspec explain CODE` tells more about it.""",
)


def execute(arguments: Arguments) -> int:
    """Check the paths, print the report, and say by the exit code how it went."""
    options = Options(
        select=_codes(arguments, "select"),
        ignore=_codes(arguments, "ignore"),
        shows_consequences=arguments.has("all"),
    )
    paths = [Path(word) for word in arguments.words]
    report = _mended(arguments, paths, options) if arguments.has("fix") else check_paths(paths, options)
    if arguments.has("strict"):
        report = report._replace(is_strict=True)
    form = arguments.one("format") or "text"
    if report.files or form != "text":
        print(_rendered(report, form), end="")
    for sentence in report.missing:
        complain(sentence)
    if not report.missing and not report.files:
        complain("no spec found", "specs are `*.agent`, or YAML and JSON with `name:` and a section at the top")
    return report.exit_code()


def _mended(arguments: Arguments, paths: list[Path], options: Options) -> Report:
    name = arguments.one("fix") or "safe"
    if name in NEVER:
        raise Usage(f"fixes of the class `{name}` are never applied by `--fix`", "change them by hand")
    from agentspec.checker.mend import mend_paths  # noqa: PLC0415 - a check that fixes nothing needs no temporary files

    mended = mend_paths(paths, ALLOWED[name], options)
    if mended.applied:
        many = "es" if mended.applied > 1 else ""
        print(f"{mended.applied} fix{many} applied in {', '.join(mended.changed)}", file=sys.stderr)
    return mended.report


def _codes(arguments: Arguments, name: str) -> tuple[str, ...]:
    codes = [code.strip() for value in arguments.all(name) for code in value.split(",") if code.strip()]
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
