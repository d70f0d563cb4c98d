"""use: a word that means something declared elsewhere, and how what it means is pointed at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agentspec.compose.documents import kind_of
from agentspec.compose.reference import Target
from agentspec.lsp.sheet import Part
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Document, Mapping, Node, Scalar, find
from agentspec.text.source import Span


class Use(NamedTuple):
    """A word that names something declared elsewhere. `word` is what a new name would replace, if anything.

    `target` is the name where it is declared, or what brings it; `has_name` is false where that is no name of its own:
    a toolkit, a file.
    """

    span: Span
    target: Span
    word: Span | None
    has_name: bool = True


def name_span(node: Scalar) -> Span:
    """The name that a scalar holds, without quotes."""
    return span_in(node, 0, len(str(node.value)))


def declared_name(document: Document) -> Scalar | None:
    """Where a document says its own name."""
    root, kind = document.root, kind_of(document)
    node = root.get("name" if kind == "agent" else kind) if isinstance(root, Mapping) else None
    return node if isinstance(node, Scalar) else None


def tool_uses(part: Part, name: str, span: Span, word: Span) -> Iterator[Use]:
    """A word that names a tool: one that the spec declares, or what brings it."""
    for offered in part.subject.offered:
        if offered.name == name:
            entry = part.subject.entry(*offered.path)
            is_declared = offered.path[:2] != ("capability", "toolkits") and offered.path[-1] == name
            renamed = None if entry is None or is_declared else _renamed(entry.value, name)
            declared = entry.key if entry is not None and is_declared else renamed
            target = offered.span if declared is None else name_span(declared)
            yield Use(span, target, word, has_name=declared is not None)


def _renamed(options: Node, name: str) -> Scalar | None:
    """Where the options of a toolkit give one of its tools a name."""
    names = find(options, ("names",))
    given = [entry.value for entry in names.entries] if isinstance(names, Mapping) else []
    return next((node for node in given if isinstance(node, Scalar) and node.value == name), None)


def document_use(node: Scalar, found: Target) -> Use:
    """A word that names a document, by its name or by its file."""
    text, declared = str(node.value), declared_name(found.document)
    if declared is None:
        return Use(node.span, found.document.span.part(0, 0), None, has_name=False)
    name = str(declared.value)
    # `FILE#name` and `alias.name` end in the name; a file alone does not say it.
    has_name = text == name or text.endswith((f"#{name}", f".{name}"))
    return Use(node.span, name_span(declared), span_in(node, len(text) - len(name), len(text)) if has_name else None)


def matched(given: Node | None, known: dict[str, Scalar]) -> Iterator[Use]:
    """The keys of a mapping that are names declared elsewhere."""
    for name, key in keys_of(given).items():
        if name in known:
            yield Use(key.span, name_span(known[name]), name_span(key))


def keys_of(node: Node | None) -> dict[str, Scalar]:
    """The keys of a mapping by what they say."""
    entries = node.entries if isinstance(node, Mapping) else []
    return {entry.name: entry.key for entry in entries if entry.operation != "unset"}
