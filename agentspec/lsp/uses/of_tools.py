"""of_tools: the words that name a tool, or what brings it, and the arguments that are given to one by name."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Items

from agentspec.checker.questions.offered import Offered
from agentspec.lsp.sheet import Part
from agentspec.lsp.uses.declared import declared_at
from agentspec.lsp.uses.use import Use, matched, name_span
from agentspec.syntax.tree import Mapping, Node, Path, Scalar, Sequence, find
from agentspec.text.source import Span

CALLS = "tool_calls"  # a list of calls, wherever it stands: of `name` and `arguments`
OF_SERVER = "__"


def tool_uses(part: Part, name: str, span: Span, word: Span) -> Iterator[Use]:
    """A word that names a tool: one that the spec declares, or what brings it."""
    server = next((each for each in part.subject.servers if name.startswith(f"{each}{OF_SERVER}")), None)
    if server is not None:
        yield from _declaring(part, ("capability", "mcp", server), span, _part(word, name, (0, len(server))))
        return
    for offered in part.subject.offered:
        if offered.name == name:
            yield from _offered(part, offered, span, word)


def _offered(part: Part, offered: Offered, span: Span, word: Span) -> Iterator[Use]:
    match offered.path:
        case ("capability", "toolkits", *_):
            entry = part.subject.entry(*offered.path)
            named = None if entry is None else _named(entry.value, offered.name)
            yield Use(span, offered.span if named is None else name_span(named), word, has_name=named is not None)
        case ("capability", "resources", str(table)):
            name = offered.name
            yield from _declaring(part, offered.path, span, _part(word, name, (len(name) - len(table), len(name))))
        case path:
            yield from _declaring(part, path, span, word)


def _declaring(part: Part, path: Path, span: Span, word: Span | None) -> Iterator[Use]:
    key = declared_at(part, path)
    if key is not None:
        yield Use(span, name_span(key), word)


def _part(word: Span, name: str, place: tuple[int, int]) -> Span | None:
    """A part of a word; None where an escape in it keeps it from being found."""
    return word.part(*place) if word.text == name else None


def _named(options: Node, name: str) -> Scalar | None:
    """Where the options of a toolkit give one of its tools a name."""
    names = find(options, ("names",))
    given = [entry.value for entry in names.entries] if isinstance(names, Mapping) else []
    return next((node for node in given if isinstance(node, Scalar) and node.value == name), None)


def parameters(part: Part, name: str) -> dict[str, Scalar]:
    """The keys that declare the parameters of a tool, by name; none where the spec does not declare it itself."""
    tool = next((tool for tool in part.subject.tools if tool.name == name), None)
    fields = [] if tool is None else tool.parameters
    return {entry.name: declared_at(part, path) or entry.key for path, entry in fields}


def given_uses(part: Part, path: Path, node: Node) -> Iterator[Use]:
    """The arguments of `{tool: NAME, args: …}`, of a hook or a rule, and of an example of a tool."""
    arguments = node.get("args") if isinstance(node, Mapping) else None
    if arguments is None:
        return
    tool = find(node, ("tool",))
    is_example = path[:2] == ("capability", "tools") and path[3:4] == ("examples",)
    name = path[2] if is_example else tool.value if isinstance(tool, Scalar) else None
    yield from matched(arguments, parameters(part, str(name)))


def call_uses(parts: Items[Part], calls: Node) -> Iterator[Use]:
    """The tools and arguments of a list of calls, of the first part that has them."""
    for call in calls.items if isinstance(calls, Sequence) else ():
        name = find(call, ("name",))
        if isinstance(name, Scalar):
            yield from first_uses(parts, str(name.value), name.span, name_span(name))
            known = (parameters(part, str(name.value)) for part in parts)
            yield from matched(find(call, ("arguments",)), next(filter(None, known), {}))


def first_uses(parts: Items[Part], name: str, span: Span, word: Span) -> list[Use]:
    """A word that names a tool of one of several specs, the first that has it."""
    return next(filter(None, ([*tool_uses(part, name, span, word)] for part in parts)), [])
