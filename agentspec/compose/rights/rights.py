"""rights: what a composed spec may do in the end: tools and their effects, places, hosts, programs, secrets, bounds.

Never less than what a run can do: where only a run can tell, the most is assumed, and `*` is anything. What the ceiling
forbids is left out. Nothing is looked up outside the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from agentspec.compose.authority import CEILING
from agentspec.compose.documents import items_of
from agentspec.compose.provider_tools import provider_tools, withheld
from agentspec.compose.rights.asks import Ask, asks
from agentspec.compose.rights.gates import gates
from agentspec.compose.rights.leave import STRICTNESS, Called, leave
from agentspec.compose.rights.left import ANYTHING, LINES, Right, is_open, is_refused, right_name, weakened, within
from agentspec.compose.rights.narrow import WITHIN, amount
from agentspec.compose.rights.reach import Reach, reach
from agentspec.syntax.tree import Mapping, Node, Path, Scalar, Sequence, find, plain, walk
from agentspec.text.hosts import named_host

KINDS = (
    *("tools", "effects", "roots", "hosts", "commands", "functions", "providers", "models", "secrets", "children"),
    *("limits", "gates", "ceiling"),
)
_ENVIRONMENT = re.compile(r"\$\{\s*env\.(\w+)\s*\}")
_OPEN_LISTS = {"command": ("allow", "commands"), "web.fetch": ("hosts", "hosts")}
"""Toolkits that ask a person about what no list of theirs names: the option with the list, and the kind of right."""
PROVIDER_TOOLS = ("capability", "provider_tools")
_VARIABLES = ("api_key_env", "token_env")
_FREE = frozenset(("options", "schema", "parameters", "inputs", "returns", "examples"))


class Rights(NamedTuple):
    """What may be done, by kind and name, and the wall around programs: `none`, `auto` or `workspace`.

    `reach` is how far what is named there goes by its own settings, also those that are not written.
    """

    kinds: dict[str, dict[str, Right]]
    sandbox: str
    reach: dict[str, Reach]


def rights_of(tree: Mapping) -> Rights:
    """What the effective tree of a spec, or of a preset, may do; agents that it calls are only named.

    A preset says nothing of what it leaves open; an agent that names no provider asks the first one configured.
    """
    kinds: dict[str, dict[str, Right]] = {kind: {} for kind in KINDS}
    ceiling = find(tree, CEILING)
    tools = list(_tools(tree, ceiling))
    for tool in tools:
        for each in within("tools", tool, ceiling):
            add(kinds, "tools", each)
            add_effect(kinds["effects"], each)
    unreached = closed(tools, kinds["tools"].values())
    for kind, right in _claims(tree):
        for each in within(kind, right, ceiling) if right.path[:3] not in unreached else ():
            add(kinds, kind, each)
    kinds["limits"] = _bounds(tree)
    mode = find(tree, ("capability", "sandbox"))
    mode = mode.get("mode") if isinstance(mode, Mapping) else mode
    return Rights(kinds, str(plain(mode)) if mode is not None else "auto", reach(tree))


def add_effect(effects: dict[str, Right], tool: Right) -> None:
    """A tool that can be called has its effect."""
    if tool.effect is not None and tool.decision != "deny":
        word = Scalar(value=tool.effect, span=tool.span)
        effects.setdefault(tool.effect, Right(tool.effect, word, tool.path))


def add(kinds: dict[str, dict[str, Right]], kind: str, right: Right) -> None:
    """Of two rights of one name the laxer one counts; of rules about the same the strictest.

    A host that is named without a port for several ports is named for every port.
    """
    named = kinds[kind]
    known = named.get(right.name)
    if known is not None and kind == "hosts" and plain(known.node) != plain(right.node):
        known, right = (each._replace(node=Scalar(value=each.name, span=each.span)) for each in (known, right))
        named[right.name] = known
    is_laxer = known is not None and rank(right.decision) < rank(known.decision)
    if known is None or is_laxer is not (kind == "gates"):
        named[right.name] = right


def rank(decision: str | None) -> int:
    """How strict a decision is; where none is made, not at all."""
    return STRICTNESS.get(decision or "allow", 0)


def closed(tools: Iterable[Right], left: Iterable[Right]) -> set[Path]:
    """The tools and toolkits of which nothing is ever called, by what is left of their tools: what they would reach,
    nobody reaches.
    """
    usable = {tool.path[:3] for tool in left if tool.decision != "deny"}
    return {tool.path[:3] for tool in tools if tool.path[1] in ("tools", "toolkits", "provider_tools")} - usable


def _claims(tree: Mapping) -> Iterator[tuple[str, Right]]:
    """All that the tree asks for beside tools, effects and bounds, whatever its ceiling says of it."""
    for ask in asks(tree):
        if (
            ask.key not in ("tools", "effects", "limits") and ask.path[-1] != "url"
        ):  # addresses are looked for everywhere
            right = Right(right_name(ask.node), ask.node, ask.path)
            yield ask.key, right._replace(name=f"{right.name} *") if ask.key == "commands" and is_open(right) else right
    yield from _open_ends(tree)
    yield from _everywhere(tree)
    yield from _children(tree)
    for gate in gates(tree):
        yield "gates", Right(gate.words, gate.node, gate.path, decision=gate.decision)
    ceiling = find(tree, CEILING)
    for entry in ceiling.entries if isinstance(ceiling, Mapping) else ():
        if entry.name in WITHIN:  # its limits are among the bounds
            yield "ceiling", Right(entry.name, entry.value, (*CEILING, entry.name))


def _children(tree: Mapping) -> Iterator[tuple[str, Right]]:
    for path in (("capability", "subagents"), ("capability", "tools")):
        section = find(tree, path)
        for entry in section.entries if isinstance(section, Mapping) else ():
            agent = find(entry.value, ("agent",))
            if agent is not None:
                yield "children", Right(f"{entry.name}: {plain(agent)}", agent, (*path, entry.name))


def _tools(tree: Mapping, ceiling: Node | None) -> Iterator[Right]:
    section = find(tree, ("capability",))
    said = plain(section) if isinstance(section, Mapping) else {}
    effects = ceiling.get("effects") if isinstance(ceiling, Mapping) else None
    capability: dict[str, Any] = said if isinstance(said, dict) else {}
    asked = list(asks(tree))
    for ask in asked:
        if ask.key != "tools":
            continue
        work = find(tree, (*ask.path, "kind")) if ask.path[:2] == ("capability", "tools") else None
        name = str(plain(ask.node))
        server = str(ask.path[2]) if ask.path[:2] == ("capability", "mcp") else ""
        word = str(plain(work)) if work is not None else None
        called = Called(name, ask.effect, word, asks=_asks(tree, ask), server=server)
        decision = leave(called, capability)
        if ask.path[:2] == PROVIDER_TOOLS:  # what would be asked about is not offered
            listed = capability["provider_tools"][ask.path[2]]
            decision = "deny" if any(withheld(each, capability) for each in provider_tools([listed])) else "allow"
        if is_refused(tree, ask, asked, ceiling):
            decision = "deny"
        yield weakened(Right(name, ask.node, ask.path, ask.effect, decision), effects)


def _asks(tree: Mapping, ask: Ask) -> bool:
    """Whether the toolkit itself asks a person: about commands or hosts that no list names."""
    if ask.path[:2] != ("capability", "toolkits") or ask.effect not in ("process", "network"):
        return False
    here = find(tree, ask.path)
    option = _OPEN_LISTS.get(str(ask.path[-1] if not isinstance(here, Scalar) else here.value))
    return option is not None and (here is None or find(here, (option[0],)) is None)


def _open_ends(tree: Mapping) -> Iterator[tuple[str, Right]]:
    """What only a run can tell: commands and hosts that a person is asked about, addresses with slots in them."""
    for index, item in enumerate(items_of(find(tree, ("capability", "toolkits")))):
        entry = item.entries[0] if isinstance(item, Mapping) and item.entries else None
        name, options = (str(plain(item)), item) if entry is None else (entry.name, entry.value)
        option, kind = _OPEN_LISTS.get(name, ("", ""))
        other = find(options, ("allow_else",))
        if option and (find(options, (option,)) is None or (other is not None and plain(other) == "ask")):
            yield kind, _anything(item if entry is None else entry.key, ("capability", "toolkits", index), "ask")
        shell = find(options, ("shell",)) if name == "command" else None
        if shell is not None and plain(shell) is True:
            decision = "ask" if find(options, (option,)) is None else None
            line = Scalar(value=LINES, span=shell.span)
            yield kind, Right(LINES, line, ("capability", "toolkits", index, name, "shell"), decision=decision)
    model = find(tree, ("model",))
    for kind, key in (("providers", "provider"), ("models", "model")) if tree.get("name") is not None else ():
        if all(find(tree, ("model", each)) is None for each in (key, "routes", "ladder")):
            yield kind, _anything(model or tree, ("model",), None)
    for path, node in walk(model, ("model",)) if model is not None else ():
        if path[-1] == "ladder" and "options" not in path:  # which model that is the catalogue says, and it changes
            yield "models", _anything(node, path, None)


def _hosts(node: Node, url: str, path: Path) -> Iterator[tuple[str, Right]]:
    host = named_host(url)
    if host is not None:
        yield "hosts", Right(host.shown, Scalar(value=host.pattern, span=node.span), path)
    elif url.strip().casefold().startswith(("http", "$")):
        yield "hosts", _anything(node, path, None)


def _anything(node: Node, path: Path, decision: str | None) -> Right:
    return Right(ANYTHING, Scalar(value=ANYTHING, span=node.span), path, decision=decision)


def _everywhere(tree: Mapping) -> Iterator[tuple[str, Right]]:
    """Addresses, variables of the environment, functions in Python, programs of rules: wherever they are written."""
    for path, node in walk(tree):
        text = node.value if isinstance(node, Scalar) else None
        last = path[-1] if path else ""
        if isinstance(text, str) and last in ("url", "base_url"):
            yield from _hosts(node, text, path)
        if last == "network" and path[0] == "capability" and plain(node) is True:
            yield "hosts", _anything(node, path, None)
            yield "effects", Right("network", Scalar(value="network", span=node.span), path)
        if isinstance(text, str) and "${" in text:
            for name in _ENVIRONMENT.findall(text):
                yield "secrets", Right(name, node, path)
        if isinstance(text, str) and (last in _VARIABLES or (path[-2:-1] == ("env",) and "toolkits" in path)):
            yield "secrets", Right(text, node, path)
        if isinstance(text, str) and last == "python" and not _FREE & set(path):
            yield "functions", Right(text, node, path)
        if last == "command" and path[0] in ("execution", "model") and isinstance(node, (Sequence, Scalar)):
            yield "commands", Right(right_name(node), node, path)


def _bounds(tree: Mapping) -> dict[str, Right]:
    """The bounds of a run: the lower of what the spec and its ceiling say, and the most turns."""
    found: dict[str, Right] = {}
    for path in (("execution", "limits"), (*CEILING, "limits")):
        section = find(tree, path)
        for entry in section.entries if isinstance(section, Mapping) else ():
            size, known = amount(entry.value), found.get(entry.name)
            is_lower = known is None or (size or 0) < (amount(known.node) or 0)
            if size is not None and is_lower:
                found[entry.name] = Right(str(plain(entry.value)), entry.value, (*path, entry.name))
    for path in (("execution", "max_iterations"), ("execution", "iteration_budget", "max")):
        node = find(tree, path)
        if node is not None:
            found["iterations"] = Right(str(plain(node)), node, path)
    return found
