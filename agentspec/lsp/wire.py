"""wire: our answers in the words of the protocol. Nothing is decided here.

Source: Language Server Protocol 3.17.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lsprotocol import types
from pygls.uris import from_fs_path

from agentspec.lsp.completion.offer import Offer, OfferKind
from agentspec.lsp.hover import Hover
from agentspec.lsp.places import file_of
from agentspec.lsp.positions import Positions
from agentspec.lsp.symbols import Symbol, SymbolKind
from agentspec.resources import resource
from agentspec.text.diagnostic import Diagnostic, Edit, Fix, Severity
from agentspec.text.source import Source, Span

NAME = "agentspec"
SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
OFFERED: dict[OfferKind, types.CompletionItemKind] = {
    "key": types.CompletionItemKind.Property,
    "word": types.CompletionItemKind.EnumMember,
    "tool": types.CompletionItemKind.Function,
    "name": types.CompletionItemKind.Reference,
    "field": types.CompletionItemKind.Field,
    "function": types.CompletionItemKind.Function,
}
OUTLINED: dict[SymbolKind, types.SymbolKind] = {
    "document": types.SymbolKind.Class,
    "mapping": types.SymbolKind.Object,
    "list": types.SymbolKind.Array,
    "value": types.SymbolKind.Property,
}
FIX_ALL = "source.fixAll.agentspec"


class Wire:
    """Puts answers into the protocol's words. `uri_of` is how the client calls an open file."""

    def __init__(
        self, positions: Positions, uri_of: Callable[[str], str | None], *, takes_snippets: bool = False
    ) -> None:
        self.positions = positions
        self._uri_of = uri_of
        self._takes_snippets = takes_snippets

    def uri(self, source: Source) -> str:
        """The address of a source, as the client writes it where it has it open."""
        path = file_of(source)
        return self._uri_of(path) or from_fs_path(path) or ""

    def location(self, span: Span) -> types.Location:
        """Where a span stands, in whatever file."""
        return types.Location(self.uri(span.source), self.positions.range_of(span))

    def diagnostic(self, one: Diagnostic) -> types.Diagnostic:
        """A finding, with its page and the places that belong to it."""
        related = [types.DiagnosticRelatedInformation(self.location(each.span), each.message) for each in one.related]
        return types.Diagnostic(
            range=self.positions.range_of(one.span),
            message=f"{one.message}\n{one.help}" if one.help else one.message,
            severity=SEVERITIES[one.severity],
            code=one.code,
            code_description=types.CodeDescription(page_of(one.code)),
            source=NAME,
            related_information=related or None,
        )

    def edit(self, edits: Iterable[Edit]) -> types.WorkspaceEdit:
        """Changes of texts, in whatever files."""
        changes: dict[str, list[types.TextEdit]] = {}
        for one in edits:
            text = types.TextEdit(self.positions.range_of(one.span), one.text)
            changes.setdefault(self.uri(one.span.source), []).append(text)
        return types.WorkspaceEdit(changes)

    def quick_fix(self, one: Diagnostic, fix: Fix) -> types.CodeAction:
        """The fix of a finding."""
        return types.CodeAction(
            fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[self.diagnostic(one)],
            is_preferred=fix.is_safe,
            edit=self.edit(fix.edits),
        )

    def fix_all(self, fixes: Iterable[Fix]) -> types.CodeAction:
        """All fixes that are safe, at once."""
        edits = [edit for fix in fixes for edit in fix.edits]
        return types.CodeAction("Apply all safe fixes", kind=FIX_ALL, edit=self.edit(edits))

    def hover(self, found: Hover) -> types.Hover:
        """What is known of a word."""
        text = types.MarkupContent(types.MarkupKind.Markdown, found.text)
        return types.Hover(text, self.positions.range_of(found.span))

    def item(self, offer: Offer, source: Source, number: int) -> types.CompletionItem:
        """Something that could be written; `number` keeps the order that it was offered in."""
        place = self.positions.range_of(Span(source, offer.start, offer.end))
        is_snippet = self._takes_snippets and "$0" in offer.text
        text = offer.text if is_snippet else offer.text.replace("$0", "")
        return types.CompletionItem(
            offer.label,
            kind=OFFERED[offer.kind],
            detail=offer.detail or None,
            documentation=types.MarkupContent(types.MarkupKind.Markdown, offer.about) if offer.about else None,
            sort_text=f"{offer.rank}{number:05}",
            filter_text=offer.label,
            insert_text_format=types.InsertTextFormat.Snippet if is_snippet else types.InsertTextFormat.PlainText,
            insert_text_mode=types.InsertTextMode.AsIs,
            text_edit=types.TextEdit(place, text),
        )

    def symbol(self, one: Symbol) -> types.DocumentSymbol:
        """A part of an outline."""
        return types.DocumentSymbol(
            one.name,
            OUTLINED[one.kind],
            self.positions.range_of(one.span),
            self.positions.range_of(one.name_span),
            detail=one.detail or None,
            children=[self.symbol(each) for each in one.children] or None,
        )


def page_of(code: str) -> str:
    """The address of the page of a code: it comes with agentspec, and is read without a network."""
    return resource("docs", "codes", f"{code}.md").as_uri()
