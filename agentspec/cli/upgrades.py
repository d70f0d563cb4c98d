"""upgrades: what `agentspec lib upgrade` tells: each library, each spec that changes by it, and what refuses it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agentspec.api.libraries.changed import Upgraded
from agentspec.api.libraries.upgrade import UpgradeReport
from agentspec.checker.formats.json import as_value
from agentspec.checker.report import file_name
from agentspec.cli.preset import change_lines
from agentspec.cli.terminal.say import has_colour
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.render import render
from agentspec.text.visible import one_line

WEIGHTS = {
    "none": "the same",
    "patch": "says the same",
    "minor": "says something else",
    "major": "may break specs",
    "power": "lets specs do more",
}


def upgrade_values(report: UpgradeReport) -> dict[str, Any]:
    """The report as plain values."""
    return {
        "libraries": [change_value(each) for each in report.libraries],
        "specs": report.specs,
        "wider": report.is_wider,
        "broken": report.is_broken,
        "files": list(report.files),
        "done": report.is_done,
        "diagnostics": [as_value(from_here(one)) for one in report.findings],
    }


def change_value(each: Upgraded) -> dict[str, Any]:
    """What is different in a library as plain values; `due` is the number that it should have, where it is another."""
    return {
        "name": each.name,
        "before": each.before,
        "after": each.after,
        "weight": None if each.change is None else each.change.weight,
        "due": each.due,
        "reasons": [] if each.change is None else [reason._asdict() for reason in each.change.reasons],
    }


def upgrade_lines(report: UpgradeReport, *, is_accepted: bool) -> Iterator[str]:
    """The report for people."""
    yield from finding_lines(report.findings)
    for each in report.libraries:
        yield from map(one_line, _library(each))
    for spec in report.specs if report.libraries else ():
        is_changed = spec["changes"] or spec["problems"] or spec["authority"]["wider"]
        yield one_line(f"{spec['spec']}:" if is_changed else f"{spec['spec']}: nothing changes")
        yield from map(one_line, change_lines(spec))
        yield from (one_line(f"  error: {problem}") for problem in spec["problems"])
    yield _end(report, is_accepted=is_accepted)


def _library(each: Upgraded) -> Iterator[str]:
    is_same = each.before == each.after
    versions = each.after if each.before is None or is_same else f"{each.before} → {each.after}"
    versions += " is another one than was locked" if is_same else ""
    if each.change is None:
        words = (
            "new"
            if each.before is None
            else "nobody can tell what changes: what it was is not kept here (`agentspec lib lock` keeps it)"
        )
        yield f"{each.name} {versions}: {words}"
        return
    yield f"{each.name} {versions}: {WEIGHTS[each.change.weight]}"
    yield from due_lines(each)
    yield from (f"  {reason.weight}: {reason.export} {reason.words}" for reason in each.change.reasons)


def due_lines(each: Upgraded) -> Iterator[str]:
    """What is to be said to whoever published a version whose number promises more than it keeps."""
    if each.due is not None:
        yield f"  {each.after} may break specs of {each.before}: its number should be {each.due}"


def _end(report: UpgradeReport, *, is_accepted: bool) -> str:
    if not report.libraries and not report.findings:
        return "every library is of its newest version"
    if any(one.severity == "error" for one in report.findings):
        return "not taken: see what is told above"
    if report.is_broken:
        return "not taken: a spec would no longer check"
    if report.is_wider and not is_accepted:
        return "not taken: a spec may do more then; `--accept-wider` takes it"
    return "taken" if report.is_done else "nothing is written"


def finding_lines(found: Iterable[Diagnostic]) -> Iterator[str]:
    for one in found:
        yield render(from_here(one), colour=has_colour()) + "\n"


def from_here(found: Diagnostic) -> Diagnostic:
    """The finding with its files named as from the working directory."""
    for span in (found.span, *(each.span for each in found.related)):
        span.source.name = file_name(span.source.name)
    return found
