"""gates: what stands between a spec's calls and the world, each rule in a line that can be compared."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from agentspec.compose.documents import items_of
from agentspec.syntax.tree import Mapping, Node, Path, find, plain


class Gate(NamedTuple):
    """One rule: what it is about in `words`, and its `decision`: `allow`, `ask` or `deny`.

    A layer that asks nobody is `deny`: it only takes away.
    """

    words: str
    decision: str
    node: Node
    path: Path


def gates(tree: Mapping) -> Iterator[Gate]:
    """Every rule of `capability.approval`, `permissions` and `middleware`."""
    yield from _approval(tree)
    yield from _permissions(tree)
    path: Path = ("capability", "middleware")
    for index, layer in enumerate(items_of(find(tree, path))):
        value = plain(layer)
        is_consent = "consent" in value if isinstance(value, dict) else value == "consent"
        yield Gate(f"layer {_words(layer)}", "ask" if is_consent else "deny", layer, (*path, index))


def _approval(tree: Mapping) -> Iterator[Gate]:
    path: Path = ("capability", "approval")
    default = find(tree, (*path, "default"))
    if default is not None and plain(default) != "allow":  # to allow is the same as to say nothing
        yield Gate("default", str(plain(default)), default, (*path, "default"))
    for index, rule in enumerate(items_of(find(tree, (*path, "rules")))):
        decision = rule.get("decision") if isinstance(rule, Mapping) else None
        word = str(plain(decision)) if decision is not None else "deny"
        yield Gate(f"rule {_words(rule, without=('decision', 'reason'))}", word, rule, (*path, "rules", index))
    for index, glob in enumerate(items_of(find(tree, (*path, "secrets")))):
        yield Gate(f"secrets {plain(glob)}", "deny", glob, (*path, "secrets", index))


def _permissions(tree: Mapping) -> Iterator[Gate]:
    path: Path = ("capability", "permissions")
    escalation = find(tree, (*path, "on_escalation"))
    refusal = "deny" if escalation is not None and plain(escalation) == "deny" else "ask"
    allowed = find(tree, (*path, "allow"))
    if allowed is not None:  # what the list does not name is refused
        yield Gate(f"permissions allow only {_words(allowed)}", refusal, allowed, (*path, "allow"))
    for index, rule in enumerate(items_of(find(tree, (*path, "deny")))):
        yield Gate(f"permissions deny {_words(rule)}", refusal, rule, (*path, "deny", index))


def _words(rule: Node, without: tuple[str, ...] = ()) -> str:
    value = plain(rule)
    if isinstance(value, dict):
        value = {key: value[key] for key in sorted(value) if key not in without}
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
