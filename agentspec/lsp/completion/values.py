"""values: the words, names and defaults that a value may be."""

from __future__ import annotations

from collections.abc import Iterator

from agentspec.expressions.types import SCALARS
from agentspec.lsp.completion.cursor import Cursor
from agentspec.lsp.completion.named import Place, names_at
from agentspec.lsp.completion.offer import Offer, whole
from agentspec.spec.catalogue import names_of
from agentspec.spec.describe import KeyDoc, below, describe, find
from agentspec.spec.schema import Node as Wanted
from agentspec.spec.schema import form
from agentspec.syntax.tree import Path, plain
from agentspec.syntax.tree import find as node_at


def value_offers(cursor: Cursor, path: Path) -> Iterator[Offer]:
    """What could stand as the value at a path."""
    kind = cursor.part.composed.kind
    doc, node = describe(path, kind), find(path, kind)[0]
    annotation = (doc.annotation if doc is not None else None) or {}
    to = annotation.get("to") if annotation.get("kind") == "reference" else annotation.get("kind")
    names = names_at(Place(cursor.part, path, cursor.lead), to)
    yield from (whole(cursor, name, "tool" if to == "tool" else "name") for name in names)
    if doc is not None and node is not None:
        yield from _of_schema(cursor, doc, node)
    if path[-1:] == ("model",):
        provider = node_at(cursor.part.composed.tree, (*path[:-1], "provider"))
        known = names_of(str(plain(provider))) if provider is not None else []
        yield from (whole(cursor, name, "name") for name in known)
    if doc is not None and node is not None and path and isinstance(path[-1], int):
        yield from _first_keys(cursor, path, doc, node)


def _of_schema(cursor: Cursor, doc: KeyDoc, node: Wanted) -> Iterator[Offer]:
    """The words, types and the default that the schema knows."""
    if (doc.annotation or {}).get("kind") == "type":
        yield from (whole(cursor, word, "word") for word in SCALARS if word != "time")
    yield from (whole(cursor, word, "word", detail=doc.doc) for word in doc.words)
    default = node.get("default")
    if not doc.words and isinstance(default, str | int | float):
        yield whole(cursor, doc.default or "", "word", detail="the default")


def _first_keys(cursor: Cursor, path: Path, doc: KeyDoc, node: Wanted) -> Iterator[Offer]:
    """The keys by which an item of a list may begin."""
    at, kind = form(node), cursor.part.composed.kind
    for name in at.mapping.get("properties", {}) if at.mapping is not None else ():
        inner = describe((*path, name), kind)
        if below(at, name) is not None and inner is not None and name not in doc.words:
            yield whole(cursor, name, "key", behind=": ", detail=inner.type)
