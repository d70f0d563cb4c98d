"""parts: which texts of a spec are said, which name a thing or choose among words, and which are its program.

The schema tells most of it. Nothing here knows what is done with a text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from agentspec.spec.describe import below
from agentspec.spec.schema import ANYTHING, MARK, Node, form, root
from agentspec.spec.structure.fits import fitting

Reads: TypeAlias = Callable[[str], str]

# Lines that a person or a model reads; and what is free, but said from one end to the other.
SAID = frozenset(
    ("description", "reason", "when_to_use", "goals", "open_items", "facts", "refs", "deliverables", "preserve")
)
HEARD = frozenset(("history",))
# Texts that the schema has no kind for, by which a thing is found.
_CALLED = """
    model models label table key columns type format id name call_id source use done_sentinel feedback_kind trigger
    on_event service audit policy author method methods verbs roles providers names enabled disabled fallback role
"""
CALLED = frozenset(_CALLED.split())
SCHEMA = frozenset(
    ("type", "format", "required", "$ref", "$id", "$schema", "$anchor")
)  # of JSON Schema, which has no node
NAMING = frozenset(("name", "reference", "version", "range", "type", "path", "variable", "python", "status", "word"))


class Readers(NamedTuple):
    """What becomes of each kind of text."""

    said: Reads
    name: Reads
    program: Reads


def read_parts(values: Mapping[str, Any], readers: Readers) -> dict[str, Any]:
    """The effective values of a spec with each text as the reader of its kind gives it.

    >>> spec = {"description": "script", "model": {"provider": "script", "stop": ["script"]}}
    >>> read_parts(spec, Readers(str.upper, str, str.title))
    {'description': 'SCRIPT', 'model': {'provider': 'script', 'stop': ['Script']}}
    """
    at = form(root("agent"))
    return {readers.name(name): _read(value, below(at, name), name, readers) for name, value in values.items()}


def _read(value: Any, node: Node | None, key: str, readers: Readers) -> Any:
    at = form(node or ANYTHING)
    match value:
        case str():
            return _reader(value, node, key, readers)(value)
        case dict():
            inner = _inside(node, key, readers)
            return {readers.name(name): _read(each, below(at, name), name, inner) for name, each in value.items()}
        case list() | tuple():
            items = at.sequence.get("items") if at.sequence is not None else None
            inner = _inside(node, key, readers)
            return [_read(each, items, key, inner) for each in value]
        case _:
            return value


def _inside(node: Node | None, key: str, readers: Readers) -> Readers:
    """The readers of what stands in a value: of what is said from one end to the other, all is."""
    is_heard = key in HEARD or _is_for_models(node, "templates")
    return readers._replace(program=readers.said) if is_heard else readers


def _is_for_models(node: Node | None, kind: str) -> bool:
    at = form(node or ANYTHING)
    marks = (branch.get(MARK, {}) for branch in (at.mapping, at.free) if branch is not None)
    return any(mark.get("kind") == kind and mark.get("place") == "prompt" for mark in marks)


def _reader(text: str, node: Node | None, key: str, readers: Readers) -> Reads:
    branch: Node = (fitting(text, form(node)) if node is not None else None) or ANYTHING
    mark = branch.get(MARK, {})
    is_word = "enum" in branch or "const" in branch or mark.get("kind") in NAMING
    if is_word or key in (SCHEMA if node is None else CALLED):
        return readers.name
    is_said = key in SAID or (mark.get("kind") == "template" and mark.get("place") == "prompt")
    return readers.said if is_said else readers.program
