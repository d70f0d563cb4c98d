"""keys: what the language says of a key, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from agentspec.spec.describe import KeyDoc, describe
from agentspec.spec.in_effect import is_in_effect
from agentspec.syntax.tree import Path, dotted

MOST_KEYS = 16  # that are listed


def key_lines(path: Path, kind: str) -> Iterator[str]:
    """The paragraphs of a key: its name, what it means, what it takes, what holds without it."""
    doc = describe(path, kind)
    if doc is None:
        return
    yield f"`{dotted(path)}`: {doc.type}"
    yield from about(doc)
    if not is_in_effect(path, kind):
        yield "Accepted, but not yet in effect."


def about(doc: KeyDoc) -> Iterator[str]:
    """What a key means, and what holds without it."""
    if doc.doc:
        yield doc.doc
    if doc.default not in (None, "{}"):
        yield f"Default: {doc.default}"
    if 0 < len(doc.keys) <= MOST_KEYS:
        yield f"Keys: {', '.join(f'`{key}`' for key in doc.keys)}"
