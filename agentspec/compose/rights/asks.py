"""asks: what a spec asks for, as far as it is written down, in the terms of a ceiling.

Only what stands in the tree: what a call asks for is decided where it is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agentspec.compose.documents import items_of
from agentspec.compose.model_names import split_name
from agentspec.compose.provider_tools import provider_tools
from agentspec.compose.rights.narrow import covers
from agentspec.compose.toolkits import EFFECTS, kind_effect, toolkit_tools
from agentspec.syntax.tree import Entry, Mapping, Node, Path, Scalar, Sequence, find, mappings, plain
from agentspec.text.hosts import named_host
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
    ("execution", "input_guardrail"),
    ("context",),
)
_RESOURCE_EFFECTS = {"get": "read", "search": "read"}  # every other verb writes


class Ask(NamedTuple):
    """One thing that is asked for: the key of the ceiling that it falls under, what it is, where, and the node of the
    tree that says it. For a tool `effect` is what it does at most, where that is written or follows from its kind.
    """

    key: str
    node: Node
    path: Path
    span: Span
    owner: Node
    effect: str | None = None


def asks(tree: Mapping) -> Iterator[Ask]:
    """Everything in the tree that a ceiling can forbid."""
    yield from _models(tree)
    yield from _fallbacks(tree)
    limits = find(tree, ("execution", "limits"))
    for entry in _entries(limits):
        yield _ask("limits", entry.value, ("execution", "limits", entry.name))
    yield from _tools(tree)
    for index, item in enumerate(items_of(find(tree, ("capability", "toolkits")))):
        yield from _toolkit(item, ("capability", "toolkits", index))
    yield from _resources(tree)
    yield from _servers(tree)
    yield from _of_provider(tree)
    yield from _places(tree)


def _entries(node: Node | None) -> list[Entry]:
    """The entries of a mapping, without those that were unset."""
    return [entry for entry in node.entries if entry.operation != "unset"] if isinstance(node, Mapping) else []


def _ask(key: str, node: Node, path: Path) -> Ask:
    return Ask(key, node, path, node.span, node)


def _models(tree: Mapping) -> Iterator[Ask]:
    for place in _CALLS:
        section = find(tree, place)
        for path, node in mappings(section, place) if section is not None else ():
            if "options" in path:
                continue
            for key, name in (("providers", "provider"), ("models", "model")):
                value = node.get(name)
                if isinstance(value, Scalar) and isinstance(value.value, str):
                    yield _ask(key, value, (*path, name))


def _fallbacks(tree: Mapping) -> Iterator[Ask]:
    """The models that `fallback` names beside the routes that it may mean."""
    routes = [route for route in items_of(find(tree, ("model", "routes"))) if isinstance(route, Mapping)]
    known = {_text(route.get(name)) for route in routes for name in ("label", "model")}
    for index, item in enumerate(items_of(find(tree, ("model", "fallback")))):
        name = _text(item)
        if name is None or name in known:
            continue
        provider, model = split_name(name)
        for key, value in (("providers", provider), ("models", model)):
            if value is not None:
                named = Scalar(value=value, span=item.span)
                yield Ask(key, named, ("model", "fallback", index), item.span, item)


def _text(node: Node | None) -> str | None:
    return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else None


def _tools(tree: Mapping) -> Iterator[Ask]:
    for entry in _entries(find(tree, ("capability", "tools"))):
        path = ("capability", "tools", entry.name)
        tool = entry.value if isinstance(entry.value, Mapping) else None
        claim = tool.get("effect") if tool is not None else None
        effect = str(plain(claim)) if claim is not None else _does(tree, tool)
        yield _of_key("tools", entry.name, entry, path, effect)
        if claim is not None:
            yield _ask("effects", claim, (*path, "effect"))
        elif effect is not None:
            yield _of_key("effects", effect, entry, path)
        if tool is not None:
            yield from _tool(tool, path)
    for entry in _entries(find(tree, ("capability", "subagents"))):
        yield _of_key("tools", entry.name, entry, ("capability", "subagents", entry.name))


def _does(tree: Mapping, tool: Mapping | None) -> str | None:
    """What a tool does that claims nothing: what its kind does, or what its server says of it."""
    reference = tool.get("mcp") if tool is not None else None
    server, _, name = str(plain(reference)).partition("/") if reference is not None else ("", "", "")
    claims = _entries(find(tree, ("capability", "mcp", server, "effects"))) if server else []
    claims.sort(key=lambda claim: claim.name != name)
    said = next((str(plain(claim.value)) for claim in claims if covers(claim.name, name)), None)
    return said or (kind_effect(tool) if tool is not None else None)


def _of_key(key: str, text: str, entry: Entry, path: Path, effect: str | None = None) -> Ask:
    """Something that an entry's key alone asks for."""
    return Ask(key, _word(text, entry.key.span), path, entry.key.span, entry.key, effect)


