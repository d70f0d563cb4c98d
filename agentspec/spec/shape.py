"""shape: whether a document has the structure of the language: keys, types, units, words, ranges. All in one pass.

It knows no rule of its own: what is allowed stands in the schema. What is broken is unknown, and nothing is said of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from agentspec.spec import findings, unfit, values
from agentspec.spec.schema import MARK, Form, form, pattern, root, value_of
from agentspec.spec.schema import Node as Wanted
from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Path, Scalar, Sequence
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Span

# A value that is nothing but one interpolation is known only when the inputs are: its type is checked then.
INTERPOLATED: Final = re.compile(r"\$\{[^${}]*\}")
VALUE_TEMPLATE: Final[dict[str, Any]] = {"kind": "template", "place": "values"}


class Mark(NamedTuple):
    """A node (or a key) whose meaning the schema knows: an expression and its place, a reference and its target."""

    path: Path
    node: Node
    annotation: dict[str, Any]


class Survey(NamedTuple):
    """What one walk over a document gave."""

    diagnostics: list[Diagnostic]
    marks: list[Mark]


def check_shape(root_node: Node, kind: str, *, partial: bool | None = None, broken: bool = False) -> list[Diagnostic]:
    """All findings of structure (AS1xx) and values (AS2xx) of a document of a kind.

    `partial`: keys may still come from another layer, so that none is reported as missing outside of lists; by
    default a preset is partial. `broken`: some part of the document could not be read, so that nothing is missing.
    """
    return survey(root_node, kind, partial=partial, broken=broken).diagnostics


def annotated(root_node: Node, kind: str) -> Iterator[Mark]:
    """Every node whose meaning the schema knows, with its path and annotation, in the order of the document."""
    yield from survey(root_node, kind).marks


def survey(root_node: Node, kind: str, *, partial: bool | None = None, broken: bool = False) -> Survey:
    """The findings and the marks of a document in one walk."""
    walk = Walk(kind, partial=kind == "preset" if partial is None else partial, broken=broken)
    walk.document(root_node)
    return Survey(walk.found, walk.marks)


class Walk:
    """One walk over a document; collects findings and marks."""

    def __init__(self, kind: str, *, partial: bool, broken: bool) -> None:
        self.kind = kind
        self.partial = partial
        self.broken = broken
        self.found: list[Diagnostic] = []
        self.marks: list[Mark] = []

    def document(self, node: Node) -> None:
        """The whole document."""
        if isinstance(node, Mapping):
            self.mapping(node, root(self.kind), (), None, partial=self.partial)
        elif not isinstance(node, Broken):
            self.found.append(findings.not_a_document(node, self.kind))

    def value(self, node: Node, wanted: Wanted, path: Path, anchor: Span, *, partial: bool) -> None:
        """A value at a place where the schema wants something."""
        allowed = form(wanted)
        match node:
            case Broken():
                return
            case Mapping() if allowed.mapping is not None:
                self.mapping(node, allowed.mapping, path, anchor, partial=partial)
            case Sequence() if allowed.sequence is not None:
                self.sequence(node, allowed.sequence, path)
            case Scalar():
                self.scalar(node, wanted, allowed, path)
            case _ if allowed.free:
                self.mark(node, wanted, path)
            case _:
                self.found.append(unfit.wrong_type(node, wanted, allowed, path))

    def scalar(self, node: Scalar, wanted: Wanted, allowed: Form, path: Path) -> None:
        """A string, number, boolean or null."""
        branch = fitting(node.value, allowed)
        if branch is not None and takes(node.value, branch):
            self.mark(node, branch, path)
        elif is_interpolation(node):
            self.marks.append(Mark(path, node, VALUE_TEMPLATE))
        elif branch is not None:
            self.found.append(unfit.refused(node, wanted, allowed, branch, path))
        else:
            self.found.append(unfit.wrong_type(node, wanted, allowed, path))

    def mark(self, node: Node, branch: Wanted, path: Path) -> None:
        """Note what the schema knows about a node."""
        annotation = branch.get(MARK)
        if annotation is not None:
            self.marks.append(Mark(path, node, annotation))

    def sequence(self, node: Sequence, wanted: Wanted, path: Path) -> None:
        """A list and its items."""
        self.mark(node, wanted, path)
        if len(node.items) < wanted.get("minItems", 0):
            self.found.append(findings.empty(node, wanted, path))
        item = wanted.get("items")
        if item is None:
            return
        for index, child in enumerate(node.items):
            self.value(child, item, (*path, index), child.span, partial=False)

    def mapping(self, node: Mapping, wanted: Wanted, path: Path, anchor: Span | None, *, partial: bool) -> None:
        """A mapping: its keys, its values, and what is missing."""
        self.mark(node, wanted, path)
        unknown: dict[str, str] = {}
        for entry in node.entries:
            value = value_of(wanted, entry.name)
            if value is not None:
                self.entry(entry, value, wanted, path, partial=partial)
                continue
            problem, meant = findings.unknown_key(entry, node, wanted, path, self.kind)
            self.found.append(problem)
            unknown[meant] = problem.path
        self.found += findings.conflicts(node, wanted, path)
        if not (partial or self.broken or any(isinstance(entry.value, Broken) for entry in node.entries)):
            self.found += findings.missing(node, wanted, findings.Place(path, anchor, self.kind), unknown)

    def entry(self, entry: Entry, value: Wanted, wanted: Wanted, path: Path, *, partial: bool) -> None:
        """One entry of a mapping whose key is known."""
        where = (*path, entry.name)
        if "propertyNames" in wanted and entry.name not in wanted.get("properties", {}):
            self.key(entry, wanted["propertyNames"], where)
        match entry.operation:
            case "unset":
                return
            case "append":
                self.append(entry, value, where)
            case _:
                self.value(entry.value, value, where, entry.key.span, partial=partial)

    def key(self, entry: Entry, wanted: Wanted, path: Path) -> None:
        """A name that the author gives by writing it as a key."""
        self.mark(entry.key, wanted, path)
        if not takes(entry.name, wanted):
            self.found.append(findings.malformed_name(entry.key, wanted, path))

    def append(self, entry: Entry, value: Wanted, path: Path) -> None:
        """`+key:` adds to a list of a layer below."""
        allowed = form(value)
        if allowed.sequence is None and not allowed.free:
            self.found.append(findings.cannot_append(entry, value, path))
            return
        self.value(entry.value, allowed.sequence or value, path, entry.key.span, partial=False)


def is_interpolation(node: Scalar) -> bool:
    """Whether a value is one `${…}` and nothing else."""
    return isinstance(node.value, str) and INTERPOLATED.fullmatch(node.value) is not None


def fitting(value: object, allowed: Form) -> Wanted | None:
    """The branch that a scalar belongs to by its shape; of several branches for text, the one that takes it."""
    match value:
        case bool() if allowed.boolean is not None:
            return allowed.boolean
        case str() if allowed.texts:
            return next((branch for branch in allowed.texts if takes(value, branch)), allowed.texts[-1])
        case int() | float() if allowed.number is not None and not isinstance(value, bool):
            return allowed.number
        case _:
            return {} if allowed.free else None


def takes(value: object, branch: Wanted) -> bool:
    """Whether a scalar of the right shape is within the limits of its branch."""
    if "enum" in branch and value not in branch["enum"]:
        return False
    if "const" in branch and value != branch["const"]:
        return False
    if "not" in branch and value in branch["not"]["enum"]:
        return False
    match value:
        case str():
            return _takes_text(value, branch)
        case int() | float() if not isinstance(value, bool):
            return _takes_number(value, branch)
        case _:
            return True


def _takes_text(text: str, branch: Wanted) -> bool:
    if len(text) < branch.get("minLength", 0):
        return False
    if branch.get(MARK, {}).get("kind") == "regex" and not values.is_pattern(text):
        return False
    return "pattern" not in branch or pattern(branch["pattern"]).search(text) is not None


def _takes_number(number: float, branch: Wanted) -> bool:
    wanted = branch.get("type")
    if wanted == "integer" and not isinstance(number, int):
        return False
    if wanted is not None and not math.isfinite(number):
        return False
    low, high, above = branch.get("minimum"), branch.get("maximum"), branch.get("exclusiveMinimum")
    return (low is None or number >= low) and (high is None or number <= high) and (above is None or number > above)
