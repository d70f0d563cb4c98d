"""filled: the values of a spec's own inputs, put where a run reads settings.

Texts for models, arguments of tools and expressions are filled in when a run comes to them, and values that are the
author's own are never looked into: both are left alone. What is put in stands where its slot stands.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentspec.checker.effective import node_of
from agentspec.compose.bind import bind
from agentspec.compose.load import Composed, input_values
from agentspec.spec.shape import VALUE_TEMPLATE, Mark, survey
from agentspec.syntax.tree import Entry, Mapping, Node, Path, Scalar, Sequence

LEFT_ALONE = frozenset(("expression", "template", "templates", "free", "json_schema"))


def filled_tree(composed: Composed) -> Mapping:
    """The tree of an agent with the values of its inputs in its settings; the same tree where there is none to put.

    An input without a value leaves its slot as it is.
    """
    if not _may_have_slots(composed):
        return composed.tree
    slots = open_slots(composed, survey(composed.root, composed.kind, broken=True).marks)
    return with_inputs(composed, slots)


def with_inputs(composed: Composed, slots: Iterable[Mark]) -> Mapping:
    """The tree with the values of the inputs in these slots."""
    values = input_values(composed)
    found = {}
    for slot in slots:
        filled = bind(slot.node, {name: node_of(value, slot.node.span) for name, value in values.items()})
        if filled is not slot.node:
            found[slot.path] = filled
    tree = _replaced(composed.tree, (), found) if found else composed.tree
    assert isinstance(tree, Mapping)
    return tree


def open_slots(composed: Composed, marks: Iterable[Mark]) -> list[Mark]:
    """The texts in settings that name inputs, as templates; `marks` are what the schema knows of the document."""
    if not _may_have_slots(composed):
        return []
    closed = {
        mark.path
        for mark in marks
        if mark.annotation.get("kind") in LEFT_ALONE and mark.annotation is not VALUE_TEMPLATE
    }
    found: list[Mark] = []
    waiting: list[tuple[Path, Node]] = [((entry.name,), entry.value) for entry in composed.tree.entries]
    while waiting:
        path, node = waiting.pop()
        if path in closed or path == ("inputs",):
            continue
        match node:
            case Mapping():
                waiting += [((*path, entry.name), entry.value) for entry in node.entries]
            case Sequence():
                waiting += [((*path, index), item) for index, item in enumerate(node.items)]
            case Scalar(value=str() as text) if "${" in text and "inputs" in text:
                found.append(Mark(path, node, VALUE_TEMPLATE))
    return found


def _may_have_slots(composed: Composed) -> bool:
    return composed.kind == "agent" and not composed.has_broken


def _replaced(node: Node, path: Path, found: dict[Path, Node]) -> Node:
    """The node with others in the place of those at these paths; what holds none of them is shared."""
    if path in found:
        return found[path]
    if not any(place[: len(path)] == path for place in found):
        return node
    match node:
        case Mapping():
            entries = [_entry(entry, _replaced(entry.value, (*path, entry.name), found)) for entry in node.entries]
            return Mapping(entries=entries, span=node.span, flow=node.flow, anchor=node.anchor, comments=node.comments)
        case Sequence():
            items = [_replaced(item, (*path, index), found) for index, item in enumerate(node.items)]
            return Sequence(items=items, span=node.span, flow=node.flow, anchor=node.anchor, comments=node.comments)
        case _:
            return node


def _entry(entry: Entry, value: Node) -> Entry:
    if value is entry.value:
        return entry
    return Entry(
        key=entry.key,
        value=value,
        operation=entry.operation,
        final=entry.final,
        merged=entry.merged,
        comments=entry.comments,
    )
