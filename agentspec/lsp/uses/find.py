"""find: every word of a document, and of what it extends, whose declaration is known."""

from __future__ import annotations

from collections.abc import Iterator

from agentspec.lsp.sheet import Part
from agentspec.lsp.uses.declared import again
from agentspec.lsp.uses.in_library import library_uses
from agentspec.lsp.uses.in_scenario import scenario_uses, tried
from agentspec.lsp.uses.in_spec import spec_uses
from agentspec.lsp.uses.in_text import text_uses
from agentspec.lsp.uses.use import Use

KEPT = "uses"


def uses(part: Part) -> list[Use]:
    """Every word that means something declared elsewhere, found out once; one may be there more than once."""
    kept = part.subject.kept
    if KEPT not in kept:
        kept[KEPT] = [*_found(part)]
    found: list[Use] = kept[KEPT]
    return found


def _found(part: Part) -> Iterator[Use]:
    parts = [*tried(part)] if part.composed.kind == "scenario" else [part]
    yield from spec_uses(part)
    yield from text_uses(part, parts)
    yield from scenario_uses(part, parts) if part.composed.kind == "scenario" and parts else ()
    yield from library_uses(part)
    yield from again(part)
