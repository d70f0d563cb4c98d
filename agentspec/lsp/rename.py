"""rename: give a name another one, everywhere that it is meant, and refuse what would break a spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence as Items
from pathlib import Path

from agentspec.checker.report import file_name
from agentspec.compose.libraries.find import FOLDERS
from agentspec.errors import NotAllowed
from agentspec.lsp.places import Placed, place_of
from agentspec.lsp.references import Declaration, declaration_at, references
from agentspec.lsp.sheet import Part, Sheet
from agentspec.lsp.uses.use import declared_name, name_span
from agentspec.text.diagnostic import Diagnostic, Edit
from agentspec.text.source import Span

LOCKED = ("AS108", "AS443", "AS444")  # not what was locked, and what is tried with it: after a change it is locked anew


def renamable(part: Part, offset: int) -> Declaration:
    """The name at an offset. Raises `NotAllowed`, with the reason, where it is none or not the author's own."""
    found = declaration_at(part, offset)
    if found is None:
        raise NotAllowed("nothing here has a name that can be changed")
    if not found.has_name:
        brings = found.target.text or file_name(found.target.source.name)
        raise NotAllowed(f"`{found.span.text}` is not named by a spec; it comes with `{brings}`")
    return found


def rename(sheets: Items[Sheet], found: Declaration, new: str) -> list[Edit]:
    """Every change that gives what is declared another name, in all files that mean it.

    Raises `NotAllowed` for a document that a library finds by the name of its file.
    """
    target = place_of(found.target)
    documents = [declared_name(part.composed.document) for sheet in sheets for part in sheet.parts]
    is_document = any(node is not None and place_of(name_span(node)) == target for node in documents)
    path, name = Path(target[0]), found.target.text
    if is_document and path.stem == name and path.parent.name in FOLDERS:
        raise NotAllowed(f"`{name}` is the name of its file, too: a library finds it by that")
    spans = [found.target, *(use.word for use in references(sheets, target) if use.word is not None)]
    return [Edit(span, new) for span in {place_of(span): span for span in spans}.values()]


def require_sound(before: Iterable[Diagnostic], after: Iterable[Diagnostic], new: str) -> None:
    """Raise `NotAllowed` where a new name makes more errors of a kind than there were: a clash, or no name at all."""
    known = [one for one in before if one.severity == "error"]
    left, places = Counter(one.code for one in known), {shown_place(one.span) for one in known}
    for one in sorted(after, key=lambda one: shown_place(one.span) not in places):  # the one to tell of is a new one
        if one.severity == "error" and one.code not in LOCKED:
            left[one.code] -= 1
            if left[one.code] < 0:
                raise NotAllowed(f"`{new}` cannot be the name: {one.message} ({shown_place(one.span)})")


def require_untaken(before: Items[Sheet], after: Items[Sheet], found: Declaration, edits: Items[Edit]) -> None:
    """Raise `NotAllowed` where other words mean what is declared after its edits than did before."""
    spans = [edit.span for edit in edits]
    spans += [use.word or use.span for use in references(before, place_of(found.target))]
    expected = {_moved(place_of(span), edits): span for span in spans}
    target = _moved(place_of(found.target), edits)
    meant = {place_of(span): span for span in (use.word or use.span for use in references(after, target))}
    meant[target] = found.target
    for place in sorted(expected.keys() ^ meant.keys())[:1]:
        where = shown_place({**expected, **meant}[place])
        raise NotAllowed(f"`{edits[0].text}` cannot be the name: it means something else ({where})")


def shown_place(span: Span) -> str:
    """Where a span stands, for people: its file and line."""
    return f"{file_name(span.source.name)}:{span.first.line}"


def _moved(place: Placed, edits: Items[Edit]) -> Placed:
    """Where a place is after some edits."""
    path, start, end = place
    edited = [(place_of(edit.span), len(edit.text)) for edit in edits]
    grown = [(at[2], length - (at[2] - at[1])) for at, length in edited if at[0] == path]
    before, inside = (sum(more for until, more in grown if until <= offset) for offset in (start, end))
    return path, start + before, end + inside
