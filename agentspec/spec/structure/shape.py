"""shape: whether a document has the structure of the language: keys, types, units, words, ranges. All in one pass.

It knows no rule of its own: what is allowed stands in the schema. What is broken is unknown, and nothing is said of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from agentspec.spec import values
from agentspec.spec.describe import find
from agentspec.spec.schema import MARK, Form, form, root, value_of
from agentspec.spec.schema import Node as Wanted
from agentspec.spec.slots import is_interpolation, is_open_slot
from agentspec.spec.structure import findings, misplaced, unfit
from agentspec.spec.structure.findings import exclusive_groups, told_where_written
from agentspec.spec.structure.fits import fitting, takes
from agentspec.spec.structure.meant import HEADS, Meant, meant_key, unguessed
from agentspec.spec.structure.repair import wrong_type
from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Path, Scalar, Sequence, mappings, plain, walk
from agentspec.text.diagnostic import Diagnostic, FixClass
from agentspec.text.source import Span
from agentspec.text.suggest import is_close

INSIDE_IS_FREE: Final = frozenset(("free", "templates", "json_schema"))
GUESSED: Final = 200  # unknown keys of one mapping whose meaning is looked for
VALUE_TEMPLATE: Final[dict[str, Any]] = {"kind": "template", "place": "prompt"}


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


def survey(
    root_node: Node,
    kind: str,
    *,
    partial: bool | None = None,
    broken: bool = False,
    own: Span | None = None,
    is_read: bool = False,
) -> Survey:
    """The findings and the marks of a document in one walk. `own` is where the document itself stands, where parts of
    it come from elsewhere: what others say is no neighbour of a key that is misspelt in it. `is_read`: only those
    others are `broken`, so that what nobody inherits is there whole.
    """
    tour = Walk(kind, partial=kind == "preset" if partial is None else partial, broken=broken)
    tour.own, tour.is_read = own, is_read
    tour.document(root_node)
    return Survey(once(tour.found), tour.marks)


def once(found: list[Diagnostic]) -> list[Diagnostic]:
    """Each finding once: what is reached by several aliases or merges is written, and wrong, at one place."""
    kept: dict[object, Diagnostic] = {}
    for one in found:
        kept.setdefault((one.code, one.span.source.name, one.span.start, one.span.end, one.help), one)
    return list(kept.values())


NOT_INHERITED = (("use",), ("extends",))


class Walk:
    """One walk over a document; collects findings and marks."""

    def __init__(self, kind: str, *, partial: bool, broken: bool) -> None:
        self.kind = kind
        self.partial = partial
        self.broken = broken
        self.is_read = False
        self.own: Span | None = None
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
                told = misplaced.word_in_list(node, wanted, allowed, path)
                self.sequence(node, allowed.sequence, path) if told is None else self.found.append(told)
            case Scalar():
                self.scalar(node, wanted, allowed, path)
            case _ if allowed.free is not None:
                self.free(node, allowed.free, path)
            case _:
                self.found.append(told_where_written(wrong_type(node, wanted, allowed, path), node))

    def scalar(self, node: Scalar, wanted: Wanted, allowed: Form, path: Path) -> None:
        """A string, number, boolean or null."""
        branch = fitting(node.value, allowed)
        if branch is not None and takes(node.value, branch):
            self.free(node, branch, path)
        elif is_interpolation(node) or is_open_slot(node):
            self.marks.append(Mark(path, node, VALUE_TEMPLATE))
        elif branch is not None:
            self.found.append(told_where_written(unfit.refused(node, wanted, allowed, branch, path), node))
        else:
            self.found.append(told_where_written(wrong_type(node, wanted, allowed, path), node))

    def mark(self, node: Node, branch: Wanted, path: Path) -> None:
        """Note what the schema knows about a node."""
        annotation = branch.get(MARK)
        if annotation is not None:
            self.marks.append(Mark(path, node, annotation))

    def free(self, node: Node, branch: Wanted, path: Path) -> None:
        """A value whose inside is the author's own: noted as a whole, or text by text where it holds templates."""
        annotation = branch.get(MARK, {})
        if annotation.get("kind") != "templates":
            self.mark(node, branch, path)
            return
        inside = {**annotation, "kind": "template"}
        for where, part in walk(node, path):
            if isinstance(part, Scalar) and isinstance(part.value, str):
                self.marks.append(Mark(where, part, inside))

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
        if wanted.get(MARK, {}).get("kind") in INSIDE_IS_FREE or is_whole_schema(node, wanted):
            self.free(node, wanted, path)
            return
        self.mark(node, wanted, path)
        wanted = wanted.get("else", wanted)
        values = [value_of(wanted, entry.name) for entry in node.entries]
        unknown = self.unknown(node, wanted, path) if None in values else {}
        for entry, value in zip(node.entries, values, strict=True):
            if value is None:
                self.found.append(unknown[entry.name])
                self.inside(entry, unknown[entry.name], wanted, path)
            else:
                known = len(self.found)
                self.entry(entry, value, wanted, path, partial=partial)
                if len(self.found) > known and misplaced.REASON in wanted.get("properties", ()):
                    self.found[known:] = [misplaced.as_reason(one, entry, value, node) for one in self.found[known:]]
        self.found += findings.excluding(node, wanted, path)
        is_unknown = self.broken and not (self.is_read and path[:1] in NOT_INHERITED)
        if not (is_unknown or any(isinstance(entry.value, Broken) for entry in node.entries)):
            stands_for = self.stands_for(node, unknown, wanted, path) if unknown else {}
            self.found += findings.lonely(node, wanted, path, stands_for)
            if not partial:
                self.found += findings.missing(node, wanted, findings.Place(path, anchor, self.kind), stands_for)

    def inside(self, entry: Entry, unknown: Diagnostic, wanted: Wanted, path: Path) -> None:
        """What is wrong within a section or list whose key is misspelt, as far as its shape can tell."""
        meant = unknown.fix.edits[0].text.strip("\"'") if unknown.fix else ""
        value = wanted.get("properties", {}).get(meant)
        if value is not None and isinstance(entry.value, Mapping | Sequence) and is_close(entry.name, meant):
            known = len(self.marks)
            self.value(entry.value, value, (*path, entry.name), entry.key.span, partial=True)
            del self.marks[known:]  # what its texts mean depends on where they stand

    def stands_for(self, node: Mapping, unknown: dict[str, Diagnostic], wanted: Wanted, path: Path) -> dict[str, str]:
        """The keys that unknown ones are likely to stand for, each with the path of the unknown one.

        One whose name says nothing may be any that has to be there and that its value fits.
        """
        found = {one.fix.edits[0].text.strip("\"'"): one.path for one in unknown.values() if one.fix}
        if not path and not found.keys().isdisjoint(HEADS):
            found["name"] = next(found[head] for head in HEADS if head in found)
        guessless = [entry for entry in node.entries if entry.name in unknown and unknown[entry.name].fix is None]
        for entry in guessless[:GUESSED]:
            found.setdefault(entry.name.partition(":")[0], unknown[entry.name].path)  # `key:value` without a blank
            for name in findings.needed(wanted):
                if (
                    node.entry(name) is None
                    and name not in found
                    and self.fits(entry, wanted["properties"][name], path)
                ):
                    found[name] = unknown[entry.name].path
        return found

    def fits(self, entry: Entry, wanted: Wanted, path: Path) -> bool:
        """Whether the value of an entry could stand at another key."""
        trial = Walk(self.kind, partial=False, broken=False)
        trial.value(entry.value, wanted, path, entry.key.span, partial=False)
        return not trial.found

    def _layer(self, entry: Entry) -> tuple[int, bool]:
        """What an entry shares with its neighbours: its file, and whether it stands in the document itself."""
        place = entry.key.span
        return id(place.source), self.own is None or self.own.start <= place.start < self.own.end

    def unknown(self, node: Mapping, wanted: Wanted, path: Path) -> dict[str, Diagnostic]:
        """The findings of the unknown keys of a mapping, by key."""
        strangers = [entry for entry in node.entries if value_of(wanted, entry.name) is None]
        if not strangers:
            return {}
        beside: dict[tuple[int, bool], set[str]] = {}
        for other in node.entries:
            beside.setdefault(self._layer(other), set()).add(other.name)
        guesses = [
            meant_key(one.name, wanted, beside[self._layer(one)], path, self.kind) for one in strangers[:GUESSED]
        ]
        claims = Counter((self._layer(one), meant.rename) for one, meant in zip(strangers, guesses, strict=False))
        guesses += [unguessed(wanted)] * (len(strangers) - len(guesses))
        taken = {name for group in exclusive_groups(wanted) if not {*group}.isdisjoint(node.names()) for name in group}
        found: dict[str, Diagnostic] = {}
        for entry, meant in zip(strangers, guesses, strict=True):
            can_be = meant.rename not in taken and self.can_be(entry, meant, wanted, path)
            fix_class: FixClass | None = "local" if can_be else "surface"
            if claims[self._layer(entry), meant.rename] > 1:
                fix_class = None  # two keys of one name would be worse
            found[entry.name] = findings.unknown_key(entry, meant, path, self.kind, fix_class)
        return found

    def can_be(self, entry: Entry, meant: Meant, wanted: Wanted, path: Path) -> bool:
        """Whether an unknown key can be given its likely name without asking."""
        if meant.rename is None:
            return False
        if not meant.is_foreign:
            return is_close(entry.name, meant.rename)
        return self.fits(entry, wanted["properties"][meant.rename], path)

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
        """`+key:` adds items to a list of a layer below; whether there is one is the composition's question."""
        allowed = form(value)
        if isinstance(entry.value, Sequence) and allowed.sequence is not None:
            self.sequence(entry.value, allowed.sequence, path)


def is_whole_schema(node: Mapping, wanted: Wanted) -> bool:
    """Whether a tool's parameters are one JSON Schema, taken as written, instead of types by name."""
    return "else" in wanted and len(node.entries) == 1 and values.is_full_schema(plain(node))


def unknown_unsets(node: Node, kind: str) -> list[Diagnostic]:
    """The findings about unknown keys that a document unsets: composition has taken those away."""
    tour = Walk(kind, partial=True, broken=True)
    for path, part in mappings(node):
        unset = [entry for entry in part.entries if entry.operation == "unset"]
        holder = find(path, kind)[0] if unset else None
        record = None if holder is None else form(holder).mapping
        wanted = None if record is None else record.get("else", record)
        if wanted is not None and any(value_of(wanted, entry.name) is None for entry in unset):
            alone = Mapping(entries=unset, span=part.span)
            tour.found += tour.unknown(alone, wanted, path).values()
    return tour.found
