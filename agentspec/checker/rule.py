"""rule: one kind of finding: its code, its severity, its page and, where the checker finds it itself, how.

A rule only reads. It has no state, raises nothing for an author's mistake, and takes a `Broken` part for unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path, dotted
from agentspec.text.diagnostic import Diagnostic, Fix, Related, Severity
from agentspec.text.source import Span


class Rule:
    """The base of every rule. The class docstring is the manual page that `agentspec explain CODE` prints.

    The page begins with one sentence, then `Why:`, `Bad:` and `Good:` with a fenced example each (complete specs; the
    bad one gives exactly this code, the good one gives nothing), then `Fix:`. What readers, shape and composition
    find has a page without `look`.
    """

    code: ClassVar[str]
    title: ClassVar[str]
    severity: ClassVar[Severity]

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        """The findings of this rule in one composed document."""
        del subject
        return iter(())

    def finding(
        self,
        span: Span,
        message: str,
        *,
        path: Path = (),
        help: str | None = None,  # noqa: A002 - the name of the field that it fills
        fix: Fix | None = None,
        related: tuple[Related, ...] = (),
    ) -> Diagnostic:
        """A finding with this rule's code and severity."""
        return Diagnostic(self.code, self.severity, message, span, dotted(path), help, fix, related)
