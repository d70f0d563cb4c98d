"""of_agents: what a spec may do through the agents that it calls, within its own ceiling and denials."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Trees
from typing import Any

from agentspec.compose.authority import CEILING
from agentspec.compose.rights.asks import asks
from agentspec.compose.rights.leave import Called, leave
from agentspec.compose.rights.left import ANYTHING, Right, is_refused, weakened, within
from agentspec.compose.rights.rights import KINDS, Rights, add, add_effect, closed, rank, rights_of
from agentspec.compose.toolkits import EFFECTS
from agentspec.syntax.tree import Mapping, find, plain

_REACHED = tuple(kind for kind in KINDS if kind not in ("tools", "effects", "children", "limits", "gates", "ceiling"))


def rights_with_called(tree: Mapping, called: Trees[str, Mapping]) -> Rights:
    """What a spec may do itself and through the agents that are its tools, given by the tool's name.

    Their tools are `TOOL/NAME`, and so are their rules; the tool itself has the strongest effect of theirs.
    """
    rights = rights_of(tree)
    kinds = rights.kinds
    for name, inner in called.items():
        above = kinds["tools"].get(name)
        if above is None or above.decision == "deny":
            continue
        own = rights_of(inner)
        tools = [*_tools(name, inner, own, tree)]
        usable = [EFFECTS.index(tool.effect) for tool in tools if tool.effect in EFFECTS and tool.decision != "deny"]
        kinds["tools"][name] = above._replace(effect=above.effect or EFFECTS[max(usable, default=0)])
        for tool in (kinds["tools"][name], *tools):
            kinds["tools"][tool.name] = tool
            add_effect(kinds["effects"], tool)
        for kind, right in _reached(own, tree, tools):
            add(kinds, kind, right)
        rights.reach.update({f"{name}/{setting}": each for setting, each in own.reach.items()})
        for rule in own.kinds["gates"].values():
            kinds["gates"][f"{name}/{rule.name}"] = rule._replace(name=f"{name}/{rule.name}", of=name)
    return rights


def never_called(name: str, inner: Mapping, tree: Mapping) -> list[Right]:
    """The tools of an agent that it may call itself, and that its caller's ceiling or denials never let it call."""
    own = rights_of(inner)
    usable = {tool.path for tool in _tools(name, inner, own, tree) if tool.decision != "deny"}
    return [tool for tool in own.kinds["tools"].values() if tool.decision != "deny" and tool.path not in usable]


def _reached(inner: Rights, tree: Mapping, left: list[Right]) -> Iterator[tuple[str, Right]]:
    own, ceiling = inner.kinds, find(tree, CEILING)
    unreached = closed(own["tools"].values(), left)
    for kind in _REACHED:
        for right in own[kind].values():
            is_lent = kind in ("providers", "models") and right.name == ANYTHING  # its caller's model answers
            for each in () if is_lent or right.path[:3] in unreached else within(kind, right, ceiling):
                yield kind, each


def _tools(name: str, inner: Mapping, own: Rights, tree: Mapping) -> Iterator[Right]:
    ceiling, gates = find(tree, CEILING), _gates(tree)
    effects = ceiling.get("effects") if isinstance(ceiling, Mapping) else None
    asked = list(asks(inner))
    for tool in own.kinds["tools"].values():
        word = leave(Called(tool.name, tool.effect), gates)
        decision = max(tool.decision or "allow", word, key=rank)
        if is_refused(inner, tool, asked, ceiling):
            decision = "deny"
        for each in within("tools", tool._replace(decision=decision), ceiling):
            left = weakened(each, effects)
            yield left._replace(name=f"{name}/{left.name}")


def _gates(tree: Mapping) -> dict[str, Any]:
    """What an agent that is called has of its caller's rules: those that deny or ask."""
    found: dict[str, Any] = {}
    for key in ("approval", "permissions"):
        node = find(tree, ("capability", key))
        said = plain(node) if isinstance(node, Mapping) else {}
        assert isinstance(said, dict)
        found[key] = {name: value for name, value in said.items() if name != "allow"}
    rules = found["approval"].get("rules")
    listed = rules if isinstance(rules, list) else []
    found["approval"]["rules"] = [rule for rule in listed if isinstance(rule, dict) and rule.get("decision") != "allow"]
    return found
