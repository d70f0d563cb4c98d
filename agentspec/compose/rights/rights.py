"""rights: what a composed spec may do in the end: tools and their effects, places, hosts, programs, secrets, bounds.

Never less than what a run can do: where only a run can tell, the most is assumed, and `*` is anything. What the ceiling
forbids is left out. Nothing is looked up outside the tree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from agentspec.compose.authority import CEILING
from agentspec.compose.documents import items_of
from agentspec.compose.provider_tools import provider_tools, withheld
from agentspec.compose.rights.asks import Ask, asks
from agentspec.compose.rights.gates import gates
from agentspec.compose.rights.leave import STRICTNESS, Called, leave
from agentspec.compose.rights.narrow import WITHIN, amount, common_host, may_begin
from agentspec.compose.rights.reach import Reach, reach
from agentspec.compose.toolkits import EFFECTS
from agentspec.syntax.tree import Mapping, Node, Path, Scalar, Sequence, find, plain, walk
from agentspec.text.hosts import named_host
from agentspec.text.source import Span

ANYTHING = "*"
LINES = "sh -c *"  # lines for a shell, made of the commands that are allowed beside it
KINDS = (
    *("tools", "effects", "roots", "hosts", "commands", "functions", "providers", "models", "secrets", "children"),
    *("limits", "gates", "ceiling"),
)
_ENVIRONMENT = re.compile(r"\$\{\s*env\.(\w+)\s*\}")
_WORD = re.compile(r"(?!\*$)[^\s\"]+")
_OPEN_LISTS = {"command": ("allow", "commands"), "web.fetch": ("hosts", "hosts")}
"""Toolkits that ask a person about what no list of theirs names: the option with the list, and the kind of right."""
_OF_CALLS = (("capability", "tools"), ("capability", "toolkits"))
PROVIDER_TOOLS = ("capability", "provider_tools")
_VARIABLES = ("api_key_env", "token_env")
_FREE = frozenset(("options", "schema", "parameters", "inputs", "returns", "examples"))


class Right(NamedTuple):
    """One thing that may be done, and the place that says so; `node` is what says it.

    A tool has an `effect`, where that is known; `decision` is what becomes of it at most: `allow`, `ask` or `deny`.
    """

    name: str
    node: Node
    path: Path
    effect: str | None = None
    decision: str | None = None
    asked: Span | None = None  # where it is asked for, if the node is of a ceiling
    of: str = ""  # a rule of an agent that is called: the tool that it is called as

    @property
    def span(self) -> Span:
        """Where it is written."""
        return self.asked or self.node.span


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
            right = Right(_right_name(ask.node), ask.node, ask.path)
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
    for ask in asks(tree):
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
            yield "commands", Right(_right_name(node), node, path)


def within(kind: str, right: Right, ceiling: Node | None) -> Iterator[Right]:
    """The right as far as the ceiling leaves it: itself, or those items of the ceiling that it covers.

    A run holds tools to its ceiling, and models; what it starts or reaches for itself it does not. A program has the
    network as a whole, or not at all.
    """
    listed = ceiling.get(kind) if isinstance(ceiling, Mapping) and kind in WITHIN else None
    is_held = kind not in ("hosts", "commands") or (right.path[:2] in _OF_CALLS and right.name != LINES)
    if not isinstance(listed, Sequence) or not is_held:
        yield right
        return
    is_within = WITHIN[kind]
    if any(is_within(right.node, outer) for outer in listed.items):
        yield right
        return
    if kind == "commands" and right.name != ANYTHING and not is_open(right):
        yield from [right] if any(may_begin(right.node, outer) for outer in listed.items) else []
        return
    if kind == "hosts":
        yield from _common(right, listed) if right.path[-1] != "network" else ()
        return
    for outer in listed.items:
        if right.name == ANYTHING or is_within(outer, right.node):
            name = f"{_right_name(outer)} *" if kind == "commands" else _right_name(outer)
            yield right._replace(name=name, node=outer, asked=right.span)


def _common(right: Right, listed: Sequence) -> Iterator[Right]:
    """The hosts of a list that a right to hosts is for as well."""
    for outer in listed.items:
        host = common_host(str(plain(right.node)), str(plain(outer)))
        if host is not None:
            yield right._replace(name=host, node=Scalar(value=host, span=outer.span), asked=right.span)


def is_open(command: Right) -> bool:
    """Whether more arguments may follow: after what an allow list or a ceiling names. Others start as they stand."""
    return command.asked is not None or command.path[-2:-1] == ("allow",)


def _right_name(node: Node) -> str:
    """The words of a node. One of several that could be taken for something else stands in quotes."""
    if not isinstance(node, Sequence):
        return str(plain(node))
    words = [str(plain(item)) for item in node.items]
    return " ".join(word if _WORD.fullmatch(word) else json.dumps(word, ensure_ascii=False) for word in words)


def weakened(tool: Right, allowed: Node | None) -> Right:
    """A tool whose effect is beyond the ceiling is never called; one of a server may have a weaker one."""
    if not isinstance(allowed, Sequence) or tool.effect not in EFFECTS:
        return tool
    words = [str(plain(item)) for item in allowed.items]
    if tool.effect in words:
        return tool
    weaker = [word for word in EFFECTS[: EFFECTS.index(tool.effect)] if word in words]
    if tool.path[:2] == ("capability", "mcp") and weaker:
        return tool._replace(effect=weaker[-1])
    return tool._replace(decision="deny")


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
