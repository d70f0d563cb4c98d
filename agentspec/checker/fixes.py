"""fixes: apply ready changes to the text of files. Only the text of the edits changes; comments and layout stay.

Whole fixes are taken or left: two that overlap are never mixed, the later one waits for the next round.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable

from agentspec.text.diagnostic import FIX_CLASSES, SAFE_CLASSES, Diagnostic, Edit, Fix, FixClass

# The classes that `--fix=CLASS` may name, and what each lets through. Authority is never changed by a machine.
NEVER: tuple[FixClass, ...] = ("authority", "manual")
ALLOWED: dict[str, frozenset[FixClass]] = {
    name: frozenset(FIX_CLASSES[: FIX_CLASSES.index(name) + 1]) for name in FIX_CLASSES if name not in NEVER
}
ALLOWED["safe"] = SAFE_CLASSES


def choose(diagnostics: Iterable[Diagnostic], allowed: frozenset[FixClass], files: set[str]) -> list[Fix]:
    """The fixes to apply in one round: allowed ones, in the given files only, none overlapping another.

    The order of the findings decides between two that overlap.
    """
    chosen: list[Fix] = []
    taken: dict[str, list[tuple[int, int]]] = {}
    for diagnostic in diagnostics:
        fix = diagnostic.fix
        if fix is None or fix.fix_class not in allowed or not fix.edits:
            continue
        if all(edit.span.source.name in files and not _overlaps(edit, taken) for edit in fix.edits):
            chosen.append(fix)
            for edit in fix.edits:
                insort(taken.setdefault(edit.span.source.name, []), (edit.span.start, edit.span.end))
    return chosen


def _overlaps(edit: Edit, taken: dict[str, list[tuple[int, int]]]) -> bool:
    """Whether an edit meets one that is taken. Those are in order and meet none of each other: two are looked at."""
    others = taken.get(edit.span.source.name, [])
    start, end = edit.span.start, edit.span.end
    at = bisect_right(others, start, key=lambda other: other[0])
    # Two insertions at one place have no order of their own; touching replacements do.
    meets_one_before = at > 0 and (others[at - 1][0] == start or others[at - 1][1] > start)
    return meets_one_before or (at < len(others) and others[at][0] < end)


def apply(text: str, name: str, fixes: Iterable[Fix]) -> str:
    """The text of one file after the edits of the fixes that concern it."""
    edits = [edit for fix in fixes for edit in fix.edits if edit.span.source.name == name]
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        pieces += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*pieces, text[at:]])
