"""uses: which word of a file names what, and where that is declared. One model for definition, references and rename.

Composition and the checker find what a name means; nothing is resolved a second way here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agentspec.checker.questions.compared import compared_tools
from agentspec.checker.questions.conditions import condition_of
from agentspec.compose.documents import items_of
from agentspec.compose.libraries.find import presets_of
from agentspec.compose.libraries.opened import libraries_of
from agentspec.compose.reference import find_target
from agentspec.compose.rights.called import find_called
from agentspec.expressions.nodes import Name, Node, Select, walk
from agentspec.expressions.parse import parse
from agentspec.expressions.template import parse_template
from agentspec.lsp.sheet import Part
from agentspec.lsp.use import Use, document_use, keys_of, matched, name_span, tool_uses
from agentspec.spec.structure.shape import Mark
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Mapping, Path, Scalar, find, plain
from agentspec.syntax.tree import walk as walk_tree
from agentspec.text.diagnostic import Diagnostic

GROUPS = ("inputs", "args")  # of expressions: their fields are declared in the spec
HOOKS = ("on_start", "on_end")
COMPONENT = "#/components/"
TELLING = (*GROUPS, '"', "'")  # an expression without them names nothing of a spec


def uses(part: Part) -> Iterator[Use]:
    """Every word of a document, and of what it extends, whose declaration is known."""
    for kind, find_uses in FINDERS.items():
        for _, node, name in part.subject.references(kind):
            yield from find_uses(part, node, name)
    for mark in part.marks:
        yield from _in_expressions(part, mark)
    yield from (*_given(part), *_arguments(part), *_exported(part), *_schemas(part))


# --- references -------------------------------------------------------------------------------------------------------


def _tool(part: Part, node: Scalar, name: str) -> Iterator[Use]:
    yield from tool_uses(part, name, node.span, name_span(node))


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


def _preset(part: Part, node: Scalar, name: str) -> Iterator[Use]:
    alias = part.subject.entry("use", name.partition(".")[0]) if "." in name else None
    if alias is not None:
        span = span_in(node, 0, len(alias.name))
        yield Use(span, name_span(alias.key), span)
    found = find_target(node, part.target, part.sheet.files)
    if not isinstance(found, Diagnostic):
        yield document_use(node, found)


def _agent(part: Part, node: Scalar, name: str) -> Iterator[Use]:
    found = find_called(name, part.target, part.sheet.files)
    if found is not None:
        yield document_use(node, found)


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
                yield from tool_uses(part, str(literal.value), span, span)


def _fields(root: Node | None) -> Iterator[tuple[str, str, int]]:
    """Each `inputs.x` and `args.x`: the group, the field, and where the field stands."""
    for node in walk(root) if root is not None else ():
        match node:
            case Select(target=Name(name=group), field=field) if group in GROUPS:
                yield group, field, node.field_start


def _declared(part: Part, group: str, path: Path) -> dict[str, Scalar]:
    """The keys that declare the fields of a group, for an expression at a path."""
    if group == "inputs":
        return keys_of(find(part.composed.tree, ("inputs",)))
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
                yield from matched(item.get("with"), keys_of(found.root.get("inputs")))
    target = root.get("for") if isinstance(root, Mapping) and part.composed.kind == "scenario" else None
    if isinstance(target, Scalar) and isinstance(root, Mapping):
        called = find_called(str(target.value), part.target, part.sheet.files)
        if called is not None:
            yield from matched(root.get("inputs"), keys_of(called.root.get("inputs")))


def _arguments(part: Part) -> Iterator[Use]:
    """The arguments that examples of tools, and hooks of the run, give by name."""
    known = {tool.name: {entry.name: entry.key for _, entry in tool.parameters} for tool in part.subject.tools}
    for tool in part.subject.tools:
        for _, example in part.subject.items(*tool.path, "examples"):
            yield from matched(find(example, ("args",)), known[tool.name])
    for key in HOOKS:
        for _, hook in part.subject.items("lifecycle", key):
            name = find(hook, ("tool",))
            yield from matched(find(hook, ("args",)), known.get(str(plain(name)), {}) if name is not None else {})


def _schemas(part: Part) -> Iterator[Use]:
    """The components that a JSON Schema refers to."""
    known = keys_of(find(part.composed.tree, ("capability", "components")))
    for path, node in walk_tree(part.composed.document.root):
        text = node.value if path[-1:] == ("$ref",) and isinstance(node, Scalar) else None
        name = text.removeprefix(COMPONENT).partition("/")[0] if isinstance(text, str) else ""
        if isinstance(node, Scalar) and name in known and str(text).startswith(COMPONENT):
            word = span_in(node, len(COMPONENT), len(COMPONENT) + len(name))
            yield Use(node.span, name_span(known[name]), word)


def _exported(part: Part) -> Iterator[Use]:
    """The presets that a library exports."""
    library = libraries_of(part.sheet.files).around(part.target.folder) if part.composed.kind == "library" else None
    for _, node in part.subject.items("exports", "presets") if library is not None else ():
        if library is not None and isinstance(node, Scalar):
            yield from (document_use(node, found) for found in presets_of(library, str(node.value), part.sheet.files))
