"""describe: what a key means, what may stand there and what holds without it; for `explain`, hover and completion.

Reads the schema alone: nothing here knows a key by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from agentspec.spec.schema import MARK, Form, Node, form, opened, root
from agentspec.spec.structure import words
from agentspec.syntax.tree import Path, dotted


class KeyDoc(NamedTuple):
    """What a key is, in words."""

    path: str  # as it was asked for, or as a pattern: `*` is any name, `[]` any index
    doc: str
    type: str  # "a duration such as `30s`"
    default: str | None  # as it is written, or in words; None where there is none
    words: tuple[str, ...] = ()  # the words that may stand there, if it takes words
    keys: tuple[str, ...] = ()  # the keys below it, if it is a mapping with fixed keys
    required: bool = False
    annotation: dict[str, Any] | None = None


def describe(path: Path, kind: str = "agent") -> KeyDoc | None:
    """What the key at a path of a document is, or None where there is no such key.

    >>> describe(("execution", "tool_timeout")).type
    'a duration such as `30s`'
    """
    node, parent = find(path, kind)
    holder = None if parent is None else form(parent).mapping
    return None if node is None else _doc(dotted(path), node, holder, path[-1] if path else "")


def find(path: Path, kind: str = "agent") -> tuple[Node | None, Node | None]:
    """The schema node of a path and of the mapping that holds it; None where there is no such key."""
    node: Node | None = root(kind)
    parent: Node | None = None
    for step in path:
        parent, node = node, None if node is None else below(form(node), step)
    return node, parent


def below(at: Form, step: str | int) -> Node | None:
    """The schema node one step down, or None. `*` and `[]` stand for any name and any index."""
    if isinstance(step, int) or step == "[]":
        return None if at.sequence is None else at.sequence.get("items")
    if at.mapping is None:
        return None
    mapping = at.mapping.get("else", at.mapping)
    known: Node | None = mapping.get("properties", {}).get(step)
    named = mapping.get("additionalProperties", False)
    return known if known is not None else named if isinstance(named, dict) and named else None


def all_keys(kind: str = "agent") -> Iterator[KeyDoc]:
    """Every key of a kind of document, in the order of the models, each as a pattern: `capability.tools.*.expr`."""
    yield from _below(root(kind), "", ())


def _below(node: Node, prefix: str, inside: tuple[int, ...]) -> Iterator[KeyDoc]:
    at = form(node)
    if at.sequence is not None and "items" in at.sequence:
        yield from _below(at.sequence["items"], f"{prefix}[]", inside)
    if at.mapping is None or id(at.mapping) in inside:  # types hold types: each record is entered once
        return
    inside = (*inside, id(at.mapping))
    mapping = at.mapping.get("else", at.mapping)
    for name, value in mapping.get("properties", {}).items():
        path = f"{prefix}.{name}" if prefix else name
        yield _doc(path, value, at.mapping, name)
        yield from _below(value, path, inside)
    if isinstance(mapping.get("additionalProperties"), dict):
        yield from _below(mapping["additionalProperties"], f"{prefix}.*", inside)


def _doc(path: str, node: Node, parent: Node | None, name: str | int) -> KeyDoc:
    at = form(node)
    return KeyDoc(
        path=path,
        doc=node.get("description") or opened(node).get("description", ""),
        type=words.wanted(node),
        default=default_text(node),
        words=tuple(_known_words(at)),
        keys=tuple(at.mapping.get("properties", ())) if at.mapping is not None else (),
        required=parent is not None and name in parent.get("required", ()),
        annotation=_annotation(at),
    )


def _known_words(at: Form) -> list[str]:
    """The words that a key takes, also as items of its list."""
    known = [words.plain_word(word) for branch in at.texts for word in _words(branch)]
    if at.boolean is not None and MARK not in at.boolean:
        known += [words.plain_word(word) for word in _words(at.boolean) or (True, False)]
    if not known and at.sequence is not None and "items" in at.sequence:
        return _known_words(form(at.sequence["items"]))
    return known


def _words(branch: Node) -> list[Any]:
    found: list[Any] = branch.get("enum") or ([branch["const"]] if "const" in branch else [])
    return found


def _annotation(at: Form) -> dict[str, Any] | None:
    for branch in (*at.texts, at.number, at.mapping, at.sequence, at.free):
        if branch is not None and MARK in branch:
            annotation: dict[str, Any] = branch[MARK]
            return annotation
    return None


def default_text(node: Node) -> str | None:
    """The default of a key as an author would write it, or in words; None where nothing holds without it."""
    if "default" not in node:
        shown: str | None = node.get("x-default")
        return shown
    return _written(node["default"])


def _written(value: Any) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{name}: {_written(item)}" for name, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(_written(item) for item in value) + "]"
        case _:
            return words.plain_word(value)
