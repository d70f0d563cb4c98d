"""diagnostic: what is wrong with a text, where, and the way out. Values, collected; never raised."""

from __future__ import annotations

from typing import Literal, NamedTuple

from agentspec.text.secrets import hide
from agentspec.text.source import Span

Severity = Literal["error", "warning", "note"]
FixClass = Literal["format", "equivalent", "local", "surface", "authority", "manual"]

FIX_CLASSES: tuple[FixClass, ...] = ("format", "equivalent", "local", "surface", "authority", "manual")
SAFE_CLASSES: frozenset[FixClass] = frozenset(("format", "equivalent", "local"))


class Edit(NamedTuple):
    """Replace the text of `span` by `text`."""

    span: Span
    text: str


class Fix(NamedTuple):
    """A ready change of the text; its class says how far it reaches."""

    title: str
    edits: tuple[Edit, ...]
    fix_class: FixClass = "local"

    @property
    def is_safe(self) -> bool:
        return self.fix_class in SAFE_CLASSES


class Related(NamedTuple):
    """Another place that belongs to a finding, and why."""

    span: Span
    message: str


class Diagnostic(NamedTuple):
    """One finding. `path` is the dotted path in the document (`execution.limits.tokens`), `""` for the whole.

    >>> from agentspec import load
    >>> found = load("examples/first-look/first-look.yaml", sets=["execution.max_nudgs=3"]).diagnostics
    >>> [(one.code, one.severity, one.help) for one in found]
    [('AS102', 'error', 'did you mean `max_nudges`?')]
    """

    code: str
    severity: Severity
    message: str
    span: Span
    path: str = ""
    help: str | None = None
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    caused_by: str | None = None  # the code and path of the finding that this one only follows from

    def __str__(self) -> str:
        """One line: the place, the severity with the code, the message; a secret in it is not shown."""
        first = self.span.first
        return (
            f"{self.span.source.name}:{first.line}:{first.column}: {self.severity}[{self.code}]: {hide(self.message)}"
        )


def sort_key(diagnostic: Diagnostic) -> tuple[str, int, int, str]:
    """By file, then position, then code: the order in which findings are printed."""
    span = diagnostic.span
    return (span.source.name, span.start, span.end, diagnostic.code)
