"""dsl_report: collect what is wrong with the text of one DSL file.

All of its findings are errors, at most one a line that follows from the grammar; see `dsl_recovery`.
"""

from __future__ import annotations

from agentspec.text.diagnostic import Diagnostic, Edit, Fix, FixClass, Related
from agentspec.text.source import Source, Span


class Report:
    """The findings of one pass over a source."""

    __slots__ = ("diagnostics", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []

    def add(
        self,
        code: str,
        start: int,
        end: int,
        message: str,
        *,
        help: str | None = None,  # noqa: A002 - the name of the field that it fills
        fix: Fix | None = None,
        related: tuple[Related, ...] = (),
    ) -> None:
        """Collect an error about the text from `start` to `end`."""
        span = Span(self.source, start, end)
        self.diagnostics.append(Diagnostic(code, "error", message, span, help=help, fix=fix, related=related))

    def replace(self, title: str, start: int, end: int, text: str, fix_class: FixClass = "local") -> Fix:
        """A fix that writes `text` in place of what stands from `start` to `end`."""
        return Fix(title, (Edit(Span(self.source, start, end), text),), fix_class)
