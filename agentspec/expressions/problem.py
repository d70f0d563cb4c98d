"""problem: what is wrong with an expression or a template, in our words, with offsets into its text."""

from __future__ import annotations

from typing import NamedTuple

from agentspec.text.diagnostic import FixClass, Severity


class Problem(NamedTuple):
    """One finding. `start` and `end` are code points of the text; the end is exclusive.

    `edits` are `(start, end, text)` changes of the same text that mend it, with `fix_title` and `fix_class`.
    """

    start: int
    end: int
    code: str
    severity: Severity
    message: str
    help: str | None = None
    edits: tuple[tuple[int, int, str], ...] = ()
    fix_title: str = ""
    fix_class: FixClass = "local"

    @property
    def fix_text(self) -> str | None:
        """The text that replaces the span where the fix is that simple, else None."""
        if len(self.edits) == 1 and self.edits[0][:2] == (self.start, self.end):
            return self.edits[0][2]
        return None
