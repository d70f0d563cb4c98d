"""references: from a word to what it names, and from a name to every word that means it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agentspec.compose.origin import history
from agentspec.compose.skill_file import NAMES
from agentspec.lsp.places import Placed, place_of
from agentspec.lsp.sheet import Part, Sheet
from agentspec.lsp.spot import Spot, spot_at
from agentspec.lsp.uses.declared import is_declaring, is_naming
from agentspec.lsp.uses.find import uses
from agentspec.lsp.uses.use import Use, declared_name, name_span
from agentspec.syntax.tree import Scalar
from agentspec.text.paths import is_file
from agentspec.text.source import Source, Span


class Declaration(NamedTuple):
    """A name where it is declared; `span` is the word that was asked about, `has_name` as in `Use`."""

    span: Span
    target: Span
    has_name: bool = True


def declaration_at(part: Part, offset: int) -> Declaration | None:
    """What the word at an offset names, or declares itself."""
    use = use_at(part, offset)
    if use is not None:
        return Declaration(use.word or use.span, use.target, use.has_name and use.word is not None)
    own = declared_name(part.composed.document)
    spot = spot_at(part.composed.document.root, part.sheet.source, offset)
    scalar: Scalar | None = None
    if spot.is_key and spot.entry is not None and is_declaring(spot.path):
        scalar = spot.entry.key
    elif isinstance(spot.node, Scalar) and (spot.node is own or is_naming(spot.path)):
        scalar = spot.node
    return None if scalar is None else Declaration(name_span(scalar), name_span(scalar))


def use_at(part: Part, offset: int) -> Use | None:
    """The word at an offset that means something declared elsewhere; the innermost, where texts hold words."""
    found = [one for one in uses(part) if part.sheet.holds(one.span, offset)]
    return min(found, key=lambda one: one.span.end - one.span.start, default=None)


def definitions(part: Part, offset: int) -> list[Span]:
    """Where what stands at an offset comes from: what a word names, a file, or what the layers below say of a key."""
    use = use_at(part, offset)
    if use is not None:
        return [use.leads or use.target]
    mark = part.mark_at(offset)
    if mark is not None and mark.annotation.get("kind") == "path" and isinstance(mark.node, Scalar):
        path = os.path.join(part.composed.project, str(mark.node.value))  # noqa: PTH118 - a place as text
        files = (path, *(os.path.join(path, name) for name in NAMES))  # noqa: PTH118 - as above
        return [Span(Source(file, ""), 0, 0) for file in files if is_file(file)][:1]
    return _below(part, spot_at(part.composed.document.root, part.sheet.source, offset))


def _below(part: Part, spot: Spot) -> list[Span]:
    """What other layers say of the key at a spot, the nearest first; where none does, its own place."""
    if not spot.path or spot.entry is None or not all(isinstance(step, str) for step in spot.path):
        return []
    said = [word.origin.span for word in history(spot.path, part.composed.layers)]
    others = [span for span in reversed(said) if span != spot.node.span]
    return others or [spot.span]


def references(sheets: Iterable[Sheet], wanted: Placed) -> Iterator[Use]:
    """Every word in the files that means what is declared at a place, each once."""
    seen = set()
    for sheet in sheets:
        for part in sheet.parts:
            for use in uses(part):
                here = place_of(use.word or use.span)
                if place_of(use.target) == wanted and here != wanted and here not in seen:
                    seen.add(here)
                    yield use
