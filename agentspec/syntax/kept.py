"""kept: a parsed text as JSON, so that a file that comes with agentspec need not be parsed in every process.

Comments and base indents are left out: what is read back is composed and checked, never formatted. Only texts without
a finding are kept.
"""

from __future__ import annotations

from typing import Any

from agentspec.syntax.tree import Document, Entry, Mapping, Node, Parsed, Scalar, Sequence
from agentspec.text.source import Source, Span


def kept(parsed: Parsed) -> dict[str, Any]:
    """The documents of a text and the text itself, as JSON values. Raises `ValueError` where something was wrong."""
    if parsed.diagnostics:
        raise ValueError(f"`{parsed.source.name}` has findings")
    documents = [[_kept(each.root), each.span.start, each.span.end] for each in parsed.documents]
    return {"text": parsed.source.text, "spelling": parsed.spelling, "documents": documents}


def restored(value: dict[str, Any], source: Source) -> Parsed | None:
    """What `kept` was given, with its places in a source; None where the source has another text."""
    if value["text"] != source.text:
        return None
    documents = [
        Document(root=_node(root, source), span=Span(source, start, end)) for root, start, end in value["documents"]
    ]
    return Parsed(source=source, spelling=value["spelling"], documents=documents, diagnostics=[])


def _kept(node: Node) -> list[Any]:
    match node:
        case Scalar():
            return ["", node.span.start, node.span.end, node.value, node.style]
        case Mapping():
            entries = [[_kept(each.key), _kept(each.value), each.operation, each.final] for each in node.entries]
            return ["{", node.span.start, node.span.end, entries, node.flow]
        case Sequence():
            return ["[", node.span.start, node.span.end, [_kept(item) for item in node.items], node.flow]
        case _:
            raise ValueError("a part of the text is broken")


def _node(value: list[Any], source: Source) -> Node:
    kind, start, end, held, more = value
    span = Span(source, start, end)
    if kind == "":
        return Scalar(value=held, span=span, style=more)
    if kind == "[":
        return Sequence(items=[_node(item, source) for item in held], span=span, flow=more)
    return Mapping(entries=[_entry(entry, source) for entry in held], span=span, flow=more)


def _entry(value: list[Any], source: Source) -> Entry:
    key, node, operation, final = value
    name = _node(key, source)
    assert isinstance(name, Scalar)
    return Entry(key=name, value=_node(node, source), operation=operation, final=final)
