"""placing: where a finding is shown that lies in a built-in preset, a profile or a library: at the author's own part.

Nobody can mend a file that comes with agentspec, or one that is locked, and a comment there silences nothing. Only the
place changes.
"""

from __future__ import annotations

from agentspec.compose.documents import items_of
from agentspec.compose.load import Composed
from agentspec.compose.preset import NOT_INHERITED
from agentspec.syntax.tree import Mapping, Node, find, plain
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span

BUILT_IN = ("stdlib/presets/", "stdlib/profiles/")
INHERITED = "this is inherited"


def at_the_author(found: Diagnostic, composed: Composed) -> Diagnostic:
    """The finding, at a place that its author can change.

    That is the other value that belongs to it, else the item of `extends` that brought what is built in.
    """
    own = composed.document.span.source
    libraries = [layer for layer in composed.layers if layer.library]
    documents = [layer.document.span.source.name for layer in libraries if layer.document is not None]
    away = (*BUILT_IN, *(f"{layer.library}/" for layer in libraries), *documents)
    if not _is_in(found.span, away) or found.span.source.name == own.name:
        return found
    other = next((one.span for one in found.related if not _is_in(one.span, away)), None)
    related = [one for one in found.related if one.span != other]
    path = found.path
    is_inherited = path and "[" not in path and path not in NOT_INHERITED
    way_out = f"`{path}` here overrides the inherited value" if is_inherited else None
    help_text = "; ".join(part for part in (found.help, way_out) if part)
    return found._replace(
        span=other or _way_in(found.span, composed),
        help=help_text or None,
        fix=None if found.fix and any(_is_in(edit.span, away) for edit in found.fix.edits) else found.fix,
        related=(Related(found.span, INHERITED), *related),
    )


def _is_in(span: Span, places: tuple[str, ...]) -> bool:
    return span.source.name.startswith(places)


def _way_in(place: Span, composed: Composed) -> Span:
    """What in the author's document leads to one that is not the author's."""
    root = composed.document.root
    if not isinstance(root, Mapping):
        return composed.document.span
    if place.source.name.startswith(BUILT_IN[1]):
        ways: list[Node | None] = [find(root, ("execution", "profile"))]
    else:
        items = items_of(root.get("extends"))
        stem = place.source.name.rpartition("/")[2].partition(".")[0]
        libraries = [item for item in items if "." in str(plain(item))]
        likely = [] if place.source.name.startswith(BUILT_IN[0]) else libraries
        ways = [*(item for item in items if stem in str(plain(item))), *likely, *items]
    found = next((way for way in (*ways, root.get("name"), root.get("preset")) if way is not None), root)
    return found.span
