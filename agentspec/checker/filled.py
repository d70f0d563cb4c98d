"""filled: the values of a spec's own inputs, put where a run reads settings.

Texts for models, arguments of tools and expressions are filled in when a run comes to them, and values that are the
author's own are never looked into: both are left alone. What is put in stands where its slot stands.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentspec.checker.effective import node_of
from agentspec.compose.bind import bind
from agentspec.compose.load import Composed, input_values
from agentspec.spec.structure.shape import VALUE_TEMPLATE, Mark, survey
from agentspec.syntax.tree import Mapping, Node, Path, Scalar, Sequence

LEFT_ALONE = frozenset(("expression", "template", "templates", "free", "json_schema"))


def filled_tree(composed: Composed) -> Mapping:
    """The tree of an agent with the values of its inputs in its settings; the same tree where there is none to put.

    An input without a value leaves its slot as it is.
    """
    if not input_values(composed):
        return composed.tree
    slots = open_slots(composed, survey(composed.root, composed.kind, broken=True).marks)
    return with_inputs(composed, slots)


def with_inputs(composed: Composed, slots: Iterable[Mark]) -> Mapping:
    """The tree with the values of the inputs in these slots."""
    values = input_values(composed)
    found = {
        slot.path: bind(slot.node, {name: node_of(value, slot.node.span) for name, value in values.items()})
        for slot in slots
    }
    above = {path[:length] for path in found for length in range(len(path))}
    tree = _replaced(composed.tree, (), found, above)
    assert isinstance(tree, Mapping)
    return tree


def open_slots(composed: Composed, marks: Iterable[Mark]) -> list[Mark]:
    """The texts in settings that name inputs, as templates; `marks` are what the schema knows of the document."""
    if composed.kind != "agent" or composed.has_broken:
        return []
    closed = {
        mark.path
        for mark in marks
        if mark.annotation.get("kind") in LEFT_ALONE and mark.annotation is not VALUE_TEMPLATE
    }
    closed.add(("inputs",))
    found: list[Mark] = []
    waiting: list[tuple[Path, Node]] = [((), composed.tree)]
    while waiting:
        above, node = waiting.pop()
        for step, part in _parts(node):
            if isinstance(part, Scalar) and not _names_inputs(part):
                continue
            path = (*above, step)
            if path in closed:
                continue
            if isinstance(part, Scalar):
                found.append(Mark(path, part, VALUE_TEMPLATE))
            else:
                waiting.append((path, part))
    return found


def _parts(node: Node) -> Iterable[tuple[str | int, Node]]:
    match node:
        case Mapping():
            return [(entry.name, entry.value) for entry in node.entries]
        case Sequence():
            return enumerate(node.items)
        case _:
            return ()


def _names_inputs(node: Scalar) -> bool:
    return isinstance(node.value, str) and "${" in node.value and "inputs" in node.value


def _replaced(node: Node, path: Path, found: dict[Path, Node], above: set[Path]) -> Node:
    """The node with others in the place of those at the paths in `found`; what lies not `above` any is shared."""
    if path in found:
        return found[path]
    if path not in above:
        return node
    match node:
        case Mapping():
            values = [_replaced(entry.value, (*path, entry.name), found, above) for entry in node.entries]
            entries = [entry.with_value(value) for entry, value in zip(node.entries, values, strict=True)]
            return node if entries == node.entries else node.with_entries(entries)
        case Sequence():
            items = [_replaced(item, (*path, index), found, above) for index, item in enumerate(node.items)]
            return node if items == node.items else node.with_items(items)
        case _:
            return node
