"""offers: what could be written at the cursor: keys, words, names of the spec, and what an expression may say.

The language's own models say what may stand where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from agentspec.expressions.places import PLACES
from agentspec.expressions.types import SCALARS
from agentspec.lsp.cursor import BEFORE, MARK, Cursor, begins_document
from agentspec.lsp.keys import about
from agentspec.lsp.named import NAMES, inputs_of
from agentspec.lsp.spelled import has_rules, key_text, value_text
from agentspec.lsp.vocabulary import Known, Vocabulary
from agentspec.spec.catalogue import names_of
from agentspec.spec.describe import KeyDoc, below, describe, find
from agentspec.spec.in_effect import is_in_effect
from agentspec.spec.schema import Form, form
from agentspec.syntax.tree import Mapping, Path, plain
from agentspec.syntax.tree import find as node_at

OfferKind = Literal["key", "word", "tool", "name", "field", "function"]
CHAIN = re.compile(r"((?:[A-Za-z_]\w*(?:\[[^\[\]]*\])*\.)*)\Z")
COMPARED = re.compile(r"([A-Za-z_][\w.\[\]]*)\s*[!=]=\s*([\"'])\Z")
TOOL_NAME = ("tool.name", "repeated_tool")
SLOT = "${"
DOCUMENTS = {
    "agent": "agent $0 {\n}\n",
    "preset": "preset $0 {\n}\n",
    "library": 'library $0 "0.1.0" {\n}\n',
    "scenario": 'scenario "$0" for  {\n}\n',
}


class Offer(NamedTuple):
    """Something that could be written: what is shown, what is written, and from where to where.

    `$0` in `text` is where the cursor goes then. `rank` sorts: what is more likely has less.
    """

    label: str
    kind: OfferKind
    text: str
    start: int
    end: int
    detail: str = ""
    about: str = ""
    rank: int = 0


def offers_at(cursor: Cursor) -> list[Offer]:
    """Everything that could stand where the cursor is."""
    if cursor.entry is not None:
        return list(_keys(cursor))
    mark = next((one for one in cursor.part.marks if one.node.span == cursor.scalar.span), None)
    kind = mark.annotation.get("kind") if mark is not None else None
    if mark is not None and kind in ("expression", "template"):
        vocabulary = Vocabulary(PLACES[str(mark.annotation["place"])], cursor.part.scopes.at(mark.path))
        return list(_expression(cursor, vocabulary, is_template=kind == "template"))
    return list(_values(cursor))


def heads_at(path: str, text: str, offset: int) -> list[Offer]:
    """The words that begin a document of the DSL, where one could begin."""
    word = BEFORE.search(text, 0, offset)
    if word is None or not begins_document(path, text, offset):
        return []
    return [Offer(head, "key", text, word.start(), offset) for head, text in DOCUMENTS.items()]


# --- keys -------------------------------------------------------------------------------------------------------------


def _keys(cursor: Cursor) -> Iterator[Offer]:
    above, kind = cursor.path[:-1], cursor.part.composed.kind
    node = find(above, kind)[0]
    at = form(node) if node is not None else None
    if at is None:
        return
    written = node_at(cursor.part.composed.document.root, above)
    taken = set(written.names()) if isinstance(written, Mapping) else set()
    if at.mapping is not None:
        record = at.mapping.get("else", at.mapping)
        for name in record.get("properties", {}):
            doc = describe((*above, name), kind)
            text = key_text(cursor, (*above, name)) if doc is not None else None
            if doc is not None and text is not None and (name not in taken or text.is_repeatable):
                yield _key(cursor, text.label, text.text, doc, is_known=is_in_effect((*above, name), kind))
        names = record.get("propertyNames", {}).get("x-agentspec", {})
        if names.get("kind") == "reference":
            yield from (_whole(cursor, one, "name", behind=": ") for one in NAMES[names["to"]](cursor.part))
    elif at.sequence is not None:
        yield from _items(cursor, at, (*above, 0))
    if above[-1:] in (("with",), ("inputs",)):
        yield from (
            _whole(cursor, one, "name", behind=": ") for one in inputs_of(cursor.part, above) if one not in taken
        )


def _items(cursor: Cursor, at: Form, path: Path) -> Iterator[Offer]:
    """The items of a list that has to be begun: a dash in YAML, in the DSL the first word of a rule."""
    if cursor.part.sheet.parsed.spelling == "yaml":
        yield from (each._replace(text=f"- {each.text}") for each in _values(cursor, path))
    elif has_rules(at):
        yield _whole(cursor, "when", "key", behind=" ")


def _key(cursor: Cursor, label: str, text: str, doc: KeyDoc, *, is_known: bool) -> Offer:
    detail = doc.type if is_known else f"{doc.type}; not yet in effect"
    rank = 0 if doc.required else 1 if is_known else 2
    start, end = _bounds(cursor)
    return Offer(label, "key", text, start, end, detail, "\n\n".join(about(doc)), rank)


# --- values -----------------------------------------------------------------------------------------------------------


def _values(cursor: Cursor, path: Path | None = None) -> Iterator[Offer]:
    path = cursor.path if path is None else path
    kind = cursor.part.composed.kind
    doc, node = describe(path, kind), find(path, kind)[0]
    if doc is None or node is None:
        return
    annotation = doc.annotation or {}
    if annotation.get("kind") == "reference":
        to = annotation["to"]
        yield from (_whole(cursor, name, "tool" if to == "tool" else "name") for name in NAMES[to](cursor.part))
    if annotation.get("kind") == "type":
        yield from (_whole(cursor, word, "word") for word in SCALARS if word != "time")
    yield from (_whole(cursor, word, "word", detail=doc.doc) for word in doc.words)
    if doc.default is not None and not doc.words and " " not in doc.default and doc.default[:1] not in ("{", "["):
        yield _whole(cursor, doc.default, "word", detail="the default")
    if path[-1:] == ("model",):
        provider = node_at(cursor.part.composed.tree, (*path[:-1], "provider"))
        known = names_of(str(plain(provider))) if provider is not None else []
        yield from (_whole(cursor, name, "name") for name in known)
    at = form(node)
    if at.mapping is not None and path and isinstance(path[-1], int):
        for name in at.mapping.get("properties", {}):
            inner = describe((*path, name), kind)
            if below(at, name) is not None and inner is not None and name not in doc.words:
                yield _whole(cursor, name, "key", behind=": ", detail=inner.type)


def _whole(cursor: Cursor, name: str, kind: OfferKind, *, behind: str = "", detail: str = "") -> Offer:
    start, end = _bounds(cursor)
    text = f"{name}{behind}" if behind else value_text(cursor, name)
    return Offer(name, kind, text, start, end, detail)


def _bounds(cursor: Cursor) -> tuple[int, int]:
    """The whole key or value that the cursor stands in, as far as it is on the cursor's line as it is meant."""
    lead, trail = cursor.lead, cursor.trail
    text = cursor.part.sheet.source.text
    is_plain = text[cursor.start - len(lead) : cursor.start] == lead and "\n" not in lead
    behind = cursor.start + len(MARK)
    is_whole = bool(trail) and text[behind : behind + len(trail)] == trail and "\n" not in trail
    return cursor.start - len(lead) if is_plain else cursor.start, cursor.end + (len(trail) if is_whole else 0)


# --- expressions ------------------------------------------------------------------------------------------------------


def _expression(cursor: Cursor, vocabulary: Vocabulary, *, is_template: bool) -> Iterator[Offer]:
    text = cursor.lead
    if is_template:
        opened = text.rfind(SLOT)
        if opened < 0 or "}" in text[opened:]:
            return
        text = text[opened + len(SLOT) :]
    compared = COMPARED.search(text)
    if compared is not None:
        words = NAMES["tool"](cursor.part) if compared[1].endswith(TOOL_NAME) else vocabulary.members(compared[1])
        yield from (_name(cursor, Known(word, "", ""), kind="word") for word in words)
        return
    chain = CHAIN.search(text)
    before = chain[1].rstrip(".") if chain is not None else ""
    for known in vocabulary.after(before, text) if before else vocabulary.first():
        yield _name(cursor, known, kind="function" if known.is_function else "field")


def _name(cursor: Cursor, known: Known, *, kind: OfferKind) -> Offer:
    text = f"{known.name}($0)" if known.is_function else known.name
    return Offer(known.name, kind, text, cursor.start, cursor.end, known.form, known.about, int(known.is_function))
