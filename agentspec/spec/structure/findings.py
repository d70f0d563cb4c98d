"""findings: what the structural check says: the words, the place and the way out of each finding.

It decides nothing: that something is wrong was found by the walk. Findings of values stand in unfit.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from agentspec.spec.schema import Node as Wanted
from agentspec.spec.schema import told_once
from agentspec.spec.structure import words
from agentspec.spec.structure.meant import Meant
from agentspec.syntax.tree import Entry, Mapping, Node, Path, Scalar, Sequence, dotted
from agentspec.text.diagnostic import Diagnostic, Edit, Fix, FixClass, Related
from agentspec.text.source import Span
from agentspec.text.suggest import nearest

MOST_NAMED = 7  # keys in one sentence


def error(code: str, message: str, span: Span, path: Path, **more: Any) -> Diagnostic:
    """A finding that keeps a run from starting."""
    return Diagnostic(code, "error", message, span, dotted(path), **more)


def replace(span: Span, text: str, title: str, fix_class: FixClass = "local") -> Fix:
    """A fix that writes `text` in place of a span."""
    return Fix(title, (Edit(span, text),), fix_class)


def reword(node: Scalar, word: str, title: str, fix_class: FixClass = "local") -> Fix:
    """A fix that writes another word in the quotes that stand there; JSON needs quotes in any case."""
    written = node.span.text
    if len(written) > 1 and written[0] in "\"'" and written[-1] == written[0]:
        return replace(node.span.part(1, len(written) - 1), word, title, fix_class)
    is_json = node.span.source.name.endswith(".json")
    return replace(node.span, f'"{word}"' if is_json else word, title, fix_class)


def not_a_document(node: Node, kind: str) -> Diagnostic:
    """A list or a scalar where a document is."""
    what = words.found(node)
    if isinstance(node, Scalar) and node.value is None:
        return error("AS106", "the file is empty", node.span, (), help=f"write an {kind}: `name: …` and its sections")
    if isinstance(node, Sequence):
        help_text = "a file holds one document; several are separated by `---` lines"
        return error("AS106", "expected a mapping of keys, found a list", node.span, (), help=help_text)
    return error("AS106", f"expected a mapping of keys, found {what}", node.span, (), help="write `key: value` lines")


def place(path: Path, kind: str) -> str:
    """Where a mapping stands, in words."""
    return f"in `{dotted(path)}`" if path else f"in {'an agent' if kind == 'agent' else f'a {kind}'}"


def unknown_key(entry: Entry, meant: Meant, path: Path, kind: str, fix_class: FixClass | None) -> Diagnostic:
    """An unknown key, with what it likely stands for. Without a class there is no fix to offer."""
    fix = None
    if meant.rename is not None and entry.merged is None and fix_class is not None:
        fix = reword(entry.key, meant.rename, f"rename to `{meant.rename}`", fix_class)
    message = f"unknown key `{words.clipped(entry.name)}` {place(path, kind)}"
    return error("AS102", message, entry.key.span, (*path, entry.name), help=meant.help, fix=fix)


def malformed_name(key: Scalar, wanted: Wanted, path: Path) -> Diagnostic:
    """A name that the author gives, with a character that names can't have; or one that has to be one of several."""
    name = str(key.value)
    message = f"`{words.clipped(name)}` can't be a name here"
    listed = [str(each) for each in wanted.get("enum", ())]
    near = next(iter(nearest(name, listed)), None)
    if near is not None:
        return error(
            "AS107",
            message,
            key.span,
            path,
            help=f"did you mean `{near}`?",
            fix=reword(key, near, f"rename to `{near}`"),
        )
    return error(
        "AS107", message, key.span, path, help=f"it is {words.quoted(listed)}" if listed else words.name_rule(wanted)
    )


def excluding(node: Mapping, wanted: Wanted, path: Path) -> Iterator[Diagnostic]:
    """Keys that exclude each other."""
    for group in exclusive_groups(wanted):
        given = [entry for entry in node.entries if entry.name in group and entry.operation != "unset"]
        for other in given[1:]:
            yield _excludes(given[0], other, group, path)


