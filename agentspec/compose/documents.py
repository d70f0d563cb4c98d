"""documents: what a document is, what it is called, and how one is pointed at (`FILE#NAME`)."""

from __future__ import annotations

from typing import Literal

from agentspec.syntax.tree import Document, Mapping, Node, Scalar, Sequence

Kind = Literal["agent", "preset", "library", "scenario"]

_HEADS: tuple[Kind, ...] = ("scenario", "library", "preset")  # an agent is what has none of them
FILE_ENDINGS = (".agent", ".yaml", ".yml", ".json")


def kind_of(document: Document) -> Kind:
    """What the document is by its top key; what has none of the others' is an agent."""
    root = document.root
    names = root.names() if isinstance(root, Mapping) else []
    return next((kind for kind in _HEADS if kind in names), "agent")


def name_of(document: Document) -> str | None:
    """The name that a document gives itself, or None."""
    kind = kind_of(document)
    node = document.root.get("name" if kind == "agent" else kind) if isinstance(document.root, Mapping) else None
    return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else None


def split_reference(text: str) -> tuple[str, str | None]:
    """The file and the document's name of `FILE#NAME`; the name is None where there is none.

    >>> split_reference("agents/triage.agent#fast")
    ('agents/triage.agent', 'fast')
    """
    file, sharp, name = text.rpartition("#")
    return (file, name) if sharp and file else (text, None)


def looks_like_file(text: str) -> bool:
    """Whether a reference means a file rather than a preset's name."""
    file, name = split_reference(text)
    return name is not None or "/" in file or "\\" in file or file.endswith(FILE_ENDINGS)


def items_of(node: Node | None) -> list[Node]:
    """The items of a list, or the one thing that stands where a list may stand."""
    match node:
        case None:
            return []
        case Sequence():
            return node.items
        case _:
            return [node]
