"""offered: the names that a model can call, and what brings each: tools, toolkits, tables, agents, servers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agentspec.checker.reading import Reading
from agentspec.checker.scalars import text_of, texts_of
from agentspec.checker.tool_names import KINDS
from agentspec.compose.toolkits import kind_effect, toolkit_tools
from agentspec.core.offer.server_names import effect_of, is_chosen, offered_name
from agentspec.syntax.tree import Entry, Mapping, Node, Path, Scalar, Sequence
from agentspec.text.source import Span


class Tool(NamedTuple):
    """One entry of `capability.tools`. `kind` is `expr`, `run`, …; None where the tool says none or several.

    `parameters` are in short types or the properties of a whole JSON Schema, each with its path.
    """

    name: str
    key: Span
    path: Path
    body: Mapping
    kind: str | None
    parameters: list[tuple[Path, Entry]]


class Toolkit(NamedTuple):
    """One item of `capability.toolkits`; `options` is None for a bare name."""

    name: str
    span: Span
    path: Path
    options: Mapping | None


class Offered(NamedTuple):
    """One name that the model can call, the place that brings it, and what it does to the world."""

    name: str
    span: Span
    path: Path
    effect: str | None


def declared_tools(reading: Reading) -> list[Tool]:
    """The tools that the spec declares itself."""
    found: list[Tool] = []
    for entry in reading.entries("capability", "tools"):
        if isinstance(entry.value, Mapping):
            path: Path = ("capability", "tools", entry.name)
            body, parameters = entry.value, _parameters(entry.value, (*path, "parameters"))
            found.append(Tool(entry.name, entry.key.span, path, body, _kind(body), parameters))
    return found


def _parameters(body: Mapping, path: Path) -> list[tuple[Path, Entry]]:
    node = body.get("parameters")
    schema = node.get("schema") if isinstance(node, Mapping) and len(node.entries) == 1 else None
    if isinstance(schema, Mapping) and (schema.get("properties") or schema.get("type")):
        node, path = schema.get("properties"), (*path, "schema", "properties")
    entries = node.entries if isinstance(node, Mapping) else []
    return [((*path, entry.name), entry) for entry in entries if entry.operation != "unset"]


def chosen_toolkits(reading: Reading) -> list[Toolkit]:
    """The toolkits in the order of the list; `NAME` and `NAME: {options}` alike."""
    return [toolkit for path, node in reading.items("capability", "toolkits") for toolkit in _toolkit(path, node)]


def all_offered(
    reading: Reading, tools: list[Tool], toolkits: list[Toolkit], accepted: dict[str, tuple[str, ...]]
) -> list[Offered]:
    """Every name that the model can call, as far as the spec alone can tell; `accepted` are tools of servers."""
    own = [*_declared(tools), *_of_toolkits(toolkits), *_of_resources(reading), *_of_agents(reading)]
    return [*own, *_of_servers(reading, accepted, {one.name for one in own})]


def _declared(tools: list[Tool]) -> Iterator[Offered]:
    for tool in tools:
        yield Offered(tool.name, tool.key, tool.path, text_of(tool.body.get("effect")) or kind_effect(tool.body))


def _of_toolkits(toolkits: list[Toolkit]) -> Iterator[Offered]:
    for toolkit in toolkits:
        options = toolkit.options
        mutations = options.get("mutations") if options else None
        has_mutations = isinstance(mutations, Scalar) and mutations.value is True
        renamed = _renames(options)
        for name, effect in toolkit_tools(toolkit.name, has_mutations=has_mutations).items():
            if is_enabled(name, options):
                yield Offered(renamed.get(name, name), toolkit.span, toolkit.path, effect)


def _of_resources(reading: Reading) -> Iterator[Offered]:
    for entry in reading.entries("capability", "resources"):
        path = ("capability", "resources", entry.name)
        for _, verb in reading.items(*path, "verbs"):
            if name := text_of(verb):
                effect = "read" if name in ("get", "search") else "write"
                yield Offered(f"{name}_{entry.name}", entry.key.span, path, effect)
        for action in reading.entries(*path, "actions"):
            yield Offered(action.name, action.key.span, (*path, "actions", action.name), "write")


def _of_agents(reading: Reading) -> Iterator[Offered]:
    for entry in reading.entries("capability", "subagents"):
        yield Offered(entry.name, entry.key.span, ("capability", "subagents", entry.name), None)


def _of_servers(reading: Reading, accepted: dict[str, tuple[str, ...]], taken: set[str]) -> Iterator[Offered]:
    for server, tools in accepted.items():
        path: Path = ("capability", "mcp", server)
        allow, deny = reading.at(*path, "allow"), reading.words(*path, "deny")
        claims = {entry.name: text_of(entry.value) for entry in reading.entries(*path, "effects")}
        for tool in tools:
            if is_chosen(tool, None if allow is None else reading.words(*path, "allow"), deny):
                name = offered_name(server, tool, taken)
                taken.add(name)
                yield Offered(name, reading.key(*path), path, effect_of(tool, claims, "write"))


def is_enabled(name: str, options: Mapping | None) -> bool:
    """Whether a toolkit's options leave one of its tools in."""
    if options is None:
        return True
    enabled = options.get("enabled")
    if isinstance(enabled, Sequence) and name not in [scalar.value for scalar in texts_of(enabled)]:
        return False
    return name not in [scalar.value for scalar in texts_of(options.get("disabled"))]


def _kind(tool: Mapping) -> str | None:
    given = [entry.name for entry in tool.entries if entry.name in KINDS and entry.operation != "unset"]
    return given[0] if len(given) == 1 else None


def _toolkit(path: Path, node: Node) -> Iterator[Toolkit]:
    match node:
        case Scalar(value=str(name)):
            yield Toolkit(name, node.span, path, None)
        case Mapping():
            for entry in node.entries:
                options = entry.value if isinstance(entry.value, Mapping) else None
                yield Toolkit(entry.name, entry.key.span, (*path, entry.name), options)


def _renames(options: Mapping | None) -> dict[str, str]:
    names = options.get("names") if options else None
    entries = names.entries if isinstance(names, Mapping) else []
    return {entry.name: new for entry in entries if (new := text_of(entry.value))}
