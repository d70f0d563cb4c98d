"""in_spec: the words of a spec that name its tools, servers, routes, components, presets, agents and their inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agentspec.compose.documents import items_of
from agentspec.compose.reference import find_target
from agentspec.compose.rights.called import find_called
from agentspec.lsp.sheet import Part, part_of
from agentspec.lsp.uses.declared import declared_at, declared_in
from agentspec.lsp.uses.of_tools import CALLS, call_uses, given_uses, tool_uses
from agentspec.lsp.uses.use import Use, document_use, matched, name_span
from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Mapping, Scalar, find, walk
from agentspec.text.diagnostic import Diagnostic

COMPONENTS = ("capability", "components")
COMPONENT = "#/components/"


def spec_uses(part: Part) -> Iterator[Use]:
    """The words of a document, and of what it extends, that name what it declares, or other documents."""
    for kind, find_uses in FINDERS.items():
        for _, word, name in part.subject.references(kind):
            yield from find_uses(part, word, name)
    for path, node in walk(part.composed.root):
        yield from given_uses(part, path, node)
        if path[-1:] == (CALLS,):
            yield from call_uses([part], node)
        if path[-1:] == ("$ref",):
            yield from _component(part, node)
    yield from _inputs(part)


def _tool(part: Part, node: Scalar, name: str) -> Iterator[Use]:
    yield from tool_uses(part, name, node.span, name_span(node))


def _server(part: Part, node: Scalar, name: str) -> Iterator[Use]:
    server = name.partition("/")[0]
    key = declared_at(part, ("capability", "mcp", server))
    if key is not None:
        yield Use(node.span, name_span(key), span_in(node, 0, len(server)))


def _route(part: Part, node: Scalar, name: str) -> Iterator[Use]:
    for route, _ in part.subject.items("model", "routes"):
        label = part.subject.at(*route, "label")
        if isinstance(label, Scalar) and label.value == name:
            yield Use(node.span, name_span(label), name_span(node))


def _preset(part: Part, node: Scalar, _: str) -> Iterator[Use]:
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


def _inputs(part: Part) -> Iterator[Use]:
    """The inputs that are given to what a document extends."""
    for item in items_of(find(part.composed.document.root, ("extends",))):
        reference = item.get("use") if isinstance(item, Mapping) else None
        if isinstance(item, Mapping) and isinstance(reference, Scalar):
            found = find_target(reference, part.target, part.sheet.files)
            other = None if isinstance(found, Diagnostic) else part_of(found, part.sheet.files)
            if other is not None:
                yield from matched(item.get("with"), declared_in(other, ("inputs",)))


def _component(part: Part, node: object) -> Iterator[Use]:
    """The component that a JSON Schema refers to."""
    text = node.value if isinstance(node, Scalar) else None
    if isinstance(node, Scalar) and isinstance(text, str) and text.startswith(COMPONENT):
        name = text.removeprefix(COMPONENT).partition("/")[0]
        key = declared_at(part, (*COMPONENTS, name))
        if key is not None:
            yield Use(node.span, name_span(key), span_in(node, len(COMPONENT), len(COMPONENT) + len(name)))
