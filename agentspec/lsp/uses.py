"""uses: which word of a file names what, and where that is declared. One model for definition, references and rename.

Composition and the checker find what a name means; nothing is resolved a second way here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from agentspec.checker.compared import compared_tools
from agentspec.checker.conditions import condition_of
from agentspec.compose.called import find_called
from agentspec.compose.documents import items_of, kind_of
from agentspec.compose.libraries.find import presets_of
from agentspec.compose.libraries.opened import libraries_of
from agentspec.compose.reference import Target, find_target
from agentspec.expressions.nodes import Name, Node, Select, walk
from agentspec.expressions.parse import parse
from agentspec.expressions.template import parse_template
from agentspec.lsp.sheet import Part
from agentspec.spec.shape import Mark
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Document, Mapping, Path, Scalar, find
from agentspec.syntax.tree import Node as TreeNode
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Span

GROUPS = ("inputs", "args")  # of expressions: their fields are declared in the spec
TELLING = (*GROUPS, '"', "'")  # an expression without them names nothing of a spec


class Use(NamedTuple):
    """A word that names something declared elsewhere. `word` is what a new name would replace, if anything.

    `target` is the name where it is declared, or what brings it; `has_name` is false where that is no name of its own:
    a toolkit, a file.
    """

    span: Span
    target: Span
    word: Span | None
    has_name: bool = True


def uses(part: Part) -> Iterator[Use]:
    """Every word of a document, and of what it extends, whose declaration is known."""
    for kind, find_uses in FINDERS.items():
        for _, node, name in part.subject.references(kind):
            yield from find_uses(part, node, name)
    for mark in part.marks:
        yield from _in_expressions(part, mark)
    yield from _given(part)
    yield from _exported(part)


def name_span(node: Scalar) -> Span:
    """The name that a scalar holds, without quotes."""
    return span_in(node, 0, len(str(node.value)))


def declared_name(document: Document) -> Scalar | None:
    """Where a document says its own name."""
    root, kind = document.root, kind_of(document)
    node = root.get("name" if kind == "agent" else kind) if isinstance(root, Mapping) else None
    return node if isinstance(node, Scalar) else None


# --- references -------------------------------------------------------------------------------------------------------


def _tool(part: Part, node: Scalar, name: str) -> Iterator[Use]:
    yield from _of_tool(part, name, node.span, name_span(node))


def _of_tool(part: Part, name: str, span: Span, word: Span) -> Iterator[Use]:
    for offered in part.subject.offered:
        if offered.name == name:
            entry = part.subject.entry(*offered.path)
            is_declared = offered.path[:2] != ("capability", "toolkits") and offered.path[-1] == name
            target = name_span(entry.key) if entry is not None and is_declared else offered.span
            yield Use(span, target, word, has_name=is_declared)


def _server(part: Part, node: Scalar, name: str) -> Iterator[Use]:
    server = name.partition("/")[0]
    entry = part.subject.entry("capability", "mcp", server)
    if entry is not None:
        yield Use(node.span, name_span(entry.key), span_in(node, 0, len(server)))


def _route(part: Part, node: Scalar, name: str) -> Iterator[Use]:
    for route, _ in part.subject.items("model", "routes"):
        label = part.subject.at(*route, "label")
        if isinstance(label, Scalar) and label.value == name:
            yield Use(node.span, name_span(label), name_span(node))


def _preset(part: Part, node: Scalar, _: str) -> Iterator[Use]:
    found = find_target(node, part.target, part.sheet.files)
    if not isinstance(found, Diagnostic):
        yield _of_document(node, found)


def _agent(part: Part, node: Scalar, name: str) -> Iterator[Use]:
    found = find_called(name, part.target, part.sheet.files)
    if found is not None:
        yield _of_document(node, found)


def _of_document(node: Scalar, found: Target) -> Use:
    text, declared = str(node.value), declared_name(found.document)
    if declared is None:
        return Use(node.span, found.document.span.part(0, 0), None, has_name=False)
    name = str(declared.value)
    # `FILE#name` and `alias.name` end in the name; a file alone does not say it.
    has_name = text == name or text.endswith((f"#{name}", f".{name}"))
    return Use(node.span, name_span(declared), span_in(node, len(text) - len(name), len(text)) if has_name else None)


FINDERS: dict[str, Callable[[Part, Scalar, str], Iterator[Use]]] = {
    "tool": _tool,
    "mcp_server": _server,
    "mcp_tool": _server,
    "route": _route,
    "preset": _preset,
    "agent": _agent,
}


# --- expressions and inputs -------------------------------------------------------------------------------------------


def _in_expressions(part: Part, mark: Mark) -> Iterator[Use]:
    """The inputs, arguments and tools that an expression or a text names."""
    node, kind = mark.node, mark.annotation.get("kind")
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or kind not in ("expression", "template"):
        return
    if kind == "expression":
        pieces = [(0, condition_of(node) or "")]
    else:
        pieces = [(slot.start + 2, slot.source) for slot in parse_template(node.value).slots]
    for start, text in pieces:
        if not any(sign in text for sign in TELLING):
            continue
        root = parse(text).root
        for group, field, at in _fields(root):
            declared = _declared(part, group, mark.path).get(field)
            if declared is not None:
                span = span_in(node, start + at, start + at + len(field))
                yield Use(span, name_span(declared), span)
        for literal in compared_tools(root, mark.path) if root is not None else ():
            first, last = literal.start + 1, literal.end - 1
            if text[first:last] == literal.value:  # neither raw nor with an escape in it
                span = span_in(node, start + first, start + last)
                yield from _of_tool(part, str(literal.value), span, span)


def _fields(root: Node | None) -> Iterator[tuple[str, str, int]]:
    """Each `inputs.x` and `args.x`: the group, the field, and where the field stands."""
    for node in walk(root) if root is not None else ():
        match node:
            case Select(target=Name(name=group), field=field) if group in GROUPS:
                yield group, field, node.field_start


def _declared(part: Part, group: str, path: Path) -> dict[str, Scalar]:
    """The keys that declare the fields of a group, for an expression at a path."""
    if group == "inputs":
        return _keys(find(part.composed.tree, ("inputs",)))
    tool = next((tool for tool in part.subject.tools if tool.path == path[:3]), None)
    return {} if tool is None else {entry.name: entry.key for _, entry in tool.parameters}


def _given(part: Part) -> Iterator[Use]:
    """The inputs that are given to what a document extends (`with`), or to the agent of a scenario."""
    root = part.composed.document.root
    for item in items_of(root.get("extends") if isinstance(root, Mapping) else None):
        reference = item.get("use") if isinstance(item, Mapping) else None
        if isinstance(item, Mapping) and isinstance(reference, Scalar):
            found = find_target(reference, part.target, part.sheet.files)
            if not isinstance(found, Diagnostic):
                yield from _matched(item.get("with"), found.root.get("inputs"))
    target = root.get("for") if isinstance(root, Mapping) and part.composed.kind == "scenario" else None
    if isinstance(target, Scalar) and isinstance(root, Mapping):
        called = find_called(str(target.value), part.target, part.sheet.files)
        if called is not None:
            yield from _matched(root.get("inputs"), called.root.get("inputs"))


def _exported(part: Part) -> Iterator[Use]:
    """The presets that a library exports."""
    library = libraries_of(part.sheet.files).around(part.target.folder) if part.composed.kind == "library" else None
    for _, node in part.subject.items("exports", "presets") if library is not None else ():
        if library is not None and isinstance(node, Scalar):
            yield from (_of_document(node, found) for found in presets_of(library, str(node.value), part.sheet.files))


def _matched(given: TreeNode | None, declared: TreeNode | None) -> Iterator[Use]:
    known = _keys(declared)
    for name, key in _keys(given).items():
        if name in known:
            yield Use(key.span, name_span(known[name]), name_span(key))


def _keys(node: TreeNode | None) -> dict[str, Scalar]:
    entries = node.entries if isinstance(node, Mapping) else []
    return {entry.name: entry.key for entry in entries if entry.operation != "unset"}
