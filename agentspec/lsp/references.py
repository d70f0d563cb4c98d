"""references: from a word to what it names, and from a name to every word that means it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agentspec.compose.origin import history
from agentspec.lsp.places import place_of
from agentspec.lsp.sheet import Part, Sheet
from agentspec.lsp.spot import Spot, spot_at
from agentspec.lsp.use import Use, declared_name, name_span
from agentspec.lsp.uses import uses
from agentspec.syntax.tree import Path, Scalar
from agentspec.text.paths import is_file
from agentspec.text.source import Source, Span

ANY = "*"
DECLARING: tuple[Path, ...] = (
    ("inputs", ANY),
    ("capability", "tools", ANY),
    ("capability", "tools", ANY, "parameters", ANY),
    ("capability", "subagents", ANY),
    ("capability", "mcp", ANY),
    ("capability", "components", ANY),
    ("use", ANY),
)
"""Where a key is a name that other words may mean."""
NAMING: tuple[Path, ...] = (
    ("model", "routes", ANY, "label"),
    ("capability", "toolkits", ANY, ANY, "names", ANY),
)
"""Where a value is one."""


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
    if spot.is_key and spot.entry is not None and any(_fits(spot.path, one) for one in DECLARING):
        scalar = spot.entry.key
    elif isinstance(spot.node, Scalar) and (spot.node is own or any(_fits(spot.path, one) for one in NAMING)):
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
        return [use.target]
    mark = part.mark_at(offset)
    if mark is not None and mark.annotation.get("kind") == "path" and isinstance(mark.node, Scalar):
        path = os.path.join(part.composed.project, str(mark.node.value))  # noqa: PTH118 - a place as text
        return [Span(Source(path, ""), 0, 0)] if is_file(path) else []
    return _below(part, spot_at(part.composed.document.root, part.sheet.source, offset))


def _below(part: Part, spot: Spot) -> list[Span]:
    """What other layers say of the key at a spot, the nearest first; where none does, its own place."""
    if not spot.path or spot.entry is None or not all(isinstance(step, str) for step in spot.path):
        return []
    said = [word.origin.span for word in history(spot.path, part.composed.layers)]
    others = [span for span in reversed(said) if span != spot.node.span]
    return others or [spot.span]


def references(sheets: Iterable[Sheet], target: Span) -> Iterator[Use]:
    """Every word in the files that means what is declared at a place, each once."""
    wanted, seen = place_of(target), set()
    for sheet in sheets:
        for part in sheet.parts:
            for use in uses(part):
                if place_of(use.target) == wanted and (here := place_of(use.span)) not in seen:
                    seen.add(here)
                    yield use


def _fits(path: Path, pattern: Path) -> bool:
    return len(path) == len(pattern) and all(want in (ANY, step) for step, want in zip(path, pattern, strict=True))
