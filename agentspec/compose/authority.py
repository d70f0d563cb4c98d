"""authority: what lower layers forbid stays forbidden, whatever a higher layer says.

Ceilings are intersected and denials are kept; asking for more is a finding with both places. A layer can only narrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Items
from typing import Final

from agentspec.compose.documents import items_of
from agentspec.compose.findings import clip, finding
from agentspec.compose.merge import settle
from agentspec.compose.origin import Layer, said
from agentspec.compose.rights.asks import Ask, asks
from agentspec.compose.rights.narrow import WITHIN, amount
from agentspec.syntax.tree import Broken, Entry, Mapping, Node, Path, Scalar, Sequence, dotted, find, plain, same, walk
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span

CEILING: Path = ("capability", "ceiling")
DENIALS: tuple[Path, ...] = (
    ("capability", "approval", "rules"),
    ("capability", "approval", "secrets"),
    ("capability", "permissions", "deny"),
)
_ALL_DENY: Final = ("deny", "secrets")  # lists whose every item denies
_DEFAULT: Path = ("capability", "approval", "default")


def enforce(tree: Mapping, layers: Items[Layer]) -> tuple[Mapping, list[Diagnostic]]:
    """The tree with the ceiling that all layers leave and every denial kept, and what asks for more."""
    if all(layer.root.entry("capability") is None for layer in layers):
        return tree, []
    found: list[Diagnostic] = []
    ceilings = _ceilings(layers, found)
    if ceilings[-1] is not None:
        tree = put(tree, CEILING, ceilings[-1])
        found.extend(_too_much(tree, layers, ceilings))
    for path in DENIALS:
        tree = _keep_denials(tree, path, layers, found)
    return _keep_default(tree, layers, found), found


def _ceilings(layers: Items[Layer], found: list[Diagnostic]) -> list[Mapping | None]:
    """The ceiling that binds each layer: that of all layers below it; last the one that all of them leave."""
    ceilings: list[Mapping | None] = [None]
    for layer in layers:
        ceiling = ceilings[-1]
        entry, is_removed = said(layer.root, CEILING)
        if entry is not None and is_removed and ceiling is not None:
            found.append(_wider(entry.key.span, "this removes a ceiling", CEILING, ceiling.span))
        elif entry is not None and isinstance(entry.value, Mapping) and not is_removed:
            own = settle(entry.value, [])
            ceiling = own if ceiling is None else _meet(ceiling, entry.value, found)
        elif entry is not None and ceiling is not None and not isinstance(entry.value, Broken):
            found.append(_wider(entry.key.span, f"`{dotted(CEILING)}` cannot be replaced", CEILING, ceiling.span))
        ceilings.append(ceiling)
    return ceilings


def _meet(lower: Mapping, upper: Mapping, found: list[Diagnostic]) -> Mapping:
    entries = {entry.name: entry for entry in lower.entries}
    for entry in upper.entries:
        below = entries.get(entry.name)
        path = (*CEILING, entry.name)
        if below is None:
            if entry.operation != "unset":
                entries[entry.name] = entry
        elif entry.operation == "unset":
            found.append(_wider(entry.key.span, f"this removes `{dotted(path)}`", path, below.span))
        else:
            entries[entry.name] = _met(below, entry, path, found)
    return Mapping(entries=list(entries.values()), span=upper.span, flow=upper.flow, comments=upper.comments)


def _met(lower: Entry, upper: Entry, path: Path, found: list[Diagnostic]) -> Entry:
    match lower.value, upper.value:
        case Sequence(), Sequence() if upper.name in WITHIN:
            value: Node = _met_lists(lower.value, upper.value, path, found)
            if upper.operation == "append":
                value = lower.value
        case Mapping(), Mapping():
            value = _met_limits(lower.value, upper.value, path, found)
        case _, Broken():
            value = lower.value
        case _:
            if not same(lower.value, upper.value):
                found.append(_wider(upper.value.span, f"`{dotted(path)}` cannot be replaced", path, lower.span))
            value = lower.value
    return Entry(key=upper.key, value=value, final=lower.final or upper.final, comments=upper.comments)


def _met_lists(lower: Sequence, upper: Sequence, path: Path, found: list[Diagnostic]) -> Sequence:
    is_within = WITHIN[str(path[-1])]
    items: list[Node] = []
    for item in upper.items:
        if isinstance(item, Broken) or any(is_within(item, outer) for outer in lower.items):
            items.append(item)
            continue
        found.append(_wider(item.span, f"{_show(item)} is not within `{dotted(path)}`", path, lower.span))
        items.extend(outer for outer in lower.items if is_within(outer, item))
    return Sequence(items=items, span=upper.span, flow=upper.flow, comments=upper.comments)


def _met_limits(lower: Mapping, upper: Mapping, path: Path, found: list[Diagnostic]) -> Mapping:
    entries = {entry.name: entry for entry in lower.entries}
    for entry in upper.entries:
        below = entries.get(entry.name)
        here = (*path, entry.name)
        if below is None:
            entries[entry.name] = entry
        elif entry.operation == "unset":
            found.append(_wider(entry.key.span, f"this removes `{dotted(here)}`", here, below.span))
        elif _is_larger(entry.value, below.value):
            message = f"{_show(entry.value)} is more than the ceiling of {_show(below.value)}"
            found.append(_wider(entry.value.span, message, here, below.span))
        else:
            entries[entry.name] = entry
    kept = [entry for entry in entries.values() if entry.operation != "unset"]
    return Mapping(entries=kept, span=upper.span, flow=upper.flow, comments=upper.comments)


def _is_larger(upper: Node, lower: Node) -> bool:
    asked, allowed = amount(upper), amount(lower)
    return asked is not None and allowed is not None and asked > allowed


def _too_much(tree: Mapping, layers: Items[Layer], ceilings: list[Mapping | None]) -> Iterator[Diagnostic]:
    """What the tree asks for beyond the ceiling that binds the layer that asks, at most once a place."""
    narrowest = ceilings[-1]  # what it lets through, each one before it does as well
    beyond = [ask for ask in asks(tree) if narrowest is not None and _beyond(ask, narrowest) is not None]
    owners = _owners(layers) if beyond else {}
    told: set[Span] = set()
    for ask in beyond:
        ceiling = ceilings[owners.get(id(ask.owner), 0)]
        problem = None if ceiling is None or ask.span in told else _beyond(ask, ceiling)
        if problem is not None:
            told.add(ask.span)
            yield problem


def _owners(layers: Items[Layer]) -> dict[int, int]:
    """The lowest layer that holds each node and each key, by identity."""
    owners: dict[int, int] = {}
    for index, layer in enumerate(layers):
        for _, node in walk(layer.root):
            owners.setdefault(id(node), index)
            for entry in node.entries if isinstance(node, Mapping) else ():
                owners.setdefault(id(entry.key), index)
    return owners


def _beyond(ask: Ask, ceiling: Mapping) -> Diagnostic | None:
    listed = ceiling.get(ask.key)
    if ask.key == "limits":
        allowed = listed.get(str(ask.path[-1])) if isinstance(listed, Mapping) else None
        if allowed is None or not _is_larger(ask.node, allowed):
            return None
        message = f"{_show(ask.node)} is more than the ceiling of {_show(allowed)}"
        return _wider(ask.span, message, ask.path, allowed.span)
    if not isinstance(listed, Sequence) or any(WITHIN[ask.key](ask.node, outer) for outer in listed.items):
        return None
    message = f"{_show(ask.node)} is not within `{dotted((*CEILING, ask.key))}`"
    return _wider(ask.span, message, ask.path, listed.span)


def _wider(span: Span, message: str, path: Path, place: Span) -> Diagnostic:
    return finding("AS412", span, message, path=path, related=(Related(place, "the ceiling stands here"),))


def _show(node: Node) -> str:
    value = plain(node)
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"`{clip(text)}`"


def _keep_denials(tree: Mapping, path: Path, layers: Items[Layer], found: list[Diagnostic]) -> Mapping:
    denials: list[Node] = []
    for layer in layers:
        entry, is_removed = said(layer.root, path)
        if entry is not None and is_removed and denials:
            message = f"this removes {len(denials)} denial{'s'[: len(denials) != 1]} of `{dotted(path)}`"
            related = (Related(denials[0].span, "a lower layer denies this"),)
            found.append(finding("AS413", entry.key.span, message, path=path, related=related))
        elif entry is not None and not is_removed:
            denials.extend(item for item in items_of(entry.value) if _is_denial(item, path))
    if not denials:
        return tree
    now = find(tree, path)
    if now is not None and not isinstance(now, Sequence):
        return tree  # no list: that is told, and no run begins
    kept = now.items if now is not None else []
    lost = [node for node in denials if not any(node is item or same(node, item) for item in kept)]
    if not lost:
        return tree
    span = now.span if now is not None else lost[0].span
    return put(tree, path, Sequence(items=[*lost, *kept], span=span))


def _is_denial(rule: Node, path: Path) -> bool:
    if path[-1] in _ALL_DENY:
        return True
    decision = rule.get("decision") if isinstance(rule, Mapping) else None
    return isinstance(decision, Scalar) and decision.value == "deny"


def _keep_default(tree: Mapping, layers: Items[Layer], found: list[Diagnostic]) -> Mapping:
    denied: Scalar | None = None
    for layer in layers:
        entry, _ = said(layer.root, _DEFAULT)
        if entry is None:
            continue
        if isinstance(entry.value, Scalar) and entry.value.value == "deny":
            denied = entry.value
        elif denied is not None:
            related = (Related(denied.span, "a lower layer denies by default"),)
            message = "a lower layer denies what no rule allows; that cannot be relaxed"
            found.append(finding("AS413", entry.key.span, message, path=_DEFAULT, related=related))
    if denied is None or plain(find(tree, _DEFAULT) or denied) == "deny":
        return tree
    return put(tree, _DEFAULT, denied)


def put(tree: Mapping, path: Path, value: Node) -> Mapping:
    """A tree with another value at a path of names; what lies beside it is shared, what lies above is new."""
    name, rest = str(path[0]), path[1:]
    entry = tree.entry(name)
    if rest:
        below = entry.value if entry is not None else None
        inner = below if isinstance(below, Mapping) else Mapping(entries=[], span=value.span)
        value = put(inner, rest, value)
    if entry is None:
        new = Entry(key=Scalar(value=name, span=value.span), value=value)
        entries = [*tree.entries, new]
    else:
        new = Entry(key=entry.key, value=value, final=entry.final, comments=entry.comments)
        entries = [new if known is entry else known for known in tree.entries]
    return tree.with_entries(entries)
