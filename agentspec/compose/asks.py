"""asks: what a spec asks for, as far as it is written down, in the terms of a ceiling.

Only what stands in the tree: what a call asks for is decided where it is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agentspec.compose.documents import items_of
from agentspec.compose.toolkits import KIND_EFFECTS, kind_effect, toolkit_tools
from agentspec.syntax.tree import Entry, Mapping, Node, Path, Scalar, Sequence, find, plain, walk
from agentspec.text.source import Span

ROOT_OPTIONS: dict[str, str] = {
    "files.read": "root",
    "files.edit": "root",
    "command": "root",
    "git": "repo",
    "git.compact": "repo",
}
"""The option that says where a toolkit works; without it, in the whole project."""

_CALLS: tuple[Path, ...] = (
    ("model",),
    ("execution", "verify_completion_judge"),
    ("execution", "turn_end_condition"),
    ("execution", "step_judge"),
)
_HOST = re.compile(r"https?://([^/?#:\s${}]+)(?=[/?#:]|$)")


class Ask(NamedTuple):
    """One thing that is asked for: the key of the ceiling that it falls under, what it is, where, and the node of the
    tree that says it.
    """

    key: str
    node: Node
    path: Path
    span: Span
    owner: Node


def asks(tree: Mapping) -> Iterator[Ask]:
    """Everything in the tree that a ceiling can forbid."""
    yield from _models(tree)
    limits = find(tree, ("execution", "limits"))
    if isinstance(limits, Mapping):
        for entry in limits.entries:
            yield _ask("limits", entry.value, ("execution", "limits", entry.name))
    yield from _tools(tree)
    for index, item in enumerate(items_of(find(tree, ("capability", "toolkits")))):
        yield from _toolkit(item, ("capability", "toolkits", index))


def _ask(key: str, node: Node, path: Path) -> Ask:
    return Ask(key, node, path, node.span, node)


def _models(tree: Mapping) -> Iterator[Ask]:
    for place in _CALLS:
        section = find(tree, place)
        for path, node in walk(section, place) if section is not None else ():
            if not isinstance(node, Mapping) or "options" in path:
                continue
            for key, name in (("providers", "provider"), ("models", "model")):
                value = node.get(name)
                if isinstance(value, Scalar) and isinstance(value.value, str):
                    yield _ask(key, value, (*path, name))


def _tools(tree: Mapping) -> Iterator[Ask]:
    tools = find(tree, ("capability", "tools"))
    for entry in tools.entries if isinstance(tools, Mapping) else []:
        path = ("capability", "tools", entry.name)
        yield Ask("tools", entry.key, path, entry.key.span, entry.key)
        if isinstance(entry.value, Mapping):
            yield from _tool(entry, entry.value, path)
    servers = find(tree, ("capability", "mcp"))
    for entry in servers.entries if isinstance(servers, Mapping) else []:
        yield from _server(entry, ("capability", "mcp", entry.name))


def _server(entry: Entry, path: Path) -> Iterator[Ask]:
    """A server's tools are known when it is asked; what is not said to be less writes."""
    yield from _host(find(entry.value, ("url",)), (*path, "url"))
    effects = find(entry.value, ("effects",))
    if not isinstance(effects, Mapping):
        yield Ask("effects", _word(KIND_EFFECTS["mcp"], entry.key.span), path, entry.key.span, entry.key)
        return
    for claim in effects.entries:
        yield _ask("effects", claim.value, (*path, "effects", claim.name))


def _tool(entry: Entry, tool: Mapping, path: Path) -> Iterator[Ask]:
    effect, argv = tool.get("effect"), tool.get("run")
    does = kind_effect(tool)
    if effect is not None:
        yield _ask("effects", effect, (*path, "effect"))
    elif does is not None:
        yield Ask("effects", _word(does, entry.key.span), path, entry.key.span, entry.key)
    if isinstance(argv, Sequence):
        yield _ask("commands", argv, (*path, "run"))
    yield from _host(find(tool, ("http", "url")), (*path, "http", "url"))


def _word(text: str, span: Span) -> Scalar:
    """Something that is asked for without being written."""
    return Scalar(value=text, span=span)


def _host(url: Node | None, path: Path) -> Iterator[Ask]:
    match = _HOST.match(url.value) if isinstance(url, Scalar) and isinstance(url.value, str) else None
    if match is not None and url is not None:
        yield Ask("hosts", _word(match[1], url.span), path, url.span, url)


def _toolkit(item: Node, path: Path) -> Iterator[Ask]:
    entry = item.entries[0] if isinstance(item, Mapping) and item.entries else None
    name = item.value if isinstance(item, Scalar) else entry.name if entry is not None else None
    options = entry.value if entry is not None and isinstance(entry.value, Mapping) else None
    inner = path if entry is None else (*path, entry.name)
    head: Node = item if entry is None else entry.key
    for tool, effect in _offered(str(name), options):
        yield Ask("tools", _word(tool, head.span), inner, head.span, head)
        yield Ask("effects", _word(effect, head.span), inner, head.span, head)
    root_option = ROOT_OPTIONS.get(str(name))
    if root_option is not None:
        root = options.get(root_option) if options is not None else None
        yield _ask("roots", root, inner) if root else Ask("roots", _word(".", head.span), inner, head.span, head)
    for key, option, toolkit in (("hosts", "hosts", "web.fetch"), ("commands", "allow", "command")):
        listed = options.get(option) if options is not None and name == toolkit else None
        for index, node in enumerate(items_of(listed)):
            yield _ask(key, node, (*inner, option, index))


def _offered(name: str, options: Mapping | None) -> Iterator[tuple[str, str]]:
    """The tools that a toolkit offers with these options, as the model sees their names, and their effects."""
    mutations = options.get("mutations") if options is not None else None
    enabled = _words(options, "enabled")
    disabled = _words(options, "disabled") or ()
    names = options.get("names") if options is not None else None
    for tool, effect in toolkit_tools(name, has_mutations=mutations is not None and plain(mutations) is True).items():
        if (enabled is None or tool in enabled) and tool not in disabled:
            renamed = names.get(tool) if isinstance(names, Mapping) else None
            yield str(plain(renamed)) if renamed is not None else tool, effect


def _words(options: Mapping | None, key: str) -> list[object] | None:
    listed = options.get(key) if options is not None else None
    return [plain(item) for item in listed.items] if isinstance(listed, Sequence) else None
