"""subject: one composed document as the rules see it. Reads the tree and resolves names; decides nothing.

A value of the wrong type reads as None: shape has reported it, and no rule derives anything from it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from agentspec.checker.tool_names import KINDS, RUNTIME_TOOLS
from agentspec.compose.accepted import accepted_tools
from agentspec.compose.toolkits import TOOLKITS, kind_effect, toolkit_tools
from agentspec.core.offer.server_names import effect_of, is_chosen, offered_name
from agentspec.spec.defaults import ADAPTIVE_ITERATIONS, DEFAULT_ITERATIONS
from agentspec.spec.shape import Mark
from agentspec.spec.values import parse_duration
from agentspec.syntax.tree import (
    Broken,
    Entry,
    Mapping,
    Node,
    Path,
    Scalar,
    Sequence,
    dotted,
    find,
    holder,
    plain,
    walk,
)
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source, Span

PROFILES = "stdlib/profiles/"  # the folder whose documents only hold what a spec leaves open
INHERITABLE = (
    ("capability", "approval"),
    ("capability", "permissions"),
    ("capability", "middleware"),
    ("capability", "narrowing"),
)
UNKNOWN_KEY = "AS102"
NAMELESS = ("AS107", "AS201", "AS206", "AS208")  # errors after which a name is none, or a list of names is not there


class Tool(NamedTuple):
    """One entry of `capability.tools`. `kind` is `expr`, `run`, …; None where the tool says none or several."""

    name: str
    key: Span
    path: Path
    body: Mapping
    kind: str | None

    @property
    def parameters(self) -> list[tuple[Path, Entry]]:
        """Its parameters, in short types or as the properties of a whole JSON Schema, each with its path."""
        node, path = self.body.get("parameters"), (*self.path, "parameters")
        schema = node.get("schema") if isinstance(node, Mapping) and len(node.entries) == 1 else None
        if isinstance(schema, Mapping) and (schema.get("properties") or schema.get("type")):
            node, path = schema.get("properties"), (*path, "schema", "properties")
        entries = node.entries if isinstance(node, Mapping) else []
        return [((*path, entry.name), entry) for entry in entries if entry.operation != "unset"]


class Toolkit(NamedTuple):
    """One item of `capability.toolkits`; `options` is None for a bare name."""

    name: str
    span: Span
    path: Path
    options: Mapping | None


class Pending(NamedTuple):
    """A key that nothing acts on yet, where it stands, and whether an extended document brought it."""

    path: Path
    span: Span
    is_inherited: bool


class Offered(NamedTuple):
    """One name that the model can call, the place that brings it, and what it does to the world."""

    name: str
    span: Span
    path: Path
    effect: str | None


class Subject:
    """One document after composition. `kind` is `agent`, `preset`, `library` or `scenario`.

    `source` is the file of the document; parts of the tree may come from others. `marks` are the nodes whose meaning
    the schema knows. `errors` were found before: nothing is derived from what is wrong. `is_whole` is false where some
    part could not be read or resolved: then nothing is unknown, missing or unused for certain. `agents` are the agents
    of the same file.
    """

    def __init__(
        self,
        root: Mapping,
        kind: str,
        project: FilePath,
        source: Source,
        *,
        marks: tuple[Mark, ...] = (),
        errors: tuple[Diagnostic, ...] = (),
        is_whole: bool = True,
        agents: dict[str, bool] | None = None,
    ) -> None:
        self.root = root
        self.kind = kind
        self.project = project
        self.source = source
        self.marks = marks
        self.errors = errors
        self.is_whole = is_whole
        self.agents = agents or {}  # of its file, each with whether it calls agents itself
        self._at: dict[Path, Node | None] = {}  # many rules ask for the same places
        self.pending: list[Pending] | None = None  # kept by who asks first

    @cached_property
    def nodes(self) -> list[tuple[Path, Node]]:
        """Every node of the document with its path, parents first."""
        return list(walk(self.root))

    @cached_property
    def texts(self) -> list[tuple[Path, Scalar, str]]:
        """Every text of the document, with its path and its node."""
        scalars = [(path, node, node.value) for path, node in self.nodes if isinstance(node, Scalar)]
        return [(path, node, value) for path, node, value in scalars if isinstance(value, str)]

    @cached_property
    def expressions(self) -> list[tuple[Path, Scalar, str]]:
        """Every expression that is written as a text, with its path and its node."""
        marked = [mark for mark in self.marks if mark.annotation.get("kind") == "expression"]
        nodes = [(mark.path, mark.node) for mark in marked if isinstance(mark.node, Scalar)]
        return [(path, node, node.value) for path, node in nodes if isinstance(node.value, str)]

    # --- values ---------------------------------------------------------------------------------------------------

    def at(self, *path: str | int) -> Node | None:
        """The node at a path, or None where the document has none."""
        known = self._at
        if path not in known:
            above = self.at(*path[:-1]) if path else None
            known[path] = self.root if not path else None if above is None else find(above, path[-1:])
        return known[path]

    def entry(self, *path: str | int) -> Entry | None:
        """The entry that stands at a path of a mapping, key and value."""
        above = self.at(*path[:-1])
        last = path[-1]
        return above.entry(last) if isinstance(above, Mapping) and isinstance(last, str) else None

    def text(self, *path: str | int) -> str | None:
        """The string at a path."""
        return text_of(self.at(*path))

    def number(self, *path: str | int) -> float | None:
        """The number at a path; a boolean is none, nor is one that may not stand there."""
        return None if self._is_refused(path) else number_of(self.at(*path))

    def seconds(self, *path: str | int) -> float | None:
        """The duration at a path, in seconds."""
        return None if self._is_refused(path) else seconds_of(self.at(*path))

    def _is_refused(self, path: Path) -> bool:
        return bool(self.errors) and dotted(path) in self._refused

    @cached_property
    def _refused(self) -> frozenset[str]:
        return frozenset(error.path for error in self.errors if error.code.startswith("AS2"))

    def flag(self, *path: str | int) -> bool | None:
        """The boolean at a path."""
        node = self.at(*path)
        return node.value if isinstance(node, Scalar) and isinstance(node.value, bool) else None

    def items(self, *path: str | int) -> list[tuple[Path, Node]]:
        """The items of the list at a path, each with its own path."""
        node = self.at(*path)
        items = node.items if isinstance(node, Sequence) else []
        return [((*path, index), item) for index, item in enumerate(items)]

    def words(self, *path: str | int) -> tuple[str, ...]:
        """The strings at a path, one or several."""
        one = self.text(*path)
        return tuple(str(each.value) for each in texts_of(self.at(*path))) if one is None else (one,)

    def values(self, *path: str | int) -> dict[str, Any]:
        """The mapping at a path as plain values; an empty one where none stands there."""
        node = self.at(*path)
        values = plain(node) if isinstance(node, Mapping) else None
        return values if isinstance(values, dict) else {}

    def entries(self, *path: str | int) -> list[Entry]:
        """The entries of the mapping at a path, without those that were unset."""
        node = self.at(*path)
        entries = node.entries if isinstance(node, Mapping) else []
        return [entry for entry in entries if entry.operation != "unset"]

    def span(self, *path: str | int) -> Span:
        """Where to point for a path: its value where it is a scalar, else its key, else the nearest part above."""
        node = self.at(*path)
        entry = self.entry(*path) if path else None
        if entry is not None and not isinstance(node, Scalar):
            return entry.key.span
        if node is not None:
            return node.span
        return self.span(*path[:-1])

    def key(self, *path: str | int) -> Span:
        """The key that stands at a path, where there is one."""
        entry = self.entry(*path)
        return self.span(*path) if entry is None else entry.key.span

    def is_own(self, span: Span) -> bool:
        """Whether a place is in the document's own file, not in one that it builds on."""
        return span.source.name == self.source.name

    def is_authored(self, *path: str | int) -> bool:
        """Whether a value was written in a spec, a preset or on the command line, and not by a profile."""
        node = self.at(*path)
        is_default = self.kind == "agent" and node is not None and node.span.source.name.startswith(PROFILES)
        return node is not None and not is_default

    def is_sound(self, *path: str | int) -> bool:
        """Whether no error was found at or below a path, and everything there could be read."""
        return not self._has_broken(path) and not self._has_error_below(dotted(path))

    def _has_broken(self, above: Path) -> bool:
        return any(path[: len(above)] == above for path in self._broken_paths)

    @cached_property
    def _broken_paths(self) -> list[Path]:
        return [path for path, node in self.nodes if isinstance(node, Broken)]

    def _has_error_below(self, above: str) -> bool:
        paths = self._error_paths
        if not paths:
            return False
        for start in (above, f"{above}.", f"{above}["):
            at = bisect_left(paths, start)
            if at < len(paths) and (paths[at] == above if start == above else paths[at].startswith(start)):
                return True
        return False

    @cached_property
    def _error_paths(self) -> list[str]:
        return sorted(error.path for error in self.errors)

    @cached_property
    def _unknown_keys(self) -> frozenset[str]:
        return frozenset(error.path for error in self.errors if error.code == UNKNOWN_KEY)

    @cached_property
    def _having_unknown_keys(self) -> frozenset[str]:
        return frozenset(map(holder, self._unknown_keys))

    def has_all(self, *path: str | int) -> bool:
        """Whether what a mapping doesn't have is certainly absent: no key of it is unknown or broken."""
        node = self.at(*path)
        is_broken = isinstance(node, Mapping) and any(isinstance(entry.value, Broken) for entry in node.entries)
        return not is_broken and dotted(path) not in self._having_unknown_keys

    def is_unknown(self, path: Path) -> bool:
        """Whether shape knows no such key."""
        return dotted(path) in self._unknown_keys

    def references(self, to: str) -> Iterator[tuple[Path, Scalar, str]]:
        """Every place whose schema says that it names a `tool`, a `provider`, a `route`: path, node and name."""
        yield from self._references.get(to, ())

    @cached_property
    def _references(self) -> dict[str, list[tuple[Path, Scalar, str]]]:
        found: dict[str, list[tuple[Path, Scalar, str]]] = {}
        for mark in self.marks:
            name = text_of(mark.node) if mark.annotation.get("kind") == "reference" else None
            if name is not None and isinstance(mark.node, Scalar) and "${" not in name:
                found.setdefault(str(mark.annotation.get("to")), []).append((mark.path, mark.node, name))
        return found

    # --- the loop ---------------------------------------------------------------------------------------------------

    @cached_property
    def max_iterations(self) -> int | None:
        """The most turns that a run can have; None where the spec's own value is unusable.

        What the budget says wins; `max_iterations` counts where there is no budget, or a fixed one without `max`.
        """
        budget, single = ("execution", "iteration_budget"), ("execution", "max_iterations")
        if not self.has_all("execution") or not self.has_all(*budget) or not self.is_sound(*budget):
            return None
        path = (*budget, "max") if self.is_adaptive or self.at(*budget, "max") is not None else single
        if self.at(*path) is None:
            return ADAPTIVE_ITERATIONS if self.is_adaptive else DEFAULT_ITERATIONS
        number = self.number(*path)
        return None if number is None else int(number)

    @property
    def is_adaptive(self) -> bool:
        """Whether the iteration budget can be extended."""
        budget = ("execution", "iteration_budget")
        return "adaptive" in (self.text(*budget), self.text(*budget, "mode"))

    # --- tools --------------------------------------------------------------------------------------------------------

    @cached_property
    def tools(self) -> list[Tool]:
        """The tools that the spec declares itself."""
        path = ("capability", "tools")
        return [
            Tool(entry.name, entry.key.span, (*path, entry.name), entry.value, _kind(entry.value))
            for entry in self.entries(*path)
            if isinstance(entry.value, Mapping)
        ]

    @cached_property
    def toolkits(self) -> list[Toolkit]:
        """The toolkits in the order of the list; `NAME` and `NAME: {options}` alike."""
        return [toolkit for path, node in self.items("capability", "toolkits") for toolkit in _toolkit(path, node)]

    @cached_property
    def offered(self) -> list[Offered]:
        """Every name that the model can call, as far as the spec alone can tell."""
        own = [*self._declared(), *self._of_toolkits(), *self._of_resources(), *self._of_agents()]
        return [*own, *self._of_servers({one.name for one in own})]

    @cached_property
    def tool_names(self) -> set[str]:
        """The names of `offered`."""
        return {one.name for one in self.offered}

    @cached_property
    def servers(self) -> list[str]:
        """The MCP servers of the spec."""
        return [entry.name for entry in self.entries("capability", "mcp")]

    @cached_property
    def accepted(self) -> dict[str, tuple[str, ...]]:
        """The tools of those servers that are pinned and were accepted, in the servers' own names."""
        pinned = [name for name in self.servers if self.flag("capability", "mcp", name, "pin") is True]
        known = accepted_tools(self.project) if pinned else {}
        return {name: known[name] for name in pinned if name in known}

    @property
    def open_servers(self) -> list[str]:
        """The servers whose tools are known only when they are asked."""
        return [name for name in self.servers if name not in self.accepted]

    @cached_property
    def knows_tools(self) -> bool:
        """Whether a name that is not offered is certainly unknown.

        Not in a preset or library, whose users bring their own tools; not where a part is missing or a toolkit is
        not known.
        """
        if self.kind != "agent" or not self.is_whole or not self.has_all("capability") or self._has_odd_tools:
            return False
        if any(one.name not in TOOLKITS for one in self.toolkits):
            return False
        capability = self.at("capability")
        if capability is None:
            return self.has_all()
        return not self._has_broken(("capability",))

    @cached_property
    def _has_odd_tools(self) -> bool:
        """Whether something is wrong with what brings tools, or the document may be no agent at all."""
        brings = ("capability.tools", "capability.toolkits", "capability.subagents", "capability.mcp")
        names = {error.path for error in self.errors if error.code in NAMELESS}
        return (
            self.at("name") is None
            or any(path == "capability" or path in brings or holder(path) in brings for path in names)
            or self._has_error_below("capability.toolkits")
            or self._has_error_below("capability.resources")
        )

    def tool_references(self) -> Iterator[tuple[Path, Scalar, str]]:
        """The places that name a tool of this very spec.

        Not a ceiling, which bounds what others may add; not a server's list of its own tools; not a rule that a
        preset makes about tools which this spec need not have.
        """
        for path, node, name in self.references("tool"):
            is_inherited_rule = path[:2] in INHERITABLE and not self.is_own(node.span)
            if path[:2] not in (("capability", "ceiling"), ("capability", "mcp")) and not is_inherited_rule:
                yield path, node, name

    def is_known_tool(self, name: str) -> bool:
        """Whether something by this name can be called, tools of configured MCP servers included."""
        return (
            name in self.tool_names
            or name in RUNTIME_TOOLS
            or name == self.text("capability", "tool_search", "name")
            or any(name.startswith(f"{server}__") for server in self.open_servers)
        )

    def _declared(self) -> Iterator[Offered]:
        for tool in self.tools:
            yield Offered(tool.name, tool.key, tool.path, text_of(tool.body.get("effect")) or kind_effect(tool.body))

    def _of_toolkits(self) -> Iterator[Offered]:
        for toolkit in self.toolkits:
            options = toolkit.options
            mutations = options.get("mutations") if options else None
            has_mutations = isinstance(mutations, Scalar) and mutations.value is True
            renamed = _renames(options)
            for name, effect in toolkit_tools(toolkit.name, has_mutations=has_mutations).items():
                if is_enabled(name, options):
                    yield Offered(renamed.get(name, name), toolkit.span, toolkit.path, effect)

    def _of_resources(self) -> Iterator[Offered]:
        for entry in self.entries("capability", "resources"):
            path = ("capability", "resources", entry.name)
            for _, verb in self.items(*path, "verbs"):
                if name := text_of(verb):
                    effect = "read" if name in ("get", "search") else "write"
                    yield Offered(f"{name}_{entry.name}", entry.key.span, path, effect)
            for action in self.entries(*path, "actions"):
                yield Offered(action.name, action.key.span, (*path, "actions", action.name), "write")

    def _of_agents(self) -> Iterator[Offered]:
        for entry in self.entries("capability", "subagents"):
            yield Offered(entry.name, entry.key.span, ("capability", "subagents", entry.name), None)

    def _of_servers(self, taken: set[str]) -> Iterator[Offered]:
        for server, tools in self.accepted.items():
            path: Path = ("capability", "mcp", server)
            allow, deny = self.at(*path, "allow"), self.words(*path, "deny")
            claims = {entry.name: text_of(entry.value) for entry in self.entries(*path, "effects")}
            for tool in tools:
                if is_chosen(tool, None if allow is None else self.words(*path, "allow"), deny):
                    name = offered_name(server, tool, taken)
                    taken.add(name)
                    yield Offered(name, self.key(*path), path, effect_of(tool, claims, "write"))


def text_of(node: Node | None) -> str | None:
    """The string of a scalar."""
    return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else None


def number_of(node: Node | None) -> float | None:
    """The number of a scalar; a boolean is none."""
    if isinstance(node, Scalar) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value
    return None


def seconds_of(node: Node | None) -> float | None:
    """The duration of a scalar, in seconds."""
    text = text_of(node)
    try:
        return None if text is None else parse_duration(text)
    except ValueError:
        return None


def is_pattern(name: str) -> bool:
    """Whether a tool name is a glob rather than a name."""
    return any(character in name for character in "*?[")


def texts_of(node: Node | None) -> list[Scalar]:
    """The items of a list that are strings."""
    items = node.items if isinstance(node, Sequence) else []
    return [item for item in items if isinstance(item, Scalar) and isinstance(item.value, str)]


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
