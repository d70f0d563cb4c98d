"""in_text: the inputs, arguments and tools that expressions and `${…}` name, in whatever text of a spec they stand."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Items
from typing import NamedTuple

from agentspec.checker.questions.compared import compared_tools
from agentspec.checker.questions.conditions import condition_of
from agentspec.expressions.nodes import Index, Literal, Name, Node, Select, walk
from agentspec.expressions.parse import parse
from agentspec.expressions.template import parse_template
from agentspec.lsp.sheet import Part
from agentspec.lsp.uses.declared import declared_in
from agentspec.lsp.uses.of_tools import first_uses, parameters
from agentspec.lsp.uses.use import Use, name_span
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Path, Scalar, find
from agentspec.syntax.tree import walk as walk_tree
from agentspec.text.source import Span

GROUPS = ("inputs", "args")  # of expressions: their fields are declared in the spec
TELLING = (*GROUPS, '"', "'")  # an expression without them names nothing of a spec
SLOT = "${"


def text_uses(part: Part, parts: Items[Part]) -> Iterator[Use]:
    """What the texts of a document name, and those of what it extends and of its prompts' files.

    The tools are those of `parts`: of the document itself, or of what a scenario tries.
    """
    for mark in (*part.marks, *part.subject.marks):
        condition = condition_of(mark.node) if mark.annotation.get("kind") == "expression" else None
        if condition is not None and isinstance(mark.node, Scalar):
            yield from _named(part, parts, mark.path, Piece(mark.node, 0, condition))
    for path, node in _texts(part):
        for slot in parse_template(str(node.value)).slots:
            yield from _named(part, parts, path, Piece(node, slot.start + len(SLOT), slot.source))


def _texts(part: Part) -> Iterator[tuple[Path, Scalar]]:
    """The texts that have slots, each once."""
    composed = part.composed
    nodes = [*walk_tree(composed.document.root), *walk_tree(composed.root), *part.file_texts]
    texts = {id(node): (path, node) for path, node in nodes if isinstance(node, Scalar) and SLOT in str(node.value)}
    yield from texts.values()


class Piece(NamedTuple):
    """An expression, and where it begins in the value of its scalar."""

    node: Scalar
    start: int
    text: str

    def span(self, start: int, end: int) -> Span:
        """Where a part of it stands in its file."""
        return span_in(self.node, self.start + start, self.start + end)


def _named(part: Part, parts: Items[Part], path: Path, piece: Piece) -> Iterator[Use]:
    """What an expression names."""
    root = parse(piece.text).root if any(sign in piece.text for sign in TELLING) else None
    if root is None:
        return
    for group, field, at in _fields(root, piece.text):
        declared, span = _declared(part, group, path, root).get(field), piece.span(at, at + len(field))
        if declared is not None and span.text == field:  # else the values of a preset have moved it
            yield Use(span, name_span(declared), span)
    for literal in compared_tools(root, path):
        name, span = str(literal.value), piece.span(literal.start + 1, literal.end - 1)
        if span.text == name:  # neither raw nor with an escape in it
            yield from first_uses(parts, name, span, span)


def _fields(root: Node, text: str) -> Iterator[tuple[str, str, int]]:
    """Each `inputs.x`, `inputs["x"]` and `args.x`: the group, the field, and where the field stands."""
    for node in walk(root):
        match node:
            case Select(target=Name(name=group), field=field) if group in GROUPS:
                yield group, field, node.field_start
            case Index(target=Name(name=group), index=Literal(kind="string", value=field) as index) if group in GROUPS:
                if text[index.start + 1 : index.end - 1] == field:
                    yield group, str(field), index.start + 1


def _declared(part: Part, group: str, path: Path, root: Node) -> dict[str, Scalar]:
    """The keys that declare the fields of a group, for an expression at a path: of a tool, or of a rule about one."""
    if group == "inputs":
        return declared_in(part, ("inputs",))
    if path[:2] == ("capability", "tools") and len(path) > 2:
        return parameters(part, str(path[2]))
    beside = find(part.composed.tree, (*path[:-1], "tool"))
    told = [beside] if isinstance(beside, Scalar) else [*compared_tools(root, path)]
    return parameters(part, str(told[0].value)) if len(told) == 1 else {}
