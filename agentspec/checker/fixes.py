"""fixes: apply ready changes to the text of files. Only the text of the edits changes; comments and layout stay.

Whole fixes are taken or left: two that overlap are never mixed, the later one waits for the next round.
"""

from __future__ import annotations

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
    taken: list[Edit] = []
    for diagnostic in diagnostics:
        fix = diagnostic.fix
        if fix is None or fix.fix_class not in allowed or not fix.edits:
            continue
        if all(edit.span.source.name in files for edit in fix.edits) and not _overlaps(fix.edits, taken):
            chosen.append(fix)
            taken.extend(fix.edits)
    return chosen


def _overlaps(edits: Iterable[Edit], taken: list[Edit]) -> bool:
    return any(_meet(one, other) for one in edits for other in taken)


def _meet(one: Edit, other: Edit) -> bool:
    left, right = one.span, other.span
    if left.source.name != right.source.name:
        return False
    # Two insertions at one place have no order of their own; touching replacements do.
    if left.start == right.start:
        return True
    return left.start < right.end and right.start < left.end


def apply(text: str, name: str, fixes: Iterable[Fix]) -> str:
    """The text of one file after the edits of the fixes that concern it."""
    edits = [edit for fix in fixes for edit in fix.edits if edit.span.source.name == name]
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text
