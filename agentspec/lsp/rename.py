"""rename: give a name another one, everywhere that it is meant, and refuse what would break a spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from agentspec.errors import NotAllowed
from agentspec.lsp.references import Declaration, declaration_at, references
from agentspec.lsp.sheet import Part, Sheet
from agentspec.text.diagnostic import Diagnostic, Edit


def renamable(part: Part, offset: int) -> Declaration:
    """The name at an offset. Raises `NotAllowed`, with the reason, where it is none or not the author's own."""
    found = declaration_at(part, offset)
    if found is None:
        raise NotAllowed("nothing here has a name that can be changed")
    if not found.has_name:
        raise NotAllowed(f"`{found.span.text}` is not named by a spec; it comes with `{found.target.text}`")
    return found


def rename(sheets: Iterable[Sheet], found: Declaration, new: str) -> list[Edit]:
    """Every change that gives what is declared another name, in all files that mean it."""
    edits = [Edit(found.target, new)]
    edits += [Edit(use.word, new) for use in references(sheets, found.target) if use.word is not None]
    return edits


def require_sound(before: Iterable[Diagnostic], after: Iterable[Diagnostic], new: str) -> None:
    """Raise `NotAllowed` where a new name makes more errors of a kind than there were: a clash, or no name at all."""
    left = Counter(one.code for one in before if one.severity == "error")
    for one in after:
        if one.severity == "error":
            left[one.code] -= 1
            if left[one.code] < 0:
                raise NotAllowed(f"`{new}` cannot be the name: {one.message}")
