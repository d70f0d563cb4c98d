"""sites: the places of a valid spec that a mistake can be made at, each with what the language allows there.

Reads the tree and the schema; writes no text and knows no finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from agentspec.spec.describe import find
from agentspec.spec.schema import MARK, Form, Node, form
from agentspec.spec.structure.shape import survey
from agentspec.syntax.read import parse
from agentspec.syntax.tree import Document, Entry, Mapping, Parsed, Path, Scalar, Sequence
from agentspec.syntax.tree import Node as Written
from agentspec.text.source import Source, Span
from tests.mutation.corpus import Spec

HEADS = ("name", "preset", "library", "scenario", "agent")


class Key(NamedTuple):
    """A key that the language names, with its value and the mapping it stands in."""

    path: Path
    entry: Entry
    holder: Mapping
    above: Span | None  # the key that holds the mapping; None for an item of a list and for the document
    wanted: Node  # what the schema says about the mapping
    value: Node  # what it says about the value
    kind: str

    @property
    def known(self) -> tuple[str, ...]:
        return tuple(self.wanted.get("properties", ()))

    @property
    def form(self) -> Form:
        return form(self.value)


class Value(NamedTuple):
    """A scalar, a value of a key or an item of a list, with what the schema says about its place."""

    path: Path
    node: Scalar
    wanted: Node
    kind: str

    @property
    def form(self) -> Form:
        return form(self.wanted)


class Expression(NamedTuple):
    """An expression or a template, and the place it stands at."""

    path: Path
    node: Scalar
    place: str
    is_template: bool
    kind: str


class Reference(NamedTuple):
    """A scalar that names something of this spec, and what that is: a `tool`, a `provider`, …"""

    path: Path
    node: Scalar
    to: str
    kind: str


class Sites(NamedTuple):
    parsed: Parsed
    keys: tuple[Key, ...]
    values: tuple[Value, ...]
    expressions: tuple[Expression, ...]
    lists: tuple[tuple[Path, Sequence, Node, str], ...]
    references: tuple[Reference, ...]

    @property
    def text(self) -> str:
        return self.parsed.source.text


def kind_of(document: Document) -> str:
    root = document.root
    names = root.names() if isinstance(root, Mapping) else []
    return next((head for head in HEADS[1:-1] if head in names), "agent")


@cache
def sites_of(spec: Spec) -> Sites:
    """The sites of a spec; parts that several aliases lead to are met once."""
    parsed = parse(Source(f"spec{spec.ending}", spec.text))
    tour = _Tour()
    for document in parsed.documents:
        tour.kind = kind_of(document)
        tour.node(document.root, (), None)
        for mark in survey(document.root, tour.kind).marks:
            tour.mark(mark.path, mark.node, mark.annotation)
    return Sites(
        parsed,
        tuple(tour.keys),
        tuple(tour.values),
        tuple(tour.expressions),
        tuple(tour.lists),
        tuple(tour.references),
    )


class _Tour:
    def __init__(self) -> None:
        self.kind = "agent"
        self.keys: list[Key] = []
        self.values: list[Value] = []
        self.expressions: list[Expression] = []
        self.lists: list[tuple[Path, Sequence, Node, str]] = []
        self.references: list[Reference] = []
        self.met: set[tuple[int, int]] = set()

    def node(self, node: Written, path: Path, above: Span | None) -> None:
        place = (node.span.start, node.span.end)
        wanted, _ = find(path, self.kind)
        if wanted is None:
            return
        match node:
            case Scalar(anchor=None) if place not in self.met:
                self.values.append(Value(path, node, wanted, self.kind))
            case Mapping():
                self.mapping(node, path, above, wanted)
            case Sequence():
                if node.anchor is None:
                    self.lists.append((path, node, wanted, self.kind))
                for index, item in enumerate(node.items):
                    self.node(item, (*path, index), None)
        self.met.add(place)

    def mapping(self, node: Mapping, path: Path, above: Span | None, wanted: Node) -> None:
        record = form(wanted).mapping
        if record is None:
            return
        record = record.get("else", record)
        for entry in node.entries:
            place = (entry.key.span.start, entry.key.span.end)
            value = record.get("properties", {}).get(entry.name)
            if value is not None and entry.key.span.text == entry.name and place not in self.met:
                self.met.add(place)
                self.keys.append(Key((*path, entry.name), entry, node, above, record, value, self.kind))
            self.node(entry.value, (*path, entry.name), entry.key.span)

    def mark(self, path: Path, node: Written, annotation: dict[str, Any]) -> None:
        if not isinstance(node, Scalar) or not isinstance(node.value, str) or node.anchor is not None:
            return
        match annotation:
            case {"kind": "expression" | "template" as kind, "place": str(place)}:
                if all(node.span != other.node.span for other in self.expressions):
                    self.expressions.append(Expression(path, node, place, kind == "template", self.kind))
            case {"kind": "reference", "to": str(target)}:
                if all(node.span != other.node.span for other in self.references):
                    self.references.append(Reference(path, node, target, self.kind))


def words_of(wanted: Node) -> tuple[str, ...]:
    """The words of which a value at a place has to be one; empty where other text is taken, too."""
    texts = form(wanted).texts
    known = [word for branch in texts for word in branch.get("enum", [branch["const"]] if "const" in branch else [])]
    is_closed = all("enum" in branch or "const" in branch for branch in texts)
    return tuple(str(word) for word in known) if is_closed else ()


def annotation(wanted: Node, kind: str) -> bool:
    """Whether the texts of a place are durations, sizes, …"""
    return any(branch.get(MARK, {}).get("kind") == kind for branch in form(wanted).texts)


WORD = re.compile(r"(?<!\w)[A-Za-z_]\w*")
KEYWORDS = ("true", "false", "null", "in")
QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
ESCAPED = re.compile(r"'(?:[^'\\]|\\.)*'|\\\"(?:[^\"\\])*\\\"")  # the same within double quotes of YAML or JSON
SLOT = re.compile(r"(?<!\$)\$\{([^}]*)\}")
ABOVE = re.compile(r"(?:[\w.]|\[\d*\])*$")
BINDS = re.compile(r"\.(?:all|exists|exists_one|map|filter)\(")


class Name(NamedTuple):
    """A name within an expression, and where it stands in the file."""

    text: str
    span: Span
    above: str  # what stands before the dot; empty for a name that stands alone
    is_function: bool
    has_fields: bool
    place: str


def names_of(expression: Expression) -> Iterator[Name]:
    """The names of an expression or of the slots of a template, found in the text of the file itself."""
    span, raw = expression.node.span, literals_out(expression.node)
    if BINDS.search(raw):
        return
    slots = [match.span(1) for match in SLOT.finditer(raw)] if expression.is_template else [(0, len(raw))]
    for start, end in slots:
        for match in WORD.finditer(raw, start, end):
            before, after = raw[: match.start()].rstrip(), raw[match.end() :].lstrip()
            above = ABOVE.findall(before[:-1])[0] or "?" if before.endswith(".") else ""
            if match[0] not in KEYWORDS:
                place = span.part(match.start(), match.end())
                yield Name(match[0], place, above, after.startswith("("), after.startswith("."), expression.place)


def literals_out(node: Scalar) -> str:
    """The text of a scalar with the string literals of its expression blanked out; quotes of the spelling stay."""
    raw = node.span.text if node.style != "expression" or "\r" in node.span.text else str(node.value)  # no comments
    is_quoted = node.style in ("single", "double", "string")
    inner = raw[1:-1] if is_quoted else raw
    pattern = ESCAPED if node.style in ("double", "string") else QUOTED
    blanked = pattern.sub(lambda found: " " * len(found[0]), inner)
    return f" {blanked} " if is_quoted else blanked
