"""checking: what `agentspec check` does, and its plain command lines read without click.

Importing click costs as much time as a third of a whole check. A command line that needs more than this reads (help,
fixes, a mistake to explain) goes through click as every other command does; both end here.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from agentspec.checker.check import Options, check_paths
from agentspec.checker.outcome import Keeper
from agentspec.checker.report import Report
from agentspec.cli.terminal.say import complain, has_colour
from agentspec.text.paths import is_folder
from agentspec.text.visible import one_line

FORMATS = ("text", "json", "sarif", "github")
SWITCHES = {"--strict": "is_strict", "--all": "shows_consequences", "--no-cache": "is_uncached"}
FEW_COLLECTIONS = (
    100_000  # trees live as long as their check: looking for what none of them leaves takes a quarter of it
)
VALUES = {"--format": "form", "--select": "select", "--ignore": "ignore"}


class Request(NamedTuple):
    """One check as it was asked for."""

    paths: tuple[str, ...]
    form: str = "text"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    is_strict: bool = False
    shows_consequences: bool = False
    is_uncached: bool = False


def read_plain(words: Sequence[str]) -> Request | None:
    """The request of a command line without anything that has to be explained, else None."""
    paths: list[str] = []
    given: dict[str, list[str]] = {"form": [], "select": [], "ignore": []}
    switches: dict[str, bool] = {}
    rest = iter(words)
    for word in rest:
        name, has_value, value = word.partition("=")
        if not word.startswith("-"):
            paths.append(word)
        elif word in SWITCHES:
            switches[SWITCHES[word]] = True
        elif name in VALUES:
            given[VALUES[name]].append(value if has_value else next(rest, ""))
        else:
            return None
    if not paths or any("" in values for values in given.values()):
        return None
    select, ignore = read_codes(given["select"]), read_codes(given["ignore"])
    form = (given["form"] or ["text"])[-1]
    is_plain = form in FORMATS and all(map(is_code, (*select, *ignore)))
    return Request(tuple(paths), form, select, ignore, **switches) if is_plain else None


def read_codes(values: Sequence[str]) -> tuple[str, ...]:
    """Codes and prefixes with commas between."""
    return tuple(code.strip() for value in values for code in value.split(",") if code.strip())


def is_code(code: str) -> bool:
    """Whether it is a code, or the beginning of one."""
    return code == "AS" or (code.startswith("AS") and code[2:].isdigit() and len(code) <= 5)


def perform(request: Request, fix: str | None = None) -> int:
    """Check the paths, print the report, and say by the exit code how it went."""
    gc.set_threshold(FEW_COLLECTIONS)
    options = Options(request.select, request.ignore, request.shows_consequences)
    places = [Path(path) for path in request.paths]
    report = _checked(request, places, options) if fix is None else _mended(fix, places, options)
    if request.is_strict:
        report = report._replace(is_strict=True)
    if report.files or request.form != "text":
        print(_rendered(report, request.form), end="")
    for sentence in report.missing:
        complain(sentence)
    if not report.missing and not report.files:
        from agentspec.checker.formats.text import skipped  # noqa: PLC0415 - the text form, in this one case

        way_out = "specs are `*.agent`, or YAML and JSON with `name:` and a section at the top; name a file to check it"
        complain(f"no spec found{skipped(report)}", way_out)
    return report.exit_code()


def _checked(request: Request, paths: list[Path], options: Options) -> Report:
    report = check_paths(paths, options, cache=None if request.is_uncached else _cache(paths))
    if request.form != "text" or all(one.fix is None for one in report.diagnostics):
        return report
    from agentspec.checker.mend import count_mends  # noqa: PLC0415 - only where something may be mended

    return report._replace(mends=count_mends(paths, options, report))


def _cache(paths: list[Path]) -> Keeper | None:
    """What is kept of earlier checks; one file is checked sooner than a cache is read."""
    if len(paths) == 1 and not is_folder(paths[0]):
        return None
    from agentspec.checker.cache import cache_for  # noqa: PLC0415 - only where it may be worth while

    return cache_for(paths)


def _mended(name: str, paths: list[Path], options: Options) -> Report:
    from agentspec.checker.fixes import ALLOWED  # noqa: PLC0415 - only `--fix` needs them
    from agentspec.checker.mend import mend_paths  # noqa: PLC0415

    mended = mend_paths(paths, ALLOWED[name], options)
    if mended.applied:
        many = "es" if mended.applied > 1 else ""
        print(f"{mended.applied} fix{many} applied in {one_line(', '.join(mended.changed))}", file=sys.stderr)
    return mended.report


def _rendered(report: Report, form: str) -> str:
    module = import_module(f"agentspec.checker.formats.{form}")
    if form == "text":
        return str(module.render(report, colour=has_colour()))
    return str(module.render(report))