def lonely(node: Mapping, wanted: Wanted, path: Path, unknown: dict[str, str]) -> Iterator[Diagnostic]:
    """Keys that need another. Where that one is needed anyway, it is told once."""
    if "dependentRequired" not in wanted:
        return
    entries = {entry.name: entry for entry in node.entries if entry.operation != "unset"}
    absent = {name for group in _needed_groups(wanted) if entries.keys().isdisjoint(group) for name in group}
    for name, needed in wanted["dependentRequired"].items():
        if name in entries and needed[0] not in entries:
            cause = f"AS102 {unknown[needed[0]]}" if needed[0] in unknown else None
            cause = cause or (f"AS104 {dotted(path)}" if needed[0] in absent else None)
            message = f"`{name}` needs `{needed[0]}` beside it"
            help_text = f"add `{needed[0]}`"
            yield error("AS105", message, entries[name].key.span, (*path, name), help=help_text, caused_by=cause)


def needed(wanted: Wanted) -> list[str]:
    """The keys that have to be there, and those of which one has to be."""
    return [*wanted.get("required", ()), *(name for group in _needed_groups(wanted) for name in group)]


@told_once
def exclusive_groups(wanted: Wanted) -> list[list[str]]:
    """The groups of keys of which a mapping can have one only."""
    groups = [part["not"]["required"] for part in wanted.get("allOf", ())]
    if "oneOf" in wanted:
        groups.append([branch["required"][0] for branch in wanted["oneOf"]])
    return groups


def _excludes(first: Entry, other: Entry, group: list[str], path: Path) -> Diagnostic:
    message = f"`{other.name}` and `{first.name}` exclude each other"
    related = (Related(first.key.span, f"`{first.name}` is given here"),)
    help_text = (
        f"keep one of the two; only one of {words.quoted(group)} may be given"
        if len(group) > 2
        else "keep one of the two"
    )
    return error("AS103", message, other.key.span, (*path, other.name), help=help_text, related=related)


class Place(NamedTuple):
    """Where a mapping stands: its path, the key that holds it, and the kind of document."""

    path: Path
    anchor: Span | None
    kind: str

    @property
    def words(self) -> str:
        return place(self.path, self.kind)


def missing(node: Mapping, wanted: Wanted, where: Place, unknown: dict[str, str]) -> Iterator[Diagnostic]:
    """Keys that have to be there. `unknown` maps what misspelt keys stand for to their paths."""
    present = {entry.name for entry in node.entries if entry.operation != "unset"}
    for name in wanted.get("required", ()):
        if name not in present:
            span = _head(node, where.anchor)
            cause = f"AS102 {unknown[name]}" if name in unknown else None
            message, help_text = f"`{name}` is missing {where.words}", _how_to_add(name, wanted)
            yield error("AS101", message, span, where.path, help=help_text, caused_by=cause)
    for group in _needed_groups(wanted):
        if present.isdisjoint(group):
            span = _head(node, where.anchor)
            cause = next((f"AS102 {unknown[name]}" for name in group if name in unknown), None)
            message, help_text = f"{_some_of(group)} is missing {where.words}", f"add {words.quoted(group)}"
            yield error("AS104", message, span, where.path, help=help_text, caused_by=cause)


@told_once
def _needed_groups(wanted: Wanted) -> list[list[str]]:
    groups = [
        [part["required"][0] for part in wanted.get(word, ()) if "required" in part] for word in ("oneOf", "anyOf")
    ]
    return [group for group in groups if group]


def _some_of(group: list[str]) -> str:
    if len(group) <= MOST_NAMED:
        return words.quoted(group)
    return f"{', '.join(f'`{name}`' for name in group[:3])} or another of {len(group)} keys"


def _head(node: Mapping, anchor: Span | None) -> Span:
    if anchor is not None and anchor != node.span:
        return anchor
    return node.entries[0].key.span if node.entries else node.span


def _how_to_add(name: str, wanted: Wanted) -> str:
    value = wanted["properties"][name]
    return f"add `{name}:` with {words.wanted(value)}"


def empty(node: Node, wanted: Wanted, path: Path) -> Diagnostic:
    """An empty list, which would mean nothing."""
    message = f"an empty list means nothing here: expected {words.wanted(wanted)} with at least one item"
    return error("AS206", message, node.span, path, help="add an item, or leave the key out")


def told_where_written(found: Diagnostic, node: Scalar | Mapping | Sequence) -> Diagnostic:
    """The finding, with the place of a value that an alias repeats."""
    if node.anchor is None or node.anchor == found.span:
        return found
    return found._replace(related=(*found.related, Related(node.anchor, "the value is written here")))
