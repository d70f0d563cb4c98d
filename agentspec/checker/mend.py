"""mend: apply fixes to files until nothing more can be fixed, and never leave a file worse than it was.

Every round is tried in memory first; files are written once, at the end, each in one step.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from agentspec.checker.check import DEFAULTS, Options, check_paths
from agentspec.checker.fixes import apply, choose
from agentspec.checker.report import Report
from agentspec.compose.files import Files
from agentspec.errors import NotAllowed
from agentspec.syntax.read import BOM, parse_bytes
from agentspec.syntax.tree import Parsed
from agentspec.text.diagnostic import Fix, FixClass

ROUNDS = 20  # each applied fix takes a finding away; more rounds than this mean that two fixes undo each other


class Mended(NamedTuple):
    """What is left after fixing, how many fixes were applied, and the names of the files that changed."""

    report: Report
    applied: int
    changed: tuple[str, ...]


class Drafts(Files):
    """Files as they are on disk, but for those whose new text is not yet written. Keys are real paths."""

    def __init__(self, texts: dict[str, str]) -> None:
        super().__init__()
        self.texts = texts

    def read(self, path: str) -> Parsed:
        """The file, or its draft."""
        draft = self.texts.get(os.path.realpath(path))
        if draft is None:
            return super().read(path)
        return parse_bytes(path, draft.encode())


def mend_paths(paths: Sequence[Path], allowed: frozenset[FixClass], options: Options = DEFAULTS) -> Mended:
    """Check, fix what the classes allow, check again until stable; then write what changed."""
    drafts: dict[str, str] = {}
    originals: dict[str, str] = {}
    report = check_paths(paths, options)
    applied = 0
    for _ in range(ROUNDS):
        names = {str(path) for path in report.checked}
        fixes = choose(report.diagnostics, allowed, names)
        if not fixes:
            break
        _remember(fixes, originals)
        step = _try(paths, options, drafts, fixes, report) or _one_by_one(paths, options, drafts, fixes, report)
        if step is None:
            break
        drafts, report, count = step
        applied += count
    changed = tuple(sorted(name for name in originals if _key(name) in drafts))
    for name in changed:
        write(Path(name), originals[name], drafts[_key(name)])
    return Mended(report, applied, changed)


_Step = tuple[dict[str, str], Report, int]


def _try(
    paths: Sequence[Path], options: Options, drafts: dict[str, str], fixes: list[Fix], before: Report
) -> _Step | None:
    tried = {**drafts, **_edited(fixes)}
    after = check_paths(paths, options, Drafts(tried))
    return (tried, after, len(fixes)) if _badness(after) < _badness(before) else None


def _one_by_one(
    paths: Sequence[Path], options: Options, drafts: dict[str, str], fixes: list[Fix], before: Report
) -> _Step | None:
    """The first fix of a round that helps by itself, where all together did not."""
    steps = (_try(paths, options, drafts, [fix], before) for fix in fixes) if len(fixes) > 1 else ()
    return next((step for step in steps if step is not None), None)


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
    target = Path(_key(str(path)))
    try:
        content = target.read_bytes()
        mark = BOM if content.startswith(BOM) else b""
        if content.removeprefix(BOM) != before.encode():
            raise NotAllowed(f"`{path}` changed while it was being fixed; nothing was written to it")
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as draft:
            draft.write(mark + after.encode())
        Path(name).chmod(target.stat().st_mode)
        Path(name).replace(target)
    except OSError as error:
        raise NotAllowed(f"`{path}` cannot be written: {(error.strerror or str(error)).lower()}") from error