def _tool(tool: Mapping, path: Path) -> Iterator[Ask]:
    argv, network = tool.get("run"), tool.get("network")
    if network is not None and plain(network) is True:
        for key, word in (("effects", "network"), ("hosts", "*")):  # a program's network knows no hosts
            yield Ask(key, _word(word, network.span), (*path, "network"), network.span, network)
    if isinstance(argv, Sequence):
        yield _ask("commands", argv, (*path, "run"))
    yield from _host(find(tool, ("http", "url")), (*path, "http", "url"))


def _resources(tree: Mapping) -> Iterator[Ask]:
    for entry in _entries(find(tree, ("capability", "resources"))):
        path = ("capability", "resources", entry.name)
        for index, verb in enumerate(items_of(find(entry.value, ("verbs",)))):
            word, here = str(plain(verb)), (*path, "verbs", index)
            effect = _RESOURCE_EFFECTS.get(word, "write")
            yield Ask("tools", _word(f"{word}_{entry.name}", verb.span), here, verb.span, verb, effect)
            yield Ask("effects", _word(effect, verb.span), here, verb.span, verb)
        for action in _entries(find(entry.value, ("actions",))):
            yield _of_key("tools", action.name, action, (*path, "actions", action.name), "write")
            yield _of_key("effects", "write", action, (*path, "actions", action.name))


def _servers(tree: Mapping) -> Iterator[Ask]:
    """MCP servers: which of their tools may be called, what those do, how they are started or reached."""
    for entry in _entries(find(tree, ("capability", "mcp"))):
        path, server = ("capability", "mcp", entry.name), entry.value
        command = find(server, ("command",))
        yield from _server_tools(entry, path)
        if command is not None:
            yield _ask("commands", command, (*path, "command"))
        yield from _host(find(server, ("url",)), (*path, "url"))


def _server_tools(entry: Entry, path: Path) -> Iterator[Ask]:
    allow, claims = find(entry.value, ("allow",)), _entries(find(entry.value, ("effects",)))
    effects = [str(plain(each.value)) for each in claims]
    if all(each.name != "*" for each in claims):  # what no claim is about writes
        effects.append("write")
        yield _of_key("effects", "write", entry, path)
    most = max(effects, key=lambda word: EFFECTS.index(word) if word in EFFECTS else -1)
    for each in claims:
        yield _ask("effects", each.value, (*path, "effects", each.name))
    for index, item in enumerate(items_of(allow)):
        name = _word(f"{entry.name}__{plain(item)}", item.span)
        yield Ask("tools", name, (*path, "allow", index), item.span, item, most)
    if allow is None:
        yield _of_key("tools", f"{entry.name}__*", entry, path, most)


def _of_provider(tree: Mapping) -> Iterator[Ask]:
    """The tools that the provider runs itself, and the hosts that it reaches with them."""
    for index, item in enumerate(items_of(find(tree, ("capability", "provider_tools")))):
        path, node = ("capability", "provider_tools", index), find(item, ("type",)) or item
        for tool in provider_tools([plain(item)]):
            yield Ask("tools", _word(tool.name, node.span), path, node.span, node, tool.effect)
            yield Ask("effects", _word(tool.effect, node.span), path, node.span, node)
            for host in tool.hosts:
                yield Ask("hosts", _word(host, node.span), path, node.span, node)


def _places(tree: Mapping) -> Iterator[Ask]:
    """Folders that are named beside those of toolkits."""
    for path in (("capability", "approval", "external_roots"), ("capability", "sandbox", "writable")):
        for index, node in enumerate(items_of(find(tree, path))):
            yield _ask("roots", node, (*path, index))


def _word(text: str, span: Span) -> Scalar:
    """Something that is asked for without being written."""
    return Scalar(value=text, span=span)


def _host(url: Node | None, path: Path) -> Iterator[Ask]:
    text = _text(url)
    host = named_host(text) if text is not None else None
    if host is not None and url is not None:
        yield Ask("hosts", _word(host.pattern, url.span), path, url.span, url)


def _toolkit(item: Node, path: Path) -> Iterator[Ask]:
    entry = item.entries[0] if isinstance(item, Mapping) and item.entries else None
    name = item.value if isinstance(item, Scalar) else entry.name if entry is not None else None
    options = entry.value if entry is not None and isinstance(entry.value, Mapping) else None
    inner = path if entry is None else (*path, entry.name)
    head: Node = item if entry is None else entry.key
    for tool, effect in _offered(str(name), options):
        yield Ask("tools", _word(tool, head.span), inner, head.span, head, effect)
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
