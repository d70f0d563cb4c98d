"""answers: one method for each question that the protocol knows, asked of the desk and told by the wire.

Each is called by the worker. What cannot be done is an error with its reason, which an editor shows.
"""

from __future__ import annotations

from typing import NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from agentspec.checker.conceal import concealed
from agentspec.checker.fixes import choose
from agentspec.errors import AgentSpecError, NotAllowed
from agentspec.lsp.completion.offers import heads_at, offers_at
from agentspec.lsp.desk import Desk
from agentspec.lsp.hover import hover
from agentspec.lsp.places import file_of, place_of
from agentspec.lsp.references import Declaration, declaration_at, definitions
from agentspec.lsp.rename import renamable
from agentspec.lsp.sheet import Part
from agentspec.lsp.symbols import symbols
from agentspec.lsp.wire import Wire
from agentspec.syntax.format import format_text
from agentspec.text.diagnostic import SAFE_CLASSES, Diagnostic
from agentspec.text.source import Source, Span

REQUEST_FAILED = -32803  # LSP 3.17, `LSPErrorCodes.RequestFailed`


class Place(NamedTuple):
    """A document of an open file, and an offset in it."""

    part: Part
    offset: int


class Answers:
    """Answers about open files, each by its real path."""

    def __init__(self, desk: Desk, wire: Wire) -> None:
        self._desk = desk
        self._wire = wire

    def findings(self, path: str) -> dict[str, list[types.Diagnostic]]:
        """What `check` says of a file, by the address of where it stands; the file's own comes first."""
        told: dict[str, list[types.Diagnostic]] = {self._wire.uri(Source(path, "")): []}
        for one in self._found(path):
            told.setdefault(self._wire.uri(one.span.source), []).append(self._wire.diagnostic(one))
        return told

    def completion(self, path: str, position: types.Position) -> types.CompletionList:
        """What could be written."""
        source = Source(path, self._desk.texts.get(path, ""))
        offset = self._wire.positions.offset(source, position)
        cursor = self._desk.cursor(path, offset) if path in self._desk.ours else None
        offers = offers_at(cursor) if cursor is not None else heads_at(path, source.text, offset)
        items = [self._wire.item(offer, source, number) for number, offer in enumerate(offers)]
        return types.CompletionList(is_incomplete=False, items=items)

    def hover(self, path: str, position: types.Position) -> types.Hover | None:
        """What is known of a word."""
        place = self._place(path, position)
        found = hover(*place) if place is not None else None
        return self._wire.hover(found) if found is not None else None

    def definition(self, path: str, position: types.Position) -> list[types.Location]:
        """Where a word comes from."""
        place = self._place(path, position)
        return [self._wire.location(span) for span in definitions(*place)] if place is not None else []

    def references(self, path: str, position: types.Position, *, with_declaration: bool) -> list[types.Location]:
        """Every word that means the same."""
        place = self._place(path, position)
        found = declaration_at(*place) if place is not None else None
        if found is None:
            return []
        spans = [use.word or use.span for use in self._desk.references(found)]
        if with_declaration:
            spans.insert(0, found.target)
        return [self._wire.location(span) for span in {place_of(span): span for span in spans}.values()]

    def prepare_rename(self, path: str, position: types.Position) -> types.PrepareRenamePlaceholder:
        """The word that a rename would change."""
        found = self._renamable(path, position)
        return types.PrepareRenamePlaceholder(self._wire.positions.range_of(found.span), found.span.text)

    def rename(self, path: str, position: types.Position, name: str) -> types.WorkspaceEdit:
        """Another name, everywhere."""
        found = self._renamable(path, position)
        try:
            return self._wire.edit(self._desk.renamed(found, name))
        except AgentSpecError as refusal:
            raise _failed(refusal) from refusal

    def formatting(self, path: str) -> list[types.TextEdit]:
        """The one form of a file, as `fmt` writes it."""
        if path not in self._desk.ours:
            return []
        parsed = self._desk.sheet(path).parsed
        try:
            text = format_text(parsed)
        except AgentSpecError as refusal:
            raise _failed(refusal) from refusal
        before = parsed.source.text
        whole = Span(parsed.source, 0, len(before))
        return [] if text == before else [types.TextEdit(self._wire.positions.range_of(whole), text)]

    def code_actions(self, path: str, params: types.CodeActionParams) -> list[types.CodeAction]:
        """The fixes of the findings in a range, and all safe ones of the file."""
        found = [one for one in self._found(path) if file_of(one.span.source) == path]
        wanted = params.context.only or ["quickfix", "source"]
        here = [one for one in found if _meet(self._wire.positions.range_of(one.span), params.range)]
        actions = [self._wire.quick_fix(one, one.fix) for one in here if one.fix is not None]
        safe = choose(found, SAFE_CLASSES, {one.span.source.name for one in found})
        if safe:
            actions.append(self._wire.fix_all(safe))
        return [one for one in actions if any(_is_kind(one, kind) for kind in wanted)]

    def symbols(self, path: str) -> list[types.DocumentSymbol]:
        """The outline of a file."""
        found = symbols(self._desk.sheet(path).parsed) if path in self._desk.ours else []
        return [self._wire.symbol(one) for one in found]

    def _found(self, path: str) -> list[Diagnostic]:
        """What `check` says of a file, without secrets; nothing where it is none of ours, or gone."""
        if path not in self._desk.ours:
            return []
        try:
            report = self._desk.report(path)
        except AgentSpecError:
            return []
        return concealed(report.diagnostics, report.secrets)

    def _place(self, path: str, position: types.Position) -> Place | None:
        if path not in self._desk.ours:
            return None
        sheet = self._desk.sheet(path)
        offset = self._wire.positions.offset(sheet.source, position)
        part = sheet.part_at(offset)
        return None if part is None else Place(part, offset)

    def _renamable(self, path: str, position: types.Position) -> Declaration:
        place = self._place(path, position)
        try:
            if place is None:
                raise NotAllowed("this is no spec")
            return renamable(*place)
        except NotAllowed as refusal:
            raise _failed(refusal) from refusal


def _failed(refusal: AgentSpecError) -> JsonRpcException:
    return JsonRpcException(str(refusal), REQUEST_FAILED)


def _is_kind(action: types.CodeAction, kind: types.CodeActionKind | str) -> bool:
    """Whether an action is of a kind, or of one below it: `source` has `source.fixAll` in it."""
    own, wanted = (str(getattr(each, "value", each)) for each in (action.kind, kind))
    return own == wanted or own.startswith(f"{wanted}.")


def _meet(one: types.Range, other: types.Range) -> bool:
    return one.start <= other.end and other.start <= one.end
