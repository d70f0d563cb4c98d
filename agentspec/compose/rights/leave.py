"""leave: what becomes of the calls of a tool at most, by approval, permissions and the layers of middleware.

A rule that looks at arguments, paths or conditions may be met or not: for what a call can hope for it never makes the
answer stricter, for the worst that may become of it never milder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from agentspec.compose.rights.narrow import covers

STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}
_OF_A_TOOL = frozenset(("tool", "kind", "effect", "mcp", "decision", "reason"))
_AUTO = ("read", "search", "fetch", "think")  # the kinds of work that a layer `consent` lets pass
_WORK: dict[str | None, tuple[str, ...]] = {
    "none": ("think",),
    "read": ("read", "search"),
    "write": ("edit", "delete", "move"),
    "process": ("execute",),
    "network": ("fetch",),
}


class Called(NamedTuple):
    """A tool as rules see it. `name` may be a pattern, where only the run knows the names."""

    name: str
    effect: str | None
    work: str | None = None
    asks: bool = False  # its toolkit asks where no rule says anything
    server: str = ""  # the MCP server that it is of

    @property
    def works(self) -> tuple[str, ...]:
        """The kinds of work that it may be."""
        return (self.work,) if self.work else _WORK.get(self.effect, ())


def leave(tool: Called, capability: Mapping[str, Any]) -> str:
    """`allow`, `ask` or `deny`: the most that a call of the tool can hope for.

    >>> leave(Called("drop", "write"), {"approval": {"rules": [{"tool": "dr*", "decision": "deny"}]}})
    'deny'
    """
    words = (
        _approval(tool, _mapping(capability.get("approval"))),
        _permissions(tool, capability.get("permissions")),
        _layers(tool, _listed(capability.get("middleware"))),
    )
    return max(words, key=lambda word: STRICTNESS[word])


def at_worst(tool: Called, capability: Mapping[str, Any]) -> str:
    """`allow`, `ask` or `deny`: the strictest that may become of a call which touches no file and no program here.

    >>> later = {"when": "session.calls > 9", "decision": "ask"}
    >>> at_worst(Called("look_up", "network"), {"approval": {"rules": [later]}})
    'ask'
    """
    given = _mapping(capability.get("permissions"))
    denials = [rule for rule in _listed(given.get("deny")) if _may_hold(rule)]
    may_deny = any(_may_be(_tool_of(rule), [tool.name], is_glob=True) for rule in denials)
    is_permitted = given.get("allow") is None or any(_denies(rule, tool.name) for rule in _listed(given["allow"]))
    words = (
        _approval_at_worst(tool, _mapping(capability.get("approval"))),
        "allow" if is_permitted and not may_deny else "deny" if given.get("on_escalation") == "deny" else "ask",
        _layers(tool, _listed(capability.get("middleware")), are_met=True),
    )
    return max(words, key=lambda word: STRICTNESS[word])


def _approval_at_worst(tool: Called, approval: Mapping[str, Any]) -> str:
    listed = [_unconditional(rule) for rule in _listed(approval.get("rules")) if isinstance(rule, Mapping)]
    rules = [rule for rule in listed if _may_hold(rule) and _may_match(rule, tool)]
    strict = [word for word in map(_word, rules) if word != "allow"]
    if strict:
        return max(strict, key=lambda word: STRICTNESS[word])
    if any(rule.keys() <= _OF_A_TOOL and _is_about(rule, tool) for rule in rules):
        return "allow"
    default = str(approval.get("default") or "allow")
    return default if default in STRICTNESS else "allow"


def _may_hold(rule: Any) -> bool:
    """Whether a rule may be about a call that touches no file and no program here."""
    return not (isinstance(rule, Mapping) and rule.keys() & {"paths", "command"})


def _tool_of(rule: Any) -> Any:
    return rule.get("tool") if isinstance(rule, Mapping) else rule


def _approval(tool: Called, approval: Mapping[str, Any]) -> str:
    default = str(approval.get("default") or "allow")
    listed = [_unconditional(rule) for rule in _listed(approval.get("rules")) if isinstance(rule, Mapping)]
    rules = [rule for rule in listed if _may_match(rule, tool)]
    always = [rule for rule in rules if rule.keys() <= _OF_A_TOOL and _is_about(rule, tool)]
    if always:
        return max((_word(rule) for rule in always), key=lambda word: STRICTNESS[word])
    unmatched = "ask" if tool.asks and default == "allow" else default
    unmatched = unmatched if unmatched in STRICTNESS else "allow"
    return min([unmatched, *map(_word, rules)], key=lambda word: STRICTNESS[word])


def _unconditional(rule: Mapping[str, Any]) -> Mapping[str, Any]:
    """The rule without a condition that always holds: `when: true`."""
    is_always = rule.get("when") is True or str(rule.get("when")).strip() == "true"
    return {key: value for key, value in rule.items() if key != "when"} if is_always else rule


def _word(rule: Mapping[str, Any]) -> str:
    word = str(rule.get("decision"))
    return word if word in STRICTNESS else "allow"


def _may_match(rule: Mapping[str, Any], tool: Called) -> bool:
    return (
        _may_be(rule.get("tool"), [tool.name], is_glob=True)
        and _may_be(rule.get("effect"), [tool.effect] if tool.effect else [])
        and _may_be(rule.get("kind"), tool.works)
        and _of_server(rule, tool)
    )


def _may_be(wanted: Any, had: Iterable[str | None], *, is_glob: bool = False) -> bool:
    """Whether one of the words may be among those that are wanted; what is not known may be."""
    known = [str(word) for word in had]
    if wanted is None or not known:
        return True
    pairs = [(str(want), word) for want in _listed(wanted) for word in known]
    return any(covers(want, word) or covers(word, want) if is_glob else want == word for want, word in pairs)


def _is_about(rule: Mapping[str, Any], tool: Called) -> bool:
    """Whether the rule is about every call of the tool, whatever it turns out to be."""
    name, effect, kind = rule.get("tool"), rule.get("effect"), rule.get("kind")
    return (
        (name is None or _is_named(name, tool.name))
        and (effect is None or tool.effect in _listed(effect))
        and (kind is None or (bool(tool.works) and set(tool.works) <= set(_listed(kind))))
        and _of_server(rule, tool)
    )


def _of_server(rule: Mapping[str, Any], tool: Called) -> bool:
    return rule.get("mcp") is None or (bool(tool.server) and covers(str(rule["mcp"]), tool.server))


def _is_named(globs: Any, name: str) -> bool:
    return any(covers(str(glob), name) for glob in _listed(globs))


def _permissions(tool: Called, permissions: Any) -> str:
    given = _mapping(permissions)
    denied = any(_denies(rule, tool.name) for rule in _listed(given.get("deny")))
    allowed = given.get("allow")
    is_left_out = allowed is not None and not any(
        _may_be(_tool_of(rule), [tool.name], is_glob=True) for rule in _listed(allowed)
    )
    if not (denied or is_left_out):
        return "allow"
    return "deny" if given.get("on_escalation") == "deny" else "ask"


def _denies(rule: Any, name: str) -> bool:
    if isinstance(rule, Mapping):
        return rule.keys() <= {"tool"} and _is_named(rule.get("tool"), name)
    return _is_named(rule, name)


def _layers(tool: Called, layers: Iterable[Any], *, are_met: bool = False) -> str:
    for layer in layers:
        says = layer.get("consent") if isinstance(layer, Mapping) else {} if layer == "consent" else None
        says = _unconditional(says) if isinstance(says, Mapping) else None
        if says is None or (says.get("when") is not None and not are_met):
            continue
        only, but = says.get("only"), says.get("except")
        is_about = (only is None or _is_named(only, tool.name)) and not _may_be_left_out(but, tool.name)
        if is_about and tool.works and not set(tool.works) & set(_listed(says.get("auto", _AUTO))):
            return "ask"
    return "allow"


def _may_be_left_out(globs: Any, name: str) -> bool:
    return globs is not None and _may_be(globs, [name], is_glob=True)


def _listed(value: Any) -> list[Any]:
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
