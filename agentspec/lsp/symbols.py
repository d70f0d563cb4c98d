"""symbols: the outline of a file: its documents, their sections, and what stands in them."""

from __future__ import annotations

import json
from typing import Literal, NamedTuple

from agentspec.compose.documents import kind_of, name_of
from agentspec.lsp.uses.use import declared_name
from agentspec.syntax.tree import Entry, Mapping, Node, Parsed, Scalar, Sequence
from agentspec.text.source import Source, Span

SymbolKind = Literal["document", "mapping", "list", "value"]
DEEPEST = 6
LONGEST = 60  # characters of a value


class Symbol(NamedTuple):
    """A part of a file: `name_span` lies within `span`."""

    name: str
    kind: SymbolKind
    span: Span
    name_span: Span
    detail: str
    children: tuple[Symbol, ...]


def symbols(parsed: Parsed) -> list[Symbol]:
    """The documents of a file with what is in them, as deep as an outline is read."""
    found: list[Symbol] = []
    for document in parsed.documents:
        name, node = name_of(document), declared_name(document)
        at = node.span if node is not None else document.span.part(0, 0)
        children = _below(document.root, parsed.source, 1)
        found.append(_symbol(name or "(no name)", "document", document.span, at, kind_of(document), children))
    return found


def _below(node: Node, source: Source, depth: int) -> tuple[Symbol, ...]:
    match node:
        case Mapping(entries=entries) if depth < DEEPEST:
            # What an alias stands for has its place elsewhere, and its outline there.
            own = [entry for entry in entries if _is_within(entry.key.span, node.span)]
            return tuple(_entry(entry, source, depth) for entry in own)
        case Sequence(items=items) if depth < DEEPEST:
            whole = [(index, item) for index, item in enumerate(items) if isinstance(item, Mapping)]
            return tuple(
                _symbol(_title(item, index), "mapping", item.span, item.span, "", _below(item, source, depth + 1))
                for index, item in whole
                if isinstance(item, Mapping) and item.span.source is source
            )
    return ()


def _is_within(inner: Span, outer: Span) -> bool:
    return inner.source is outer.source and outer.start <= inner.start <= inner.end <= outer.end


def _entry(entry: Entry, source: Source, depth: int) -> Symbol:
    value = entry.value
    kinds: dict[type, SymbolKind] = {Mapping: "mapping", Sequence: "list"}
    detail = json.dumps(value.value, ensure_ascii=False)[:LONGEST] if isinstance(value, Scalar) else ""
    children = () if value.span.source is not source else _below(value, source, depth + 1)
    span = entry.span if value.span.source is source else entry.key.span
    return _symbol(entry.name, kinds.get(type(value), "value"), span, entry.key.span, detail, children)


def _title(item: Mapping, index: int) -> str:
    """What an item of a list is called: its first text, such as the condition of a rule."""
    first = item.entries[0] if item.entries else None
    if first is None:
        return f"[{index}]"
    return f"{first.name}: {first.value.value}"[:LONGEST] if isinstance(first.value, Scalar) else first.name


def _symbol(
    name: str, kind: SymbolKind, span: Span, name_span: Span, detail: str, children: tuple[Symbol, ...]
) -> Symbol:
    start, end = min(span.start, name_span.start), max(span.end, name_span.end)
    return Symbol(name or '""', kind, Span(span.source, start, end), name_span, detail, children)
