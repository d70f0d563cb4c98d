"""mend: apply fixes to files until nothing more can be fixed, and never leave a file worse than it was.

Every round is tried in memory first; files are written once, at the end, each in one step.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from agentspec.checker.check import DEFAULTS, Options, check_paths
from agentspec.checker.fixes import apply, choose
from agentspec.checker.report import Report
from agentspec.compose.files import Files
from agentspec.errors import NotAllowed
from agentspec.syntax.read import BOM
from agentspec.syntax.replace import replace_file
from agentspec.text.diagnostic import SAFE_CLASSES, Fix, FixClass

ROUNDS = 20  # each applied fix takes a finding away; more rounds than this mean that two fixes undo each other
TRIALS = 100  # checks in all; a fix that helps nothing costs a few of them


class Mended(NamedTuple):
    """What is left after fixing, how many fixes were applied, and the names of the files that changed."""

    report: Report
    applied: int
    changed: tuple[str, ...]


def mend_paths(paths: Sequence[Path], allowed: frozenset[FixClass], options: Options = DEFAULTS) -> Mended:
    """Check, fix what the classes allow, check again until stable; then write what changed."""
    mender = Mender(paths, options, check_paths(paths, options))
    mender.mend(allowed)
    changed = tuple(sorted(name for name in mender.originals if _key(name) in mender.drafts))
    for name in changed:
        write(Path(name), mender.originals[name], mender.drafts[_key(name)])
    return Mended(mender.report, mender.applied, changed)


def count_mends(paths: Sequence[Path], options: Options, report: Report) -> int:
    """How many fixes `--fix` would apply to what a check reported; nothing is written.

    They are tried, since only then it is known that a fix leaves a file better than it was; of many files only those
    are checked again that have something to mend.
    """
    fixes = [one.fix for one in report.diagnostics if one.fix is not None and one.fix.is_safe]
    if not fixes:
        return 0
    concerned = {edit.span.source.name for fix in fixes for edit in fix.edits}
    places = [Path(name) for name in report.checked if name in concerned]
    if len(places) < len(report.checked):
        paths, report = places, check_paths(places, options)
    mender = Mender(paths, options, report)
    mender.mend(SAFE_CLASSES)
    return mender.applied


class Mender:
    """Files on their way to fewer findings. `drafts` are their new texts by real path, `originals` the old by name."""

    def __init__(self, paths: Sequence[Path], options: Options, report: Report) -> None:
        self.report = report
        self.applied = 0
        self.drafts: dict[str, str] = {}
        self.originals: dict[str, str] = {}
        self._paths = paths
        self._options = options
        self._trials = TRIALS

    def mend(self, allowed: frozenset[FixClass]) -> None:
        """Apply fixes in rounds, until a round has none that helps."""
        for _ in range(ROUNDS):
            before = self.report
            fixes = choose(before.diagnostics, allowed, {str(path) for path in before.checked})
            kept = self._kept(dict(self.drafts), [], fixes)
            if not kept:
                return
            _remember(kept, self.originals)
            self.applied += len(kept)

    def _kept(self, drafts: dict[str, str], kept: list[Fix], more: list[Fix]) -> list[Fix]:
        """Those fixes of a round that help: all of them, else what helps of either half on top of what was kept."""
        if not more or self._trials == 0:
            return kept
        self._trials -= 1
        tried = {**drafts, **_edited([*kept, *more])}
        after = check_paths(self._paths, self._options, Files(tried))
        if _is_better(after, self.report):
            self.drafts, self.report = tried, after
            return [*kept, *more]
        half = len(more) // 2
        return self._kept(drafts, self._kept(drafts, kept, more[:half]), more[half:]) if half else kept


def _is_better(after: Report, before: Report) -> bool:
    """Fewer errors, else fewer warnings, else fewer findings, and in no case less of the text that is read."""
    return _unreadable(after) <= _unreadable(before) and _badness(after) < _badness(before)


def _unreadable(report: Report) -> int:
    return sum(one.severity == "error" and one.code.startswith("AS0") for one in report.diagnostics)


def _badness(report: Report) -> tuple[int, int, int]:
    return report.count("error"), report.count("warning"), len(report.diagnostics) + report.hidden


def _edited(fixes: list[Fix]) -> dict[str, str]:
    sources = {edit.span.source.name: edit.span.source for fix in fixes for edit in fix.edits}
    return {_key(name): apply(source.text, name, fixes) for name, source in sources.items()}


def _remember(fixes: list[Fix], originals: dict[str, str]) -> None:
    for fix in fixes:
        for edit in fix.edits:
            originals.setdefault(edit.span.source.name, edit.span.source.text)


def _key(name: str) -> str:
    return os.path.realpath(name)


def write(path: Path, before: str, after: str) -> None:
    """Replace a file's text in one step, keeping its byte-order mark and its mode.

    Raises `NotAllowed` where the file is not what was checked, or cannot be written: nothing is lost then.
    """
    try:
        mark = BOM if path.read_bytes().startswith(BOM) else b""
    except OSError as error:
        raise NotAllowed(f"`{path}` cannot be written: {(error.strerror or str(error)).lower()}") from error
    replace_file(path, mark + before.encode(), mark + after.encode())
