"""left: what a ceiling leaves of a right: itself, a part of it, or nothing. Never less than a run leaves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agentspec.compose.rights.asks import Ask
from agentspec.compose.rights.narrow import WITHIN, common_host, may_begin, may_meet
from agentspec.compose.toolkits import EFFECTS
from agentspec.syntax.tree import Mapping, Node, Path, Scalar, Sequence, find, plain
from agentspec.text.source import Span

ANYTHING = "*"
LINES = "sh -c *"  # lines for a shell, made of the commands that are allowed beside it
_WORD = re.compile(r"(?!\*$)[^\s\"]+")
OF_CALLS = (("capability", "tools"), ("capability", "toolkits"))
_ELSEWHERE = re.compile(r"/|.*(\.\.|\$\{)")  # folders that words alone do not compare with those of the project


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


def within(kind: str, right: Right, ceiling: Node | None) -> Iterator[Right]:
    """The right as far as the ceiling leaves it: itself, or those items of the ceiling that it covers.

    A run holds tools to its ceiling, and models; what it starts or reaches for itself it does not. A program has the
    network as a whole, or not at all.
    """
    listed = ceiling.get(kind) if isinstance(ceiling, Mapping) and kind in WITHIN else None
    is_held = kind not in ("hosts", "commands") or (right.path[:2] in OF_CALLS and right.name != LINES)
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
            name = f"{right_name(outer)} *" if kind == "commands" else right_name(outer)
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


def right_name(node: Node) -> str:
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


def is_refused(tree: Mapping, tool: Ask | Right, asked: Iterable[Ask], ceiling: Node | None) -> bool:
    """Whether a ceiling refuses every call of a tool that runs programs or reaches hosts, for what the tool names."""
    is_of_toolkit = tool.path[:2] == OF_CALLS[1]
    if tool.path[:2] not in OF_CALLS or (is_of_toolkit and tool.effect not in ("process", "network")):
        return False
    own = [ask for ask in asked if ask.path[: len(tool.path)] == tool.path and ask.path[-1] != "network"]
    other = find(tree, (*tool.path, "allow_else"))
    kinds = ("hosts", "roots") if other is not None and plain(other) == "ask" else ("hosts", "roots", "commands")
    return any(_is_beyond(kind, [ask.node for ask in own if ask.key == kind], ceiling) for kind in kinds)


def _is_beyond(kind: str, named: list[Node], ceiling: Node | None) -> bool:
    listed = ceiling.get(kind) if isinstance(ceiling, Mapping) else None
    if not named or not isinstance(listed, Sequence):
        return False
    if kind == "roots" and any(_ELSEWHERE.match(str(plain(root))) for root in (*named, *listed.items)):
        return False
    return not any(may_meet(kind, node, outer) for node in named for outer in listed.items)
