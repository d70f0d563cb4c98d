"""types: the document form of a type as the DSL spells types: the way back from `agentspec.syntax.dsl.types`."""

from __future__ import annotations

import re

from agentspec.syntax.format import words
from agentspec.syntax.format.blocks import flat
from agentspec.syntax.format.remarks import is_bare, is_noted
from agentspec.syntax.tree import Entry, Mapping, Node, Scalar, Sequence

_NAMED = re.compile(r"(?P<name>[^?\[\]]+)(?P<signs>(?:\[\]|\?(?!\?))*)")


def type_text(node: Node) -> str | None:
    """A type, or None for what has to be written out as plain data."""
    if is_noted(node):
        return None
    match node:
        case Scalar(value=str(text)):
            return _named(text)
        case Mapping(entries=[*entries, Entry(key=Scalar(value="optional"), value=Scalar(value=True)) as flag]) if (
            is_bare(flag) and entries
        ):
            inner = _form(entries)
            return f"{_enclosed(inner, entries)}?" if inner is not None else None
        case Mapping():
            return _form(node.entries)
    return None


def declared_text(node: Node, *, takes_doc: bool) -> str | None:
    """The type of an input or parameter with its default and, where it `takes_doc`, its description."""
    plain = type_text(node)
    if plain is not None or not isinstance(node, Mapping) or is_noted(node):
        return plain
    entries = [*node.entries]
    doc, default = None, None
    if takes_doc:
        doc = _taken(entries, "description")
        if doc is not None and not (isinstance(doc, Scalar) and isinstance(doc.value, str)):
            return None
    default = _taken(entries, "default")
    if doc is None and default is None:
        return None
    inner = type_text(entries[0].value) if _is_long_name(entries) else _optional_form(entries, node)
    value = _default(default) if default is not None else ""
    if inner is None or value is None:
        return None
    said = f" {words.string(str(doc.value))}" if isinstance(doc, Scalar) else ""
    return f"{inner}{value}{said}"


def _taken(entries: list[Entry], name: str) -> Node | None:
    """The value of the last entry, which is taken away, if it has that name."""
    if entries and entries[-1].name == name and is_bare(entries[-1]):
        return entries.pop().value
    return None


def _is_long_name(entries: list[Entry]) -> bool:
    """Whether all that is left is `type: NAME`."""
    match entries:
        case [Entry(key=Scalar(value="type"), value=Scalar(value=str())) as only]:
            return is_bare(only)
    return False


def _optional_form(entries: list[Entry], node: Mapping) -> str | None:
    return type_text(Mapping(entries=entries, span=node.span)) if entries else None


def _default(node: Node) -> str | None:
    """` = VALUE`; words stand in quotes, since beside a type a word looks like one."""
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return f" = {words.string(node.value)}"
    text = flat(node)
    return None if text is None else f" = {text}"


def _named(text: str) -> str | None:
    found = _NAMED.fullmatch(text)
    if found is None or not words.is_word(found["name"]) or found["name"] == "schema":
        return None
    return text


def _form(entries: list[Entry]) -> str | None:
    """A type of one entry: `enum`, `items`, `fields`, `schema` or `any_of`."""
    match entries:
        case [only] if is_bare(only):
            value = only.value
        case _:
            return None
    match only.name, value:
        case "enum", Sequence(items=[_, *_] as items):
            return _enum(items)
        case "items", Mapping():
            inner = type_text(value)
            return f"{_enclosed(inner, value.entries)}[]" if inner is not None else None
        case "fields", Mapping():
            return _fields(value)
        case "schema", Scalar(value=str(file)):
            return f"schema {words.string(file)}"
        case "any_of", Sequence(items=[_, _, *_] as items):
            return _union(items)
    return None


def _enclosed(text: str, entries: list[Entry]) -> str:
    """A type to put a sign behind: in parentheses where the sign would bind to its last part only."""
    is_union = entries[0].name in ("enum", "any_of")
    return f"({text})" if is_union else text


def _enum(items: list[Node]) -> str | None:
    literals = [item.value for item in items if isinstance(item, Scalar) and isinstance(item.value, str)]
    return " | ".join(map(words.string, literals)) if len(literals) == len(items) else None


def _fields(value: Mapping) -> str | None:
    parts = [(entry, type_text(entry.value)) for entry in value.entries]
    if any(text is None or not is_bare(entry) for entry, text in parts):
        return None
    return "{" + ", ".join(f"{words.key(entry.name)}: {text}" for entry, text in parts) + "}"


def _union(items: list[Node]) -> str | None:
    """`A | B`. Literals side by side would join, so that those of two arms are kept apart by parentheses."""
    arms: list[str] = []
    for index, item in enumerate(items):
        text = type_text(item)
        if text is None:
            return None
        is_alone = not any(map(_is_enum, (*items[max(0, index - 1) : index], *items[index + 1 : index + 2])))
        is_open = not _is_union(item) or (_is_enum(item) and is_alone)
        arms.append(text if is_open else f"({text})")
    return " | ".join(arms)


def _is_enum(node: Node) -> bool:
    return isinstance(node, Mapping) and [entry.name for entry in node.entries] == ["enum"]


def _is_union(node: Node) -> bool:
    return isinstance(node, Mapping) and [entry.name for entry in node.entries] in (["enum"], ["any_of"])
