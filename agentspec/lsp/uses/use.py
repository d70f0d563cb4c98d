"""use: a word that means something declared elsewhere, and how what it means is pointed at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agentspec.compose.documents import kind_of
from agentspec.compose.reference import Target
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Document, Mapping, Node, Scalar
from agentspec.text.source import Source, Span


class Use(NamedTuple):
    """A word that names something declared elsewhere. `word` is what a new name would replace, if anything.

    `target` is the name where it is declared, or what brings it; `has_name` is false where that is no name of its own:
    a toolkit, a file. `leads` is where an editor goes from there, where that is another place.
    """

    span: Span
    target: Span
    word: Span | None
    has_name: bool = True
    leads: Span | None = None


def name_span(node: Scalar) -> Span:
    """The name that a scalar holds, without quotes."""
    return span_in(node, 0, len(str(node.value)))


def declared_name(document: Document) -> Scalar | None:
    """Where a document says its own name."""
    root, kind = document.root, kind_of(document)
    node = root.get("name" if kind == "agent" else kind) if isinstance(root, Mapping) else None
    return node if isinstance(node, Scalar) else None


def document_use(node: Scalar, found: Target) -> Use:
    """A word that names a document, by its name or by its file."""
    text, declared = str(node.value), declared_name(found.document)
    if declared is None:
        return Use(node.span, found.document.span.part(0, 0), None, has_name=False)
    name = str(declared.value)
    # `FILE#name` and `alias.name` end in the name; a file alone does not say it.
    has_name = text == name or text.endswith((f"#{name}", f".{name}"))
    return Use(node.span, name_span(declared), span_in(node, len(text) - len(name), len(text)) if has_name else None)


def file_use(span: Span, path: str) -> Use:
    """A word that names a file."""
    return Use(span, Span(Source(path, ""), 0, 0), None, has_name=False)


def matched(given: Node | None, known: dict[str, Scalar]) -> Iterator[Use]:
    """The keys of a mapping that are names declared elsewhere."""
    for entry in given.entries if isinstance(given, Mapping) else ():
        if entry.name in known:
            yield Use(entry.key.span, name_span(known[entry.name]), name_span(entry.key))


def keys_of(node: Node | None) -> dict[str, Scalar]:
    """The keys of a mapping by what they say."""
    entries = node.entries if isinstance(node, Mapping) else []
    return {entry.name: entry.key for entry in entries if entry.operation != "unset"}
