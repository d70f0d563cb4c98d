"""narrowed: the authority of an agent that another one calls: its own, within its caller's. On plain values, pure.

What its caller forbids stays forbidden, and what its caller must ask about is asked about. Where two patterns can't be
compared, what only one of them allows is left out.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from agentspec.compose.rights.narrow import WITHIN
from agentspec.syntax.tree import Node, Scalar
from agentspec.syntax.tree import Sequence as NodeSequence
from agentspec.text.source import Source, Span

NOWHERE = Span(Source("", ""), 0, 0)
STRICTNESS = ("allow", "ask", "deny")
WALLS = ("none", "auto", "workspace")  # each as strict as the one before, or more

Values = Mapping[str, Any]


def narrowed(called: Values, caller: Values, project: str) -> dict[str, Any]:
    """The effective values of `called` with the authority that `caller` leaves it; both work in `project`."""
    own: dict[str, Any] = dict(called.get("capability") or {})
    above: Values = caller.get("capability") or {}
    ceiling = narrowed_ceiling(own.get("ceiling"), above.get("ceiling"), project)
    if ceiling is not None:
        own["ceiling"] = ceiling
    own["approval"] = _approval(own.get("approval") or {}, above.get("approval") or {}, project)
    permissions = _permissions(own.get("permissions") or {}, above.get("permissions") or {})
    if permissions:
        own["permissions"] = permissions
    own["sandbox"] = _sandbox(own.get("sandbox"), above.get("sandbox"))
    if above.get("identity"):
        own["identity"] = above["identity"]
    return {**called, "capability": own}


def narrowed_ceiling(own: Values | None, above: Values | None, project: str) -> dict[str, Any] | None:
    """The ceiling that both leave; None where neither has one.

    >>> narrowed_ceiling({"tools": ["read_*", "fetch"]}, {"tools": ["read_file", "f*"], "effects": ["read"]}, "/p")
    {'tools': ['read_file', 'fetch'], 'effects': ['read']}
    """
    if not own or not above:
        given = own or above
        return None if given is None else {**given, **_rooted(given, project)}
    own, above = {**own, **_rooted(own, project)}, {**above, **_rooted(above, project)}
    met: dict[str, Any] = {}
    for name in dict.fromkeys((*above, *own)):
        if own.get(name) is None or above.get(name) is None:
            met[name] = above[name] if own.get(name) is None else own[name]
        elif name in WITHIN:
            met[name] = _met(name, own[name], above[name])
        elif isinstance(own[name], Mapping):
            met[name] = {**own[name], **above[name], **_least(own[name], above[name])}
    return met


def _rooted(ceiling: Values, project: str) -> dict[str, Any]:
    roots = ceiling.get("roots")
    return {} if roots is None else {"roots": [_place(root, project) for root in roots]}


def _place(path: str, project: str) -> str:
    return posixpath.normpath(posixpath.join(project, path))


def _met(name: str, own: list[Any], above: list[Any]) -> list[Any]:
    """What lies within both lists: of two patterns the one that lies within the other."""
    is_within = WITHIN[name]
    narrower = [one for one in own if any(is_within(_node(one), _node(other)) for other in above)]
    others = [one for one in above if one not in own and any(is_within(_node(one), _node(other)) for other in own)]
    return [*others, *narrower]


def _node(value: Any) -> Node:
    if isinstance(value, list):
        return NodeSequence(items=[_node(item) for item in value], span=NOWHERE)
    return Scalar(value=value, span=NOWHERE)


def _least(own: Values, above: Values) -> dict[str, Any]:
    """The smaller one of each bound that both set."""
    both = [name for name in own if _is_bound(own[name]) and _is_bound(above.get(name))]
    return {name: min(own[name], above[name]) for name in both}


def _is_bound(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _approval(own: Values, above: Values, project: str) -> dict[str, Any]:
    kept = [rule for rule in above.get("rules") or () if rule.get("decision") != "allow"]
    allowed = [_place(root, project) for root in (".", *(above.get("external_roots") or ()))]
    roots = [root for root in own.get("external_roots") or () if _is_below(_place(root, project), allowed)]
    defaults = [str(each.get("default") or "allow") for each in (own, above)]
    return {
        **own,
        "default": max(defaults, key=STRICTNESS.index),
        "rules": [*(own.get("rules") or ()), *kept],
        "secrets": [*(own.get("secrets") or ()), *(above.get("secrets") or ())],
        "external_roots": roots,
    }


def _permissions(own: Values, above: Values) -> dict[str, Any]:
    """Its own, and what its caller refuses: whose words say whether a person may grant it, the stricter ones hold."""
    denied = [*(own.get("deny") or ()), *(above.get("deny") or ())]
    if not denied:
        return dict(own)
    words = [each.get("on_escalation") or "ask" for each in (own, above) if each]
    return {**own, "deny": denied, "on_escalation": max(words, key=STRICTNESS.index)}


def _is_below(path: str, roots: list[str]) -> bool:
    return any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots)


def _sandbox(own: Any, above: Any) -> dict[str, Any]:
    """The stricter wall of the two; what only one of them opens stays shut."""
    mine, its = _wall(own), _wall(above)
    most = {name: mine.get(name, its.get(name)) for name in ("memory", "cpu_time", "processes")}
    return {
        **{name: value for name, value in most.items() if value is not None},
        **_least(mine, its),
        "mode": max(mine["mode"], its["mode"], key=WALLS.index),
        "network": bool(mine.get("network")) and bool(its.get("network")),
        "writable": [path for path in mine.get("writable") or () if path in (its.get("writable") or ())],
    }


def _wall(given: Any) -> dict[str, Any]:
    written = dict(given) if isinstance(given, Mapping) else {"mode": given}
    return {**written, "mode": written.get("mode") or "auto"}
