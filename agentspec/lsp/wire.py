"""wire: our answers in the words of the protocol. Nothing is decided here."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from lsprotocol.types import (
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    Location,
)
from pygls.uris import from_fs_path

from agentspec.lsp.positions import Places
from agentspec.resources import resource
from agentspec.text import diagnostic as ours
from agentspec.text.source import Source, Span

SEVERITIES: dict[ours.Severity, DiagnosticSeverity] = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "note": DiagnosticSeverity.Information,
}
NAME = "agentspec"


def file_of(source: Source) -> str:
    """The real path of a source; one that comes with agentspec is where this installation has it."""
    path = os.path.realpath(source.name)
    parts = Path(source.name).parts
    is_ours = parts[:1] == ("stdlib",) and not os.path.exists(path)  # noqa: PTH110 - a place as text
    return str(resource(*parts)) if is_ours else path


class Wire:
    """Puts answers into the protocol's words. `uri_of` is how the client calls an open file."""

    def __init__(self, places: Places, uri_of: Callable[[str], str | None]) -> None:
        self._places = places
        self._uri_of = uri_of

    def uri(self, source: Source) -> str:
        """The address of a source, as the client writes it where it has it open."""
        path = file_of(source)
        return self._uri_of(path) or from_fs_path(path) or ""

    def location(self, span: Span) -> Location:
        """Where a span stands, in whatever file."""
        return Location(self.uri(span.source), self._places.range_of(span))

    def diagnostic(self, one: ours.Diagnostic) -> Diagnostic:
        """A finding, with its page and the places that belong to it."""
        return Diagnostic(
            range=self._places.range_of(one.span),
            message=f"{one.message}\n{one.help}" if one.help else one.message,
            severity=SEVERITIES[one.severity],
            code=one.code,
            code_description=CodeDescription(page_of(one.code)),
            source=NAME,
            related_information=[
                DiagnosticRelatedInformation(self.location(other.span), other.message) for other in one.related
            ]
            or None,
        )


def page_of(code: str) -> str:
    """The address of the page of a code: it comes with agentspec, and is read without a network."""
    return resource("docs", "codes", f"{code}.md").as_uri()
